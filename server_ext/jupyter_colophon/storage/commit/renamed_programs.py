"""Move runs to a program's new name: their rows, lineage edges, snapshots and columns.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Sequence

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.commit.columns import replace_program_in_column_edges
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.renamed_runs import replace_entity_in_snapshots
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The number of runs whose accesses are read together.
_AT_ONCE = 200


def move_runs_to_program(commit: CommitBuilder, rows: Sequence[Row], old: str, new: str) -> None:
    """Move all runs of a program to another name of it, which may have runs of its own."""
    tx, runs = commit.tx, [str(row["urn"]) for row in rows]
    tx.edges.rename_node("program", old, new)
    data: set[str] = set()
    for at in range(0, len(runs), _AT_ONCE):
        part = [Range.prefix(run) for run in runs[at : at + _AT_ONCE]]
        accesses = tx.get_table("accesses").scan_ranges(part)
        data.update(row["data"] for row in accesses)
        replace_entity_in_snapshots(tx, runs[at : at + _AT_ONCE], old, new)
    for statement in _list_statements(tx, runs):
        flows = (statements.build_flow_node(name, statement) for name in (old, new))
        tx.edges.rename_node("program", *flows)
    _move_run_rows(tx, rows, new)
    replace_program_in_column_edges(commit, sorted(data), old, new)


def _list_statements(tx: TableContext, runs: Sequence[str]) -> list[str]:
    table = tx.get_table(statements.TABLE)
    names: set[str] = set()
    for at in range(0, len(runs), _AT_ONCE):
        rows = table.scan_ranges([Range.prefix(run) for run in runs[at : at + _AT_ONCE]])
        names.update(row["statement"] for row in rows)
    return sorted(names - {""})


def _move_run_rows(tx: TableContext, rows: Sequence[Row], new: str) -> None:
    table, times = tx.get_table("runs"), tx.get_table("run_times")
    existing = {row["run_id"] for row in table.read_many([(new, row["run_id"]) for row in rows])}
    table.delete_many([(row["program"], row["run_id"]) for row in rows])
    times.delete_many([(row["program"], row["start"], row["urn"]) for row in rows])
    # A run id that both programs have is replaced by the id in the run's URN, which no other run has.
    ids = {row["urn"]: Urn.parse(row["urn"]).parts[0] for row in rows if row["run_id"] in existing}
    table.upsert_many([row | {"program": new, "run_id": ids.get(row["urn"], row["run_id"])} for row in rows])
    times.upsert_many([{"program": new, "start": row["start"], "urn": row["urn"]} for row in rows])
