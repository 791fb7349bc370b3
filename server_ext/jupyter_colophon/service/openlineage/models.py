"""Jobs, datasets and runs by OpenLineage's names, with their facets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.identity.urn import simple
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.model.declared_lineage import OPENLINEAGE_ASPECT
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.core.openlineage.facets import standing
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import Range, Row, TableContext


@dataclass(frozen=True, slots=True)
class Thing:
    """A job or a dataset. Times are ms; `latest` is a job's newest run."""

    urn: str
    type: str
    spelling: Spelling
    short: str
    created: int
    updated: int
    deleted: bool
    facets: Mapping[str, Any]
    latest: "RunWithFacets | None" = None
    #: What its newest run read and wrote, or an event without a run.
    inputs: tuple[Spelling, ...] = ()
    outputs: tuple[Spelling, ...] = ()


@dataclass(frozen=True, slots=True)
class RunWithFacets:
    """A run with its facets."""

    run: Run
    job: Spelling
    facets: Mapping[str, Any] = field(default_factory=dict)


def spellings(tx: TableContext, urns: Iterable[str]) -> dict[str, Spelling]:
    """Return OpenLineage's names of these URNs; an entity that no event named has its URN as its name."""
    return {urn: spelling for urn, (spelling, _) in _described(tx, urns).items()}


def things(tx: TableContext, rows: Sequence[Row], *, runs: bool) -> list[Thing]:
    """Return the entities of these rows; with `runs`, jobs have their newest run with its inputs and outputs."""
    described = _described(tx, [row["urn"] for row in rows], {row["urn"]: row["namespace"] for row in rows})
    return [_thing(tx, row, *described[row["urn"]], runs=runs) for row in rows]


def _thing(tx: TableContext, row: Row, spelling: Spelling, facets: Mapping[str, Any], *, runs: bool) -> Thing:
    latest = _latest(tx, row["urn"], spelling) if runs and row["type"] == "dataJob" else None
    accesses = latest.run.accesses if latest is not None else ()
    names = spellings(tx, [one.data for one in accesses])
    return Thing(
        urn=row["urn"],
        type=row["type"],
        spelling=spelling,
        short=row["name"],
        created=row.get("created") or 0,
        updated=row.get("updated") or 0,
        deleted=bool(row["deleted"]),
        facets=facets,
        latest=latest,
        inputs=_of_mode(accesses, names, ("read", "both")),
        outputs=_of_mode(accesses, names, ("write", "both")),
    )


def measure_run(one: RunWithFacets) -> int:
    """Return the approximate size in bytes of a run in an answer."""
    return measure((one.facets, one.run.arguments))


def measure_thing(one: Thing) -> int:
    """Return the approximate size in bytes of a job or a dataset in an answer."""
    # A job has its newest run twice in Marquez's documents.
    latest = 0 if one.latest is None else 2 * measure_run(one.latest)
    return latest + measure((one.facets, [(name.namespace, name.name) for name in (*one.inputs, *one.outputs)]))


def with_facets(tx: TableContext, run: Run, job: Spelling | None = None) -> RunWithFacets:
    """Return a run with its facets."""
    row = tx.table("openlineage").read((run.urn, "run"))
    facets = {} if row is None else standing(stored(row["value"])["facets"])
    return RunWithFacets(run, job or spellings(tx, [run.program])[run.program], facets)


def run_of_id(tx: TableContext, run_id: str) -> Run | None:
    """Return the run with this UUID as its id, if there is one."""
    return stored_runs.run(tx, str(simple("dataProcessInstance", run_id)))


def _latest(tx: TableContext, program: str, job: Spelling) -> RunWithFacets | None:
    for _, urn in stored_runs.by_time(tx, program, None, 1):
        run = stored_runs.run(tx, urn)
        return None if run is None else with_facets(tx, run, job)
    return None


def _of_mode(accesses: Iterable[Any], names: Mapping[str, Spelling], modes: tuple[str, ...]) -> tuple[Spelling, ...]:
    return tuple(sorted({names[one.data] for one in accesses if one.mode in modes}))


def _described(
    tx: TableContext, urns: Iterable[str], spaces: Mapping[str, str] | None = None
) -> dict[str, tuple[Spelling, Mapping[str, Any]]]:
    distinct = list(dict.fromkeys(urns))
    rows = tx.table("aspects").multi_read([(urn, OPENLINEAGE_ASPECT) for urn in distinct])
    values = {row["urn"]: stored(row["value"]) for row in rows if row["value"] is not None}
    found: dict[str, tuple[Spelling, Mapping[str, Any]]] = {}
    for urn in distinct:
        value = values.get(urn, {"names": [], "facets": {}})
        own = Spelling((spaces or {}).get(urn) or "default", urn)
        found[urn] = Spelling(**value["names"][0]) if value["names"] else own, standing(value["facets"])
    return found


def named(
    tx: TableContext, kind: str, namespace: str | None, limit: int, offset: int
) -> tuple[list[tuple[int, Row]], int]:
    """Return the rows of entities that OpenLineage reported, by namespace and name, and how many there are.

    Each row has the offset after it.
    """
    within = Range.prefix(kind) if namespace is None else Range.prefix(kind, namespace)
    table = tx.table("openlineage_names")
    places: dict[str, int] = {}
    for offset_after, row in enumerate(list(table.scan(within, limit + offset))[offset:], offset + 1):
        places.setdefault(row["urn"], offset_after)
    rows = {row["urn"]: row for row in tx.table("entities").multi_read([(urn,) for urn in places])}
    return [(offset_after, rows[urn]) for urn, offset_after in places.items() if urn in rows], table.count([within])
