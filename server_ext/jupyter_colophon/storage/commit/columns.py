"""Store column lineage: the edges of each program, and those that each run wrote.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.spi import Range, Row

#: The number of edges that are read and written at once.
_AT_ONCE = 1_000
_KEY = ("target", "target_field", "source", "source_field", "program")
_RUN_KEY = ("target", "program", "run")


def add_column_edges(commit: CommitBuilder, run: Row, columns: Sequence[ColumnEdge], time: int | None = None) -> None:
    """Add column edges; those of earlier runs are kept. `time` is when they were written, in ms."""
    by_target: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    rows: dict[tuple[str, ...], Row] = {}
    for edge in columns:
        target, source = str(edge.target), str(edge.source)
        by_target[target].add((edge.target_field, source, edge.source_field, edge.transformation))
        rows[target, edge.target_field, source, edge.source_field, run["program"]] = {
            "target": target,
            "target_field": edge.target_field,
            "source": source,
            "source_field": edge.source_field,
            "program": run["program"],
            "transformation": edge.transformation,
            "run": run["urn"],
            "last": commit.now if time is None else time,
        }
    _write_unless_newer_stored(commit, rows)
    for target, edges in by_target.items():
        _merge_edges_of_run(commit, run, target, edges)


def move_column_edges_to_program(commit: CommitBuilder, run: Row, program: str) -> None:
    """Move the column edges of a run to another program."""
    runs, table = commit.tx.get_table("column_runs"), commit.tx.get_table("column_edges")
    targets = {item["data"] for item in commit.tx.get_table("accesses").scan(Range.prefix(run["urn"]))}
    for target in sorted(targets):
        row = runs.read((target, run["program"], run["urn"]))
        if row is None:
            continue
        runs.delete((target, run["program"], run["urn"]))
        runs.upsert(row | {"program": program})
        others = {pair for item in _iterate_edges_of_runs(commit, target, run["program"]) for pair in item}
        for field, source, source_field, how in parse_stored_json(row["edges"]):
            key = (target, field, source, source_field, run["program"])
            stored_edge = table.read(key)
            last = commit.now if stored_edge is None else stored_edge["last"]
            if (field, source, source_field) not in others:
                table.delete(key)
            new = {"transformation": how, "run": run["urn"], "last": last}
            _write_unless_newer_stored(
                commit, {(*key[:4], program): dict(zip(_KEY, (*key[:4], program), strict=True)) | new}
            )


def replace_program_in_column_edges(commit: CommitBuilder, targets: Sequence[str], old: str, new: str) -> None:
    """Replace one program by another in the column edges of all runs into these targets."""
    edge_table, runs = commit.tx.get_table("column_edges"), commit.tx.get_table("column_runs")
    for target in targets:
        run_rows = list(runs.scan(Range.prefix(target, old)))
        if not run_rows:
            continue
        runs.delete_many([_get_row_key(row, _RUN_KEY) for row in run_rows])
        runs.upsert_many([row | {"program": new} for row in run_rows])
        edges = [row for row in edge_table.scan(Range.prefix(target)) if row["program"] == old]
        edge_table.delete_many([_get_row_key(row, _KEY) for row in edges])
        renamed = [row | {"program": new} for row in edges]
        _write_unless_newer_stored(commit, {_get_row_key(row, _KEY): row for row in renamed})


def replace_dataset_in_column_edges(commit: CommitBuilder, old: str, new: str) -> None:
    """Replace one dataset by another in the column edges of all runs."""
    edge_table, runs = commit.tx.get_table("column_edges"), commit.tx.get_table("column_runs")
    edges = [*edge_table.scan(Range.prefix(old)), *edge_table.scan_index("source", old)]
    pairs = sorted({(row["target"], row["program"]) for row in edges})
    moved_runs = [
        row for pair in pairs for row in runs.scan(Range.prefix(*pair)) if row["target"] == old or old in row["edges"]
    ]
    edge_table.delete_many(sorted({_get_row_key(row, _KEY) for row in edges}))
    runs.delete_many([_get_row_key(row, _RUN_KEY) for row in moved_runs])
    renamed = [row | {end: _replace_urn_if_equal(row[end], old, new) for end in ("target", "source")} for row in edges]
    _write_unless_newer_stored(commit, {_get_row_key(row, _KEY): row for row in renamed})
    moved = {
        _get_row_key(row, _RUN_KEY): row for row in (_rename_dataset_in_run_row(row, old, new) for row in moved_runs)
    }
    # A run may have columns of both.
    for stored_run in runs.read_many([*moved]):
        row = moved[_get_row_key(stored_run, _RUN_KEY)]
        row["edges"] = encode_canonical_json(
            sorted(tuple(edge) for edge in (*parse_stored_json(row["edges"]), *parse_stored_json(stored_run["edges"])))
        )
    runs.upsert_many([*moved.values()])


def _rename_dataset_in_run_row(row: Row, old: str, new: str) -> Row:
    edges = {
        (field, _replace_urn_if_equal(source, old, new), *how)
        for field, source, *how in parse_stored_json(row["edges"])
    }
    return row | {
        "target": _replace_urn_if_equal(row["target"], old, new),
        "edges": encode_canonical_json(sorted(edges)),
    }


def _get_row_key(row: Row, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([row[name] for name in names])


def replace_dataset_in_reported_column_edges(
    commit: CommitBuilder, old: str, new: str, is_reported: Callable[[str], bool]
) -> None:
    """Replace one dataset by another in the edges of runs for which `is_reported` returns True."""
    table = commit.tx.get_table("column_edges")
    affected = [*table.scan(Range.prefix(old)), *table.scan_index("source", old)]
    rows = {tuple(row[name] for name in _KEY): row for row in affected}
    moving = {key: row for key, row in rows.items() if is_reported(row["run"])}
    for target, program in sorted({(row["target"], row["program"]) for row in rows.values()}):
        for key, values in _replace_dataset_in_edges(commit, target, program, (old, new), is_reported):
            # An edge that is also declared has the declaring version in its row.
            if key in rows:
                moving.setdefault(key, rows[key] | values)
    table.delete_many([key for key, row in rows.items() if is_reported(row["run"])])
    for row in moving.values():
        moved = row | {end: _replace_urn_if_equal(row[end], old, new) for end in ("target", "source")}
        _write_unless_newer_stored(commit, {tuple(moved[name] for name in _KEY): moved})


def _replace_dataset_in_edges(
    commit: CommitBuilder, target: str, program: str, names: tuple[str, str], is_reported: Callable[[str], bool]
) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Replace a dataset in the edges of each run of a program into a target; yield the keys of the old edges and the
    run's values.
    """
    runs = commit.tx.get_table("column_runs")
    for row in [row for row in runs.scan(Range.prefix(target, program)) if is_reported(row["run"])]:
        edges = parse_stored_json(row["edges"])
        runs.delete((target, program, row["run"]))
        swapped = {(field, _replace_urn_if_equal(source, *names), *how) for field, source, *how in edges}
        _merge_edges_of_run(
            commit, {"program": program, "urn": row["run"]}, _replace_urn_if_equal(target, *names), swapped
        )
        for field, source, source_field, how in edges:
            yield (target, field, source, source_field, program), {"run": row["run"], "transformation": how}


def _replace_urn_if_equal(urn: str, old: str, new: str) -> str:
    return new if urn == old else urn


def _iterate_edges_of_runs(commit: CommitBuilder, target: str, program: str) -> Iterator[set[tuple[str, str, str]]]:
    for row in commit.tx.get_table("column_runs").scan(Range.prefix(target, program)):
        yield {(field, source, source_field) for field, source, source_field, _ in parse_stored_json(row["edges"])}


def _write_unless_newer_stored(commit: CommitBuilder, rows: dict[tuple[str, ...], Row]) -> None:
    """Write these edges unless a newer one is stored."""
    table, keys = commit.tx.get_table("column_edges"), list(rows)
    for at in range(0, len(keys), _AT_ONCE):
        part = keys[at : at + _AT_ONCE]
        stored_rows = {_get_row_key(row, _KEY): row for row in table.read_many(part)}
        table.upsert_many(
            [
                rows[key]
                for key in part
                if key not in stored_rows or _get_recency_of_row(stored_rows[key]) <= _get_recency_of_row(rows[key])
            ]
        )


def _get_recency_of_row(row: Row) -> tuple[int, str, str]:
    return row["last"], row["run"], row["transformation"]


def _merge_edges_of_run(commit: CommitBuilder, run: Row, target: str, edges: set[tuple[str, ...]]) -> None:
    table = commit.tx.get_table("column_runs")
    stored_run = table.read((target, run["program"], run["urn"]))
    stored_edges = {tuple(edge) for edge in parse_stored_json(stored_run["edges"])} if stored_run is not None else set()
    if stored_run is not None and edges <= stored_edges:
        return
    table.upsert(
        {
            "target": target,
            "program": run["program"],
            "run": run["urn"],
            "edges": encode_canonical_json(sorted(stored_edges | edges)),
        }
    )
