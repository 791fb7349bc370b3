"""Jobs, datasets and runs by OpenLineage's names, with their facets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.identity.urn import make_single_key_urn
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.model.declared_lineage import OPENLINEAGE_ASPECT
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.core.openlineage.facets import drop_deleted_facets
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import Range, Row, TableContext


@dataclass(frozen=True, slots=True)
class OpenLineageEntity:
    """A job or a dataset. Times are ms; `latest` is a job's newest run."""

    urn: str
    type: str
    original_name: OriginalName
    short: str
    created: int
    updated: int
    deleted: bool
    facets: Mapping[str, Any]
    latest: "RunWithFacets | None" = None
    #: What its newest run read and wrote, or an event without a run.
    inputs: tuple[OriginalName, ...] = ()
    outputs: tuple[OriginalName, ...] = ()


@dataclass(frozen=True, slots=True)
class RunWithFacets:
    """A run with its facets."""

    run: Run
    job: OriginalName
    facets: Mapping[str, Any] = field(default_factory=dict)


def read_openlineage_names(tx: TableContext, urns: Iterable[str]) -> dict[str, OriginalName]:
    """Return OpenLineage's names of these URNs; an entity that no event named has its URN as its name."""
    return {urn: spelling for urn, (spelling, _) in _read_names_and_facets(tx, urns).items()}


def create_jobs_and_datasets(tx: TableContext, rows: Sequence[Row], *, runs: bool) -> list[OpenLineageEntity]:
    """Return the entities of these rows; with `runs`, jobs have their newest run with its inputs and outputs."""
    described = _read_names_and_facets(tx, [row["urn"] for row in rows], {row["urn"]: row["namespace"] for row in rows})
    return [_create_job_or_dataset(tx, row, *described[row["urn"]], runs=runs) for row in rows]


def _create_job_or_dataset(
    tx: TableContext, row: Row, original_name: OriginalName, facets: Mapping[str, Any], *, runs: bool
) -> OpenLineageEntity:
    latest = _find_newest_run_of_job(tx, row["urn"], original_name) if runs and row["type"] == "dataJob" else None
    accesses = latest.run.accesses if latest is not None else ()
    names = read_openlineage_names(tx, [access.data for access in accesses])
    return OpenLineageEntity(
        urn=row["urn"],
        type=row["type"],
        original_name=original_name,
        short=row["name"],
        created=row.get("created") or 0,
        updated=row.get("updated") or 0,
        deleted=bool(row["deleted"]),
        facets=facets,
        latest=latest,
        inputs=_filter_names_by_mode(accesses, names, ("read", "both")),
        outputs=_filter_names_by_mode(accesses, names, ("write", "both")),
    )


def measure_run_bytes(run_with_facets: RunWithFacets) -> int:
    """Return the approximate size in bytes of a run in a response."""
    return measure_json_bytes((run_with_facets.facets, run_with_facets.run.arguments))


def measure_entity_bytes(entity: OpenLineageEntity) -> int:
    """Return the approximate size in bytes of a job or a dataset in a response."""
    # A job has its newest run twice in Marquez's documents.
    latest = 0 if entity.latest is None else 2 * measure_run_bytes(entity.latest)
    return latest + measure_json_bytes(
        (entity.facets, [(name.namespace, name.name) for name in (*entity.inputs, *entity.outputs)])
    )


def add_facets_to_run(tx: TableContext, run: Run, job: OriginalName | None = None) -> RunWithFacets:
    """Return a run with its facets."""
    row = tx.get_table("openlineage").read((run.urn, "run"))
    facets = {} if row is None else drop_deleted_facets(parse_stored_json(row["value"])["facets"])
    return RunWithFacets(run, job or read_openlineage_names(tx, [run.program])[run.program], facets)


def find_run_by_id(tx: TableContext, run_id: str) -> Run | None:
    """Return the run with this UUID as its id, if there is one."""
    return stored_runs.find_run_by_urn(tx, str(make_single_key_urn("dataProcessInstance", run_id)))


def _find_newest_run_of_job(tx: TableContext, program: str, job: OriginalName) -> RunWithFacets | None:
    for _, urn in stored_runs.list_run_positions_of_program(tx, program, None, 1):
        run = stored_runs.find_run_by_urn(tx, urn)
        return None if run is None else add_facets_to_run(tx, run, job)
    return None


def _filter_names_by_mode(
    accesses: Iterable[Any], names: Mapping[str, OriginalName], modes: tuple[str, ...]
) -> tuple[OriginalName, ...]:
    return tuple(sorted({names[access.data] for access in accesses if access.mode in modes}))


def _read_names_and_facets(
    tx: TableContext, urns: Iterable[str], spaces: Mapping[str, str] | None = None
) -> dict[str, tuple[OriginalName, Mapping[str, Any]]]:
    distinct = list(dict.fromkeys(urns))
    rows = tx.get_table("aspects").read_many([(urn, OPENLINEAGE_ASPECT) for urn in distinct])
    values = {row["urn"]: parse_stored_json(row["value"]) for row in rows if row["value"] is not None}
    described_by_urn: dict[str, tuple[OriginalName, Mapping[str, Any]]] = {}
    for urn in distinct:
        value = values.get(urn, {"names": [], "facets": {}})
        own = OriginalName((spaces or {}).get(urn) or "default", urn)
        described_by_urn[urn] = (
            OriginalName(**value["names"][0]) if value["names"] else own,
            drop_deleted_facets(value["facets"]),
        )
    return described_by_urn


def list_reported_entities(
    tx: TableContext, kind: str, namespace: str | None, limit: int, offset: int
) -> tuple[list[tuple[int, Row]], int]:
    """Return the rows of entities that OpenLineage reported, by namespace and name, and how many there are.

    Each row has the offset after it.
    """
    within = Range.prefix(kind) if namespace is None else Range.prefix(kind, namespace)
    table = tx.get_table("openlineage_names")
    places: dict[str, int] = {}
    for offset_after, row in enumerate(list(table.scan(within, limit + offset))[offset:], offset + 1):
        places.setdefault(row["urn"], offset_after)
    rows = {row["urn"]: row for row in tx.get_table("entities").read_many([(urn,) for urn in places])}
    return [(offset_after, rows[urn]) for urn, offset_after in places.items() if urn in rows], table.count([within])
