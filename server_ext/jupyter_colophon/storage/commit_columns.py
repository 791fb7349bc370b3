"""Columns that a run made of columns: all that are known of a program, and what each of its runs made.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Sequence

from jupyter_colophon.core.jsontext import compact, stored
from jupyter_colophon.core.run import ColumnEdge
from jupyter_colophon.storage.commit import Commit
from jupyter_colophon.storage.spi import Row


def record_columns(commit: Commit, run: Row, columns: Sequence[ColumnEdge]) -> None:
    """Add to what is known: what an earlier run made stays what it made."""
    known = commit.tx.table("column_edges")
    made: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for edge in columns:
        target, source = str(edge.target), str(edge.source)
        made[target].add((edge.target_field, source, edge.source_field, edge.transformation))
        known.upsert(
            {
                "target": target,
                "target_field": edge.target_field,
                "source": source,
                "source_field": edge.source_field,
                "program": run["program"],
                "transformation": edge.transformation,
                "run": run["urn"],
                "last": commit.now,
            }
        )
    for target, edges in made.items():
        _unite(commit, run, target, edges)


def _unite(commit: Commit, run: Row, target: str, edges: set[tuple[str, ...]]) -> None:
    table = commit.tx.table("column_runs")
    there = table.read((target, run["program"], run["urn"]))
    known = {tuple(edge) for edge in stored(there["edges"])} if there is not None else set()
    table.upsert(
        {"target": target, "program": run["program"], "run": run["urn"], "edges": compact(sorted(known | edges))}
    )
