"""What runs did with a dataset that gets another name: accesses, statements, snapshots and columns go along.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from jupyter_colophon.core.errors import RenameConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.commit.columns import rename_columns
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.merge_by_location import move_facets
from jupyter_colophon.storage.lineage import run_accesses, statements
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: So many runs are looked at together.
_AT_ONCE = 200
_ACCESS_KEY = ("run", "data", "mode", "component")
_STATEMENT_KEY = ("run", "data", "mode", "component", "statement")


def require_own(commit: Commit, data: Urn, runs: Sequence[str]) -> None:
    """Raise RenameConflict where a kernel renames data that another one, which still runs, has touched.

    The names of a Spark catalog in memory are shared by sessions: the other one's table keeps its name.
    """
    own = commit.principal.via
    if own is None:
        return
    others = {row["via"] for row in run_accesses.runs_named(commit.tx, runs).values()} - {None, own}
    if any(stored_runs.going_on(commit.tx, via) for via in sorted(others)):
        raise RenameConflict(str(data), "another kernel, which still runs, has touched it")


def move_runs(commit: Commit, runs: Sequence[str], old: str, new: str) -> None:
    """Put one dataset in the place of another in all that these runs did."""
    tx = commit.tx
    tx.edges.rename("data", old, new)
    for at in range(0, len(runs), _AT_ONCE):
        part = runs[at : at + _AT_ONCE]
        _move_accesses(tx, part, old, new)
        _move_statements(tx, run_accesses.runs_named(tx, part), old, new)
        _move_snapshots(tx, part, old, new)
        parts = [(run, f"{mode} {old}") for run in part for mode in ("read", "write")]
        for run in sorted({row["subject"] for row in tx.table("openlineage").multi_read(parts)}):
            move_facets(commit, run, old, new)
    rename_columns(commit, old, new)


def _move_accesses(tx: TableContext, runs: Sequence[str], old: str, new: str) -> None:
    table = tx.table("accesses")
    rows = list(table.multi_scan([Range.prefix(run, old) for run in runs]))
    table.multi_delete([_key(row, _ACCESS_KEY) for row in rows])
    moved = {_key(row | {"data": new}, _ACCESS_KEY): row | {"data": new} for row in rows}
    there = {_key(row, _ACCESS_KEY): row for row in table.multi_read([*moved])}
    table.upsert_all([_unite(row, there.get(key)) for key, row in moved.items()])


def _unite(row: Row, there: Row | None) -> Row:
    """Return one access for two of the same kind."""
    if there is None:
        return row
    recorded = [one["first"] if one["recorded"] is None else one["recorded"] for one in (row, there)]
    return row | {
        "first": min(row["first"], there["first"]),
        "last": max(row["last"], there["last"]),
        "recorded": min(recorded),
    }


def _move_statements(tx: TableContext, runs: Mapping[str, Row], old: str, new: str) -> None:
    """Give statements that touched the data the name that the same statement has from now on."""
    table = tx.table(statements.TABLE)
    members: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in table.multi_scan([Range.prefix(run) for run in runs]):
        members[row["run"], row["statement"]].append(row)
    before: list[Row] = []
    after: list[Row] = []
    flows: dict[str, str] = {}
    for (run, statement), rows in members.items():
        if all(row["data"] != old for row in rows):
            continue
        moved = [row | {"data": new} if row["data"] == old else row for row in rows]
        name = statements.name_statement((row["mode"], row["data"]) for row in moved) if statement else ""
        before += rows
        after += [row | {"statement": name} for row in moved]
        if statement:
            program = runs[run]["program"]
            flows[statements.flow_of(program, statement)] = statements.flow_of(program, name)
    table.multi_delete([_key(row, _STATEMENT_KEY) for row in before])
    table.upsert_all(after)
    for flow, renamed in flows.items():
        tx.edges.rename("program", flow, renamed)


def _move_snapshots(tx: TableContext, runs: Sequence[str], old: str, new: str) -> None:
    table = tx.table("snapshots")
    rows = table.multi_read([(run, old) for run in runs])
    table.multi_delete([(row["run"], old) for row in rows])
    there = {row["run"] for row in table.multi_read([(run, new) for run in runs])}
    table.upsert_all([row | {"entity": new} for row in rows if row["run"] not in there])


def _key(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(row[name] for name in names)
