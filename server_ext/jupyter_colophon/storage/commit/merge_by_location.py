"""Data that were known by the place of their files turn out to be a table of the catalog: what events told goes there.

Only `service/write_path.py` may import this module.
"""

from typing import Any

from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import EVER
from jupyter_colophon.core.lineage.run import Access
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.openlineage.described import ASPECT
from jupyter_colophon.core.openlineage.facets import merged
from jupyter_colophon.storage.commit.columns import replace_columns
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.runs import record_access
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.spi import Range, Row

#: So many runs go along, the newest first: others wait for the transaction. Older ones stay with the place.
RUNS_MOST = 1_000


def hand_over_data(commit: Commit, place: Urn, table: Urn, with_system: bool) -> bool:
    """Give a table the accesses, columns and lineage that events told of its place; whether others are left there."""
    old, new = str(place), str(table)
    found = [run for _, run in commit.tx.edges.runs_of(old, EVER, RUNS_MOST, None)]
    marks = {
        run: mark
        for run in found
        if (mark := declared_lineage.parse_version_mark(run)) is not None and mark[1] == ASPECT
    }
    for urn in sorted({urn for urn, *_ in marks.values()} - {old}):
        _say_of(commit, Urn.parse(urn), old, new)
    told = [run for run in found if _is_told(commit, run)]
    for run in told:
        _touch(commit, run, table, old, with_system)
    replace_columns(commit, old, new, lambda run: _is_told(commit, run))
    return len(found) == RUNS_MOST or len(found) > len(marks) + len(told)


def _is_told(commit: Commit, run: str) -> bool:
    return commit.tx.table("openlineage").read((run, "run"), ("part",)) is not None


def _say_of(commit: Commit, urn: Urn, old: str, new: str) -> None:
    """Events without a run told of the place in what is said of a job, or of other data."""
    value = commit.current(urn, ASPECT)
    if value is not None and "lineage" in value:
        said = {**value, "lineage": swapped(value["lineage"], old, new)}
        commit.put(urn, commit.registry.aspect(urn.type, ASPECT), said)


def swapped(value: Any, old: str, new: str) -> Any:
    """A value with one URN for another."""
    if isinstance(value, dict):
        return {name: swapped(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        found = [swapped(one, old, new) for one in value]
        return sorted(set(found)) if all(isinstance(one, str) for one in found) else found
    return new if value == old else value


def _touch(commit: Commit, urn: str, table: Urn, old: str, with_system: bool) -> None:
    accesses, told = commit.tx.table("accesses"), statements.statements_of_run(commit.tx, urn)
    run = next(iter(commit.tx.table("runs").scan_index("urn", urn, 1)))
    for row in list(accesses.scan(Range.prefix(urn, old))):
        accesses.delete((urn, old, row["mode"], row["component"]))
        belongs = told.get((old, row["mode"], row["component"]), [""])
        for time in (row["first"], row["last"]):
            access = Access(table, row["mode"], row["component"], time=time)
            for statement in belongs:
                record_access(commit, run, access, with_system, statement)
        commit.tx.table(statements.TABLE).delete_all(Range.prefix(urn, old, row["mode"], row["component"]))
    move_facets(commit, urn, old, str(table))
    commit.tx.edges.forget(urn)
    statements.add_links(commit.tx, statements.links_of_run(commit.tx, run))


def move_facets(commit: Commit, run: str, old: str, new: str) -> None:
    """Move the facets of data that hold in this run alone to other data."""
    table = commit.tx.table("openlineage")
    for mode in ("read", "write"):
        row = table.read((run, f"{mode} {old}"))
        if row is None:
            continue
        table.delete((run, row["part"]))
        said, there = stored(row["value"]), _own(table.read((run, f"{mode} {new}")))
        facets, stamps = there["facets"], there["stamps"]
        for name, facet in said["facets"].items():
            facets, stamps = merged(facets, stamps, {name: facet}, said["stamps"].get(name, 0))
        kept = compact({"facets": facets, "stamps": stamps})
        table.upsert({"subject": run, "part": f"{mode} {new}", "value": kept})


def _own(row: Row | None) -> dict[str, Any]:
    found: dict[str, Any] = {"facets": {}, "stamps": {}} if row is None else stored(row["value"])
    return found
