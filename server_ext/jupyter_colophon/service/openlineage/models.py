"""Jobs, datasets and runs as OpenLineage's readers know them: by OpenLineage's names, with their facets."""

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
    latest: "ToldRun | None" = None
    #: What its newest run, or an event without one, read and wrote.
    inputs: tuple[Spelling, ...] = ()
    outputs: tuple[Spelling, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldRun:
    """A run with its facets."""

    run: Run
    job: Spelling
    facets: Mapping[str, Any] = field(default_factory=dict)


def spellings(tx: TableContext, urns: Iterable[str]) -> dict[str, Spelling]:
    """What OpenLineage calls these; what it never told of has its URN for a name."""
    return {urn: told[0] for urn, told in _described(tx, urns).items()}


def things(tx: TableContext, rows: Sequence[Row], *, runs: bool) -> list[Thing]:
    """These entities, of which we have the rows; with `runs` jobs have their newest run and what that touched."""
    told = _described(tx, [row["urn"] for row in rows], {row["urn"]: row["namespace"] for row in rows})
    return [_thing(tx, row, *told[row["urn"]], runs=runs) for row in rows]


def _thing(tx: TableContext, row: Row, spelling: Spelling, facets: Mapping[str, Any], *, runs: bool) -> Thing:
    latest = _latest(tx, row["urn"], spelling) if runs and row["type"] == "dataJob" else None
    touched = latest.run.accesses if latest is not None else ()
    names = spellings(tx, [one.data for one in touched])
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
        inputs=_of_mode(touched, names, ("read", "both")),
        outputs=_of_mode(touched, names, ("write", "both")),
    )


def measure_run(one: ToldRun) -> int:
    """Return about how many bytes a run takes in an answer."""
    return measure((one.facets, one.run.arguments))


def measure_thing(one: Thing) -> int:
    """Return about how many bytes a job or a dataset takes in an answer."""
    # A job has its newest run twice in Marquez's documents.
    latest = 0 if one.latest is None else 2 * measure_run(one.latest)
    return latest + measure((one.facets, [(name.namespace, name.name) for name in (*one.inputs, *one.outputs)]))


def told_run(tx: TableContext, run: Run, job: Spelling | None = None) -> ToldRun:
    """A run with what OpenLineage said of it."""
    kept = tx.table("openlineage").read((run.urn, "run"))
    facets = {} if kept is None else standing(stored(kept["value"])["facets"])
    return ToldRun(run, job or spellings(tx, [run.program])[run.program], facets)


def run_of_id(tx: TableContext, run_id: str) -> Run | None:
    """A run by the UUID that is its id."""
    return stored_runs.run(tx, str(simple("dataProcessInstance", run_id)))


def _latest(tx: TableContext, program: str, job: Spelling) -> ToldRun | None:
    for _, urn in stored_runs.by_time(tx, program, None, 1):
        run = stored_runs.run(tx, urn)
        return None if run is None else told_run(tx, run, job)
    return None


def _of_mode(touched: Iterable[Any], names: Mapping[str, Spelling], modes: tuple[str, ...]) -> tuple[Spelling, ...]:
    return tuple(sorted({names[one.data] for one in touched if one.mode in modes}))


def _described(
    tx: TableContext, urns: Iterable[str], spaces: Mapping[str, str] | None = None
) -> dict[str, tuple[Spelling, Mapping[str, Any]]]:
    asked = list(dict.fromkeys(urns))
    rows = tx.table("aspects").multi_read([(urn, OPENLINEAGE_ASPECT) for urn in asked])
    values = {row["urn"]: stored(row["value"]) for row in rows if row["value"] is not None}
    found: dict[str, tuple[Spelling, Mapping[str, Any]]] = {}
    for urn in asked:
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
    for place, row in enumerate(list(table.scan(within, limit + offset))[offset:], offset + 1):
        places.setdefault(row["urn"], place)
    rows = {row["urn"]: row for row in tx.table("entities").multi_read([(urn,) for urn in places])}
    return [(place, rows[urn]) for urn, place in places.items() if urn in rows], table.count([within])
