"""Move runs to a dataset's new name: accesses, statements, snapshots and columns.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from jupyter_colophon.core.errors import RenameConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.commit.columns import replace_dataset_in_column_edges
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.merge_by_location import move_run_facets_to_dataset
from jupyter_colophon.storage.lineage import run_accesses, statements
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.lineage.table_versions import merge_table_versions
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The number of runs that are moved together.
_AT_ONCE = 200
_ACCESS_KEY = ("run", "data", "mode", "component")
_STATEMENT_KEY = ("run", "data", "mode", "component", "statement")


def require_data_of_no_other_kernel(commit: CommitBuilder, data: Urn, runs: Sequence[str]) -> None:
    """Raise RenameConflict if a kernel renames data that another running kernel has accessed.

    Sessions share the names of an in-memory Spark catalog, but the other session's table keeps its name.
    """
    own = commit.principal.via
    if own is None:
        return
    others = {row["via"] for row in run_accesses.read_run_rows(commit.tx, runs, ["via"]).values()} - {None, own}
    if any(stored_runs.list_unfinished_runs_of_kernel(commit.tx, via) for via in sorted(others)):
        raise RenameConflict(str(data), "another running kernel has accessed it")


def replace_dataset_in_runs(commit: CommitBuilder, runs: Sequence[str], old: str, new: str) -> None:
    """Replace one dataset by another in everything these runs recorded."""
    tx = commit.tx
    tx.edges.rename_node("data", old, new)
    for at in range(0, len(runs), _AT_ONCE):
        part = runs[at : at + _AT_ONCE]
        _replace_dataset_in_accesses(tx, part, old, new)
        _rename_statements(tx, run_accesses.read_run_rows(tx, part), old, new)
        replace_entity_in_snapshots(tx, part, old, new)
        parts = [(run, f"{mode} {old}") for run in part for mode in ("read", "write")]
        for run in sorted({row["subject"] for row in tx.get_table("openlineage").read_many(parts)}):
            move_run_facets_to_dataset(commit, run, old, new)
    replace_dataset_in_column_edges(commit, old, new)


def _replace_dataset_in_accesses(tx: TableContext, runs: Sequence[str], old: str, new: str) -> None:
    table = tx.get_table("accesses")
    rows = list(table.scan_ranges([Range.prefix(run, old) for run in runs]))
    table.delete_many([_get_row_key(row, _ACCESS_KEY) for row in rows])
    moved = {_get_row_key(row | {"data": new}, _ACCESS_KEY): row | {"data": new} for row in rows}
    existing = {_get_row_key(row, _ACCESS_KEY): row for row in table.read_many([*moved])}
    table.upsert_many([_merge_access_rows(row, existing.get(key)) for key, row in moved.items()])


def _merge_access_rows(row: Row, existing: Row | None) -> Row:
    """Merge two accesses of the same kind."""
    if existing is None:
        return row
    recorded = [access["first"] if access["recorded"] is None else access["recorded"] for access in (row, existing)]
    return row | {
        "first": min(row["first"], existing["first"]),
        "last": max(row["last"], existing["last"]),
        "recorded": min(recorded),
        "table_versions": merge_table_versions([existing, row]),
    }


def _rename_statements(tx: TableContext, runs: Mapping[str, Row], old: str, new: str) -> None:
    """Rename the statements that accessed the data, as a statement's name depends on its data."""
    table = tx.get_table(statements.TABLE)
    members: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in table.scan_ranges([Range.prefix(run) for run in runs]):
        members[row["run"], row["statement"]].append(row)
    before: list[Row] = []
    after: list[Row] = []
    flows: dict[str, str] = {}
    for (run, statement), rows in members.items():
        if all(row["data"] != old for row in rows):
            continue
        moved = [row | {"data": new} if row["data"] == old else row for row in rows]
        name = statements.derive_statement_name((row["mode"], row["data"]) for row in moved) if statement else ""
        before += rows
        after += [row | {"statement": name} for row in moved]
        if statement:
            program = runs[run]["program"]
            flows[statements.build_flow_node(program, statement)] = statements.build_flow_node(program, name)
    table.delete_many([_get_row_key(row, _STATEMENT_KEY) for row in before])
    table.upsert_many(after)
    for flow, renamed in flows.items():
        tx.edges.rename_node("program", flow, renamed)


def replace_entity_in_snapshots(tx: TableContext, runs: Sequence[str], old: str, new: str) -> None:
    """Replace one entity by another in the snapshots of these runs."""
    table = tx.get_table("snapshots")
    rows = table.read_many([(run, old) for run in runs])
    table.delete_many([(row["run"], old) for row in rows])
    existing_runs = {row["run"] for row in table.read_many([(run, new) for run in runs])}
    table.upsert_many([row | {"entity": new} for row in rows if row["run"] not in existing_runs])


def _get_row_key(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(row[name] for name in names)
