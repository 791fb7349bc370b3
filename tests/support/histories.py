"""Random histories of a catalog: writes, deletions, recreations, runs; and all derived rows."""

from typing import Any

from hypothesis import strategies as st
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidInstance, NotFound, RenameConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RunChange
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, build_metadata_value, record_run
from support.urns import build_cell_urn, build_file_urn, build_table_urn

URNS = [
    build_table_urn("a"),
    build_table_urn("b"),
    build_table_urn("a", "zoo"),
    build_file_urn("/data/x.parquet"),
    build_cell_urn("1"),
]
_KEYS = st.sampled_from(["owner", "Owner", "note", "schema"])
_VALUES = st.sampled_from(["ops", "Ops", "ops ", "ß", "", "a b-c"])
_METADATA = st.builds(
    build_metadata_value,
    st.dictionaries(_KEYS, _VALUES, max_size=3),
    st.lists(st.sampled_from(["faa", "FAA", "owner"]), unique=True, max_size=2),
)
_WRITES = st.tuples(st.just("write"), st.sampled_from(URNS), st.just("technicalMetadata"), _METADATA)
_UPSTREAMS = st.sampled_from(URNS[:4]).map(lambda urn: {"upstreams": [{"dataset": urn, "type": "COPY"}]})
_DECLARES = st.tuples(st.just("write"), st.sampled_from(URNS[:3]), st.just("upstreamLineage"), _UPSTREAMS)
_FORGETS = st.tuples(
    st.just("forget"), st.sampled_from(URNS), st.sampled_from(["technicalMetadata", None, None]), st.none()
)
_RUNS = st.tuples(
    st.just("run"),
    st.sampled_from([build_cell_urn("1"), build_cell_urn("2")]),
    st.sampled_from(["r1", "r2"]),
    st.tuples(st.sampled_from(["read", "write", "unknown"]), st.sampled_from(URNS[:4])),
)
_ENDS = st.tuples(
    st.just("end"),
    st.sampled_from([build_cell_urn("1"), build_cell_urn("2")]),
    st.sampled_from(["r1", "r2"]),
    st.none(),
)
_RENAMES = st.tuples(
    st.just("rename"), st.sampled_from(URNS[:2]), st.sampled_from([*URNS[:2], build_table_urn("c")]), st.none()
)
#: Lists of steps for `apply_steps`.
HISTORIES = st.lists(st.one_of(_WRITES, _WRITES, _DECLARES, _FORGETS, _RUNS, _ENDS, _RENAMES), min_size=1, max_size=14)


def apply_steps(catalog: Catalog, steps: list[Any]) -> None:
    """Apply these steps; steps that are impossible are skipped."""
    runs: dict[tuple[str, str], str] = {}
    for kind, who, what, value in steps:
        try:
            if kind == "write":
                catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(who), what, "upsert", value)], ADA)
            elif kind == "forget":
                catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(who), what, "delete")], ADA)
            elif kind == "rename":
                catalog.write_path.rename_dataset(Urn.parse(who), Urn.parse(what), ADA)
            elif kind == "run":
                runs[who, what] = record_run(catalog, who, what, value)
            elif (who, what) in runs:
                catalog.write_path.update_run(runs[who, what], RunChange("succeeded", 9_000), ADA)
        except (NotFound, InvalidInstance, RenameConflict):
            assert kind in ("forget", "rename")


def read_derived_rows(catalog: Catalog) -> Any:
    """Read all derived rows, by table."""

    def read(tx: Any) -> Any:
        rows = {name: list(tx.get_table(name).scan(Range())) for name in sorted(tables.DERIVED)}
        rows["documents"] = tx.search.read_documents_after("", 10_000)
        rows["edges"] = [
            sorted(map(str, tx.edges.list_links_of_run(run))) for run in tx.edges.list_runs_after("", 10_000)
        ]
        rows["stale"] = tx.edges.find_stale_roll_ups(10)
        return rows

    return catalog.provider.tx_runner.run(read, read_only=True)
