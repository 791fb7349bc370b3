"""What is asserted in the tables of lineage: an access for as long as a version of the aspect is in force.

So the rule of windows is that of runs (spec LINEAGE-2, LINEAGE-7), and the history of the aspect is the truth (core/model/declared_lineage.py).
Edges between columns are those of the newest version; what an earlier one said is read from that.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.lineage.run import Transformation
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.declared_lineage import Column, Told
from jupyter_colophon.storage.lineage.renames import resolve_names
from jupyter_colophon.storage.spi import Link, Range, Row, TableContext

_ORDER = ("data", "mode")
_KEY = ("target", "target_field", "source", "source_field", "program")
_AT_ONCE = 1_000


def follow(tx: TableContext, entity: Row, before: Mapping[str, Row], now: Mapping[str, Row]) -> None:
    """Bring lineage from what an entity's aspects said to what they say now."""
    for aspect in declared_lineage.asserting(entity["type"]):
        old, new = before.get(aspect), now.get(aspect)
        if new is not None and (old is None or old["version"] != new["version"]):
            _follow(tx, entity, aspect, old, new)


def _follow(tx: TableContext, entity: Row, aspect: str, before: Row | None, now: Row) -> None:
    urn, was, told = entity["urn"], Told(), _told(tx, aspect, entity["urn"], now)
    if before is not None and before["value"] is not None:
        was = _told(tx, aspect, urn, before)
        run = declared_lineage.while_in_force(urn, before["version"], aspect)
        if was.touched and now["time"] > before["time"]:
            tx.edges.stop(run, now["time"])
        elif was.touched:
            tx.edges.forget(run)
    _add(tx, _links(_Said(entity, aspect, now, told), None))
    # Columns that were said by the same source stay as they are: theirs may be many.
    same = before is not None and _program(entity, before) == _program(entity, now)
    if was.columns:
        gone = was.columns.keys() - ((told.columns or {}).keys() if same else set())
        _forget_columns(tx, _Said(entity, aspect, before or {}, was), gone)
    known = was.columns if same else None
    _write_columns(tx, _column_rows(_Said(entity, aspect, now, told), known))


def of_history(tx: TableContext, entity: Row) -> dict[str, set[Link]]:
    """What lineage has to know because of the history of an entity's aspects, by what stands for the run."""
    found = {}
    for aspect in declared_lineage.asserting(entity["type"]):
        versions = list(tx.table("aspect_versions").scan(Range.prefix(entity["urn"], aspect)))
        for at, version in enumerate(versions):
            stop = versions[at + 1]["time"] if at + 1 < len(versions) else None
            if stop is None or stop > version["time"]:
                said = _said(tx, entity, aspect, version)
                found[said.run] = _links(said, stop)
    return {run: told for run, told in found.items() if told}


def columns_of_entity(tx: TableContext, entity: Row) -> list[Row]:
    """The edges between columns that have to be known because of what an entity's aspects say."""
    rows: list[Row] = []
    for aspect in declared_lineage.asserting(entity["type"]):
        row = tx.table("aspects").read((entity["urn"], aspect))
        rows += _column_rows(_said(tx, entity, aspect, row)) if row is not None else []
    return rows


def are_known(tx: TableContext, rows: list[Row]) -> bool:
    """Whether these edges between columns are known, from these or from others."""
    table = tx.table("column_edges")
    parts = (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE))
    return all(len(table.multi_read([_key(row) for row in part])) == len(part) for part in parts)


def is_there(tx: TableContext, run: str) -> bool:
    """Whether what stands for a run stands for a version that says something."""
    told = declared_lineage.in_force(run)
    row = None if told is None else tx.table("entities").read((told[0],))
    return row is not None and run in of_history(tx, row)


def mend(tx: TableContext, urn: str) -> None:
    """Write what has to be in lineage because of an entity."""
    entity = tx.table("entities").read((urn,))
    if entity is None:
        return
    for run, told in of_history(tx, entity).items():
        tx.edges.forget(run)
        _add(tx, told)
    _write_columns(tx, columns_of_entity(tx, entity))


@dataclass(frozen=True, slots=True)
class _Said:
    """What one version of an aspect says."""

    entity: Row
    aspect: str
    version: Row
    told: Told

    @property
    def program(self) -> str:
        """Through what its edges go."""
        return _program(self.entity, self.version)

    @property
    def run(self) -> str:
        """What stands for a run."""
        return declared_lineage.while_in_force(self.entity["urn"], self.version["version"], self.aspect)


def _program(entity: Row, version: Row) -> str:
    return declared_lineage.carrier(entity["urn"], entity["namespace"], version["actor"])


def _said(tx: TableContext, entity: Row, aspect: str, version: Row) -> _Said:
    return _Said(entity, aspect, version, _told(tx, aspect, entity["urn"], version))


def _links(said: _Said, stop: int | None) -> set[Link]:
    """The edges of one version, from its time on."""
    program, run, start = said.program, said.run, said.version["time"]
    return {Link(data, program, mode, run, "", start, stop) for data, mode in said.told.touched}


def _column_rows(said: _Said, known: Mapping[Column, Transformation] | None = None) -> list[Row]:
    """The edges between columns of which one version speaks, but for those that are known."""
    there = known or {}
    program, more = said.program, {"run": said.run, "last": said.version["time"]}
    return [
        dict(zip(_KEY, (*column, program), strict=True)) | {"transformation": how} | more
        for column, how in (said.told.columns or {}).items()
        if there.get(column) != how
    ]


def speakers(tx: TableContext, runs: Iterable[str]) -> dict[str, str]:
    """Who said what is in force, of those that stand for runs."""
    told = {run: one for run in runs if (one := declared_lineage.in_force(run)) is not None}
    rows = tx.table("aspect_versions").multi_read(sorted(set(told.values())))
    actors = {(row["urn"], row["aspect"], row["version"]): row["actor"] for row in rows}
    return {run: actors[one] for run, one in told.items() if one in actors}


def spans(tx: TableContext, runs: Iterable[str]) -> dict[str, Row]:
    """When what stands for a run was in force: `start` and `stop`, as a run has them."""
    marks = {run for run in runs if declared_lineage.in_force(run) is not None}
    links = {run: next(iter(tx.edges.of_run(run)), None) for run in marks}
    return {run: {"start": one.start, "stop": one.stop} for run, one in links.items() if one is not None}


def columns_in_force(tx: TableContext, run: str) -> Mapping[Column, Transformation]:
    """The edges between columns of which the version speaks that stands for a run."""
    told = declared_lineage.in_force(run)
    if told is None:
        return {}
    urn, aspect, number = told
    version = tx.table("aspect_versions").read((urn, aspect, number))
    return {} if version is None else _told(tx, aspect, urn, version).columns or {}


def forget_all(tx: TableContext, entity: Row, aspects: Mapping[str, Row], time: int) -> None:
    """Remove all that the history of an entity's aspects asserts."""
    ended = {name: row | {"version": row["version"] + 1, "value": None, "time": time} for name, row in aspects.items()}
    follow(tx, entity, aspects, ended)
    for run in of_history(tx, entity):
        tx.edges.forget(run)


def _told(tx: TableContext, aspect: str, urn: str, version: Row) -> Told:
    """What a version says, with the present names of the other entities that it meant."""
    value = version["value"]
    told = declared_lineage.told(aspect, urn, None if value is None else stored(value))
    data = {touched for touched, _ in told.touched} - {urn}
    return told.renamed(names) if (names := resolve_names(tx, data, version["time"])) else told


def _forget_columns(tx: TableContext, said: _Said, columns: Iterable[Column]) -> None:
    """Take away what is said no more, unless a run of the same program says it as well."""
    table, program, which = tx.table("column_edges"), said.program, (said.entity["urn"], said.aspect)
    keys = [(*column, program) for column in columns]
    # Those of a target are asked for once: all columns of thousands may be of a few.
    made = {_key(row): row for target in {key[0] for key in keys} for row in _made(tx, target, program)}
    for at in range(0, len(keys), _AT_ONCE):
        found = table.multi_read(keys[at : at + _AT_ONCE])
        ours = [row for row in found if (declared_lineage.in_force(row["run"]) or ())[:2] == which]
        table.multi_delete([_key(row) for row in ours])
        table.upsert_all([row | made[_key(row)] for row in ours if _key(row) in made])


def _made(tx: TableContext, target: str, program: str) -> Iterator[Row]:
    """The edges between columns that the runs of a program made; of several of one, any."""
    for one in tx.table("column_runs").scan(Range.prefix(target, program)):
        for field, source, source_field, how in stored(one["edges"]):
            edge = dict(zip(_KEY, (target, field, source, source_field, program), strict=True))
            yield edge | {"run": one["run"], "transformation": how}


def _write_columns(tx: TableContext, rows: list[Row]) -> None:
    for at in range(0, len(rows), _AT_ONCE):
        tx.table("column_edges").upsert_all(rows[at : at + _AT_ONCE])


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in _KEY)


def _add(tx: TableContext, told: set[Link]) -> None:
    for link in sorted(told, key=lambda one: tuple(getattr(one, name) for name in _ORDER)):
        tx.edges.add(*link)
