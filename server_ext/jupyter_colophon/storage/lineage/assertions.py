"""Keep declared lineage in the lineage tables: an access lasts as long as its version of the aspect is in force.

Time windows therefore work as they do for runs (spec LINEAGE-2, LINEAGE-7), and the source is the history of the
aspect (core/model/declared_lineage.py). Column edges are stored for the newest version only; those of an earlier
version are read from that version.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.lineage.run import Transformation
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.declared_lineage import Column, DeclaredLineage
from jupyter_colophon.storage.lineage.renames import resolve_present_names
from jupyter_colophon.storage.spi import AccessLink, Range, Row, TableContext

_ORDER = ("data", "mode")
_KEY = ("target", "target_field", "source", "source_field", "program")
_AT_ONCE = 1_000


def update_declared_lineage(tx: TableContext, entity: Row, before: Mapping[str, Row], now: Mapping[str, Row]) -> None:
    """Update lineage from what an entity's aspects declared before to what they declare now."""
    for aspect in declared_lineage.list_declaring_aspects(entity["type"]):
        old, new = before.get(aspect), now.get(aspect)
        if new is not None and (old is None or old["version"] != new["version"]):
            _update_declared_edges_of_aspect(tx, entity, aspect, old, new)


def _update_declared_edges_of_aspect(tx: TableContext, entity: Row, aspect: str, before: Row | None, now: Row) -> None:
    urn, previous, declared = entity["urn"], DeclaredLineage(), _read_lineage_of_version(tx, aspect, entity["urn"], now)
    if before is not None and before["value"] is not None:
        previous = _read_lineage_of_version(tx, aspect, urn, before)
        run = declared_lineage.format_version_mark(urn, before["version"], aspect)
        if previous.datasets and now["time"] > before["time"]:
            tx.edges.set_run_stop(run, now["time"])
        elif previous.datasets:
            tx.edges.delete_run_links(run)
    _add_links_and_statements(tx, _derive_version_links(_DeclaringVersion(entity, aspect, now, declared), None))
    # Column edges declared by the same source are left unchanged: there may be many.
    same = before is not None and _get_program_urn_of_version(entity, before) == _get_program_urn_of_version(
        entity, now
    )
    if previous.columns:
        removed = previous.columns.keys() - ((declared.columns or {}).keys() if same else set())
        _delete_undeclared_columns(tx, _DeclaringVersion(entity, aspect, before or {}, previous), removed)
    previous_columns = previous.columns if same else None
    _write_column_rows(tx, _build_column_rows(_DeclaringVersion(entity, aspect, now, declared), previous_columns))


def derive_declared_links(tx: TableContext, entity: Row) -> dict[str, set[AccessLink]]:
    """Return the lineage edges that the history of an entity's aspects requires, by the mark that represents the run."""
    by_run = {}
    for aspect in declared_lineage.list_declaring_aspects(entity["type"]):
        versions = list(tx.get_table("aspect_versions").scan(Range.prefix(entity["urn"], aspect)))
        for at, version in enumerate(versions):
            stop = versions[at + 1]["time"] if at + 1 < len(versions) else None
            if stop is None or stop > version["time"]:
                declaring = _read_declaring_version(tx, entity, aspect, version)
                by_run[declaring.run] = _derive_version_links(declaring, stop)
    return {run: links for run, links in by_run.items() if links}


def derive_declared_column_rows(tx: TableContext, entity: Row) -> list[Row]:
    """Return the column edges that an entity's current aspects require."""
    rows: list[Row] = []
    for aspect in declared_lineage.list_declaring_aspects(entity["type"]):
        row = tx.get_table("aspects").read((entity["urn"], aspect))
        rows += _build_column_rows(_read_declaring_version(tx, entity, aspect, row)) if row is not None else []
    return rows


def are_column_rows_stored(tx: TableContext, rows: list[Row]) -> bool:
    """Return whether these column edges are stored, whoever declared them."""
    table = tx.get_table("column_edges")
    parts = (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE))
    return all(len(table.read_many([_get_column_row_key(row) for row in part])) == len(part) for part in parts)


def exists_version_of_mark(tx: TableContext, version_mark: str) -> bool:
    """Return whether a mark that represents a run belongs to an existing version that declares lineage."""
    mark = declared_lineage.parse_version_mark(version_mark)
    row = None if mark is None else tx.get_table("entities").read((mark[0],))
    return row is not None and version_mark in derive_declared_links(tx, row)


def rewrite_declared_lineage(tx: TableContext, urn: str) -> None:
    """Write the lineage that an entity's aspects declare."""
    entity = tx.get_table("entities").read((urn,))
    if entity is None:
        return
    for run, links in derive_declared_links(tx, entity).items():
        tx.edges.delete_run_links(run)
        _add_links_and_statements(tx, links)
    _write_column_rows(tx, derive_declared_column_rows(tx, entity))


@dataclass(frozen=True, slots=True)
class _DeclaringVersion:
    """A version of an aspect and the lineage that it declares."""

    entity: Row
    aspect: str
    version: Row
    lineage: DeclaredLineage

    @property
    def program(self) -> str:
        """Return the URN of the program that carries the edges."""
        return _get_program_urn_of_version(self.entity, self.version)

    @property
    def run(self) -> str:
        """Return the mark that represents a run."""
        return declared_lineage.format_version_mark(self.entity["urn"], self.version["version"], self.aspect)


def _get_program_urn_of_version(entity: Row, version: Row) -> str:
    return declared_lineage.get_program_urn_of_declared_edges(entity["urn"], entity["namespace"], version["actor"])


def _read_declaring_version(tx: TableContext, entity: Row, aspect: str, version: Row) -> _DeclaringVersion:
    return _DeclaringVersion(entity, aspect, version, _read_lineage_of_version(tx, aspect, entity["urn"], version))


def _derive_version_links(declaring: _DeclaringVersion, stop: int | None) -> set[AccessLink]:
    """Return the edges of one version, from its time on."""
    program, run, start = declaring.program, declaring.run, declaring.version["time"]
    return {AccessLink(data, program, mode, run, "", start, stop) for data, mode in declaring.lineage.datasets}


def _build_column_rows(
    declaring: _DeclaringVersion, unchanged: Mapping[Column, Transformation] | None = None
) -> list[Row]:
    """Return the column edges that one version declares, except those in `unchanged`."""
    known_columns = unchanged or {}
    program, more = declaring.program, {"run": declaring.run, "last": declaring.version["time"]}
    return [
        dict(zip(_KEY, (*column, program), strict=True)) | {"transformation": how} | more
        for column, how in (declaring.lineage.columns or {}).items()
        if known_columns.get(column) != how
    ]


def read_declaring_actors(tx: TableContext, runs: Iterable[str]) -> dict[str, str]:
    """Return the actor who wrote each version that represents a run."""
    marks = {run: mark for run in runs if (mark := declared_lineage.parse_version_mark(run)) is not None}
    rows = tx.get_table("aspect_versions").read_many(sorted(set(marks.values())))
    actors = {(row["urn"], row["aspect"], row["version"]): row["actor"] for row in rows}
    return {run: actors[mark] for run, mark in marks.items() if mark in actors}


def read_validity_times_of_versions(tx: TableContext, runs: Iterable[str]) -> dict[str, Row]:
    """Return when each version that represents a run was in force: `start` and `stop`, as a run has them."""
    marks = {run for run in runs if declared_lineage.parse_version_mark(run) is not None}
    links = {run: next(iter(tx.edges.list_links_of_run(run)), None) for run in marks}
    return {run: {"start": link.start, "stop": link.stop} for run, link in links.items() if link is not None}


def read_declared_columns(tx: TableContext, run: str) -> Mapping[Column, Transformation]:
    """Return the column edges that the version behind a mark declares."""
    mark = declared_lineage.parse_version_mark(run)
    if mark is None:
        return {}
    urn, aspect, number = mark
    version = tx.get_table("aspect_versions").read((urn, aspect, number))
    return {} if version is None else _read_lineage_of_version(tx, aspect, urn, version).columns or {}


def delete_declared_lineage(tx: TableContext, entity: Row, aspects: Mapping[str, Row], time: int) -> None:
    """Delete all lineage that the history of an entity's aspects declares."""
    ended = {name: row | {"version": row["version"] + 1, "value": None, "time": time} for name, row in aspects.items()}
    update_declared_lineage(tx, entity, aspects, ended)
    for run in derive_declared_links(tx, entity):
        tx.edges.delete_run_links(run)


def _read_lineage_of_version(tx: TableContext, aspect: str, urn: str, version: Row) -> DeclaredLineage:
    """Return the lineage that a version declares, with the present names of the other entities."""
    value = version["value"]
    lineage = declared_lineage.parse_declared_lineage(aspect, urn, None if value is None else parse_stored_json(value))
    data = {touched for touched, _ in lineage.datasets} - {urn}
    return lineage.rename_entities(names) if (names := resolve_present_names(tx, data, version["time"])) else lineage


def _delete_undeclared_columns(tx: TableContext, declaring: _DeclaringVersion, columns: Iterable[Column]) -> None:
    """Delete column edges that are no longer declared, unless a run of the same program wrote them as well."""
    table, program, declaring_aspect = (
        tx.get_table("column_edges"),
        declaring.program,
        (declaring.entity["urn"], declaring.aspect),
    )
    keys = [(*column, program) for column in columns]
    # Read each target once: thousands of columns may belong to a few targets.
    from_runs = {
        _get_column_row_key(row): row
        for target in {key[0] for key in keys}
        for row in _iterate_column_rows_of_runs(tx, target, program)
    }
    for at in range(0, len(keys), _AT_ONCE):
        rows = table.read_many(keys[at : at + _AT_ONCE])
        ours = [row for row in rows if (declared_lineage.parse_version_mark(row["run"]) or ())[:2] == declaring_aspect]
        table.delete_many([_get_column_row_key(row) for row in ours])
        table.upsert_many(
            [row | from_runs[_get_column_row_key(row)] for row in ours if _get_column_row_key(row) in from_runs]
        )


def _iterate_column_rows_of_runs(tx: TableContext, target: str, program: str) -> Iterator[Row]:
    """Yield the column edges that the runs of a program wrote; of several for one edge, any."""
    for row in tx.get_table("column_runs").scan(Range.prefix(target, program)):
        for field, source, source_field, how in parse_stored_json(row["edges"]):
            edge = dict(zip(_KEY, (target, field, source, source_field, program), strict=True))
            yield edge | {"run": row["run"], "transformation": how}


def _write_column_rows(tx: TableContext, rows: list[Row]) -> None:
    for at in range(0, len(rows), _AT_ONCE):
        tx.get_table("column_edges").upsert_many(rows[at : at + _AT_ONCE])


def _get_column_row_key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in _KEY)


def _add_links_and_statements(tx: TableContext, links: set[AccessLink]) -> None:
    for link in sorted(links, key=lambda item: tuple(getattr(item, name) for name in _ORDER)):
        tx.edges.record_access(*link)
