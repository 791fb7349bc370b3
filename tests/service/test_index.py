"""Search rows depend only on the current aspects (spec SEARCH-9)."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.cdap.lineage_keys import format_lineage_key
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, build_metadata_value, list_hit_names, open_catalog_file, record_run, search_catalog
from support.stores import open_new_catalog
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, build_table_urn

_URNS = [build_table_urn(name, space) for name in ("a", "b") for space in ("sales", "zoo")]
_KEYS = st.sampled_from(["owner", "Owner", "OWNER", "note"])
_VALUES = st.sampled_from(["ops", "Ops", "ops ", "Wow-WOW1", "ß", "ss", ""])
_METADATA = st.builds(
    build_metadata_value,
    st.dictionaries(_KEYS, _VALUES, max_size=3),
    st.lists(st.sampled_from(["faa", "FAA", "owner"]), unique=True, max_size=3),
)
_DATASET = st.fixed_dictionaries(
    {}, optional={"name": _VALUES, "customProperties": st.dictionaries(_KEYS, _VALUES, max_size=2)}
)
_FIELDS = st.sampled_from(["id", "Id", "owner"]).map(
    lambda name: {"fields": [{"fieldPath": name, "nativeDataType": "int"}]}
)
_WRITES = st.one_of(
    st.tuples(st.sampled_from(_URNS), st.sampled_from(["businessMetadata", "technicalMetadata"]), _METADATA),
    st.tuples(st.sampled_from(_URNS), st.just("datasetProperties"), _DATASET),
    st.tuples(st.sampled_from(_URNS), st.just("schemaMetadata"), _FIELDS),
    st.tuples(st.sampled_from(_URNS), st.sampled_from(["businessMetadata", "technicalMetadata", None]), st.none()),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(_WRITES, min_size=1, max_size=12))
def test_search_rows_depend_only_on_current_aspects(store_name: str, writes: list[Any]) -> None:
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory())) for _ in range(2)]
        lived, fresh = (stack.enter_context(open_new_catalog(store_name, folder)) for folder in folders)
        for urn in _URNS:
            lived.write_path.apply_proposals_atomically(
                [Proposal(Urn.parse(urn), "status", "upsert", {"removed": False})], ADA
            )
        for urn, aspect, value in writes:
            operation = "delete" if value is None else "upsert"
            try:
                lived.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), aspect, operation, value)], ADA)
            except NotFound:
                assert value is None or aspect == "businessMetadata"
        for urn in _URNS:
            _copy(lived, fresh, urn)
        assert _rows(lived) == _rows(fresh)


def _copy(source: Catalog, target: Catalog, urn: str) -> None:
    """Write the current aspects of an entity to another catalog."""
    ref = Urn.parse(urn)
    target.write_path.apply_proposals_atomically([Proposal(ref, "status", "upsert", {"removed": False})], ADA)
    try:
        aspects = source.reader.read_entity(ref, None, ADA).aspects
    except NotFound:
        target.write_path.apply_proposals_atomically([Proposal(ref, None, "delete")], ADA)
        return
    keys = {"datasetKey", "status"}
    wishes = [Proposal(ref, name, "upsert", one.value) for name, one in aspects.items() if name not in keys]
    if wishes:
        target.write_path.apply_proposals_atomically(wishes, ADA)


def _rows(catalog: Catalog) -> Any:
    def work(tx: Any) -> Any:
        tables = [list(tx.get_table(name).scan(Range())) for name in ("metadata_values", "key_counts", "value_counts")]
        return tables, tx.search.read_documents_after("", 1_000)

    return catalog.provider.tx_runner.run(work, read_only=True)


def test_data_is_found_by_its_last_writer(tmp_path: Path) -> None:
    catalog = open_catalog_file(tmp_path / "catalog.db")
    record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)
    key = format_lineage_key(Urn.parse(CELL), catalog.identity)
    for expected in (key, CELL, f'"{catalog.identity.get_short_name(Urn.parse(CELL))}"'):
        assert list_hit_names(search_catalog(catalog, f"last-updated-by-program:{expected}", type="dataset")) == [
            "report"
        ], expected
    record_run(catalog, NOTEBOOK, "r2", ("write", REPORT), start=6_000)
    assert list_hit_names(search_catalog(catalog, f"last-updated-by-program:{key}", type="dataset")) == []
    # A write of a statement, as lineage capture records it, is a write of its program.
    run = record_run(catalog, CELL, "r3", start=7_000, end=8_000)
    catalog.write_path.record_run_accesses(run, [Access(Urn.parse(ORDERS), "write", statement=0)], [], ADA)
    for expected in (key, CELL):
        assert list_hit_names(search_catalog(catalog, f"last-updated-by-program:{expected}", type="dataset")) == [
            "orders"
        ], expected
    catalog.close()
