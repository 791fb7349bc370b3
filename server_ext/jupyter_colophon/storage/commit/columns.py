"""Columns that a run made of columns: all that are known of a program, and what each of its runs made.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.spi import Range, Row

#: How many edges are looked up, and written, at once.
_AT_ONCE = 1_000
_KEY = ("target", "target_field", "source", "source_field", "program")
_RUN_KEY = ("target", "program", "run")


def record_columns(commit: Commit, run: Row, columns: Sequence[ColumnEdge], time: int | None = None) -> None:
    """Add to what is known: what an earlier run made stays what it made. `time` is when it was made, in ms."""
    made: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    rows: dict[tuple[str, ...], Row] = {}
    for edge in columns:
        target, source = str(edge.target), str(edge.source)
        made[target].add((edge.target_field, source, edge.source_field, edge.transformation))
        key = (target, edge.target_field, source, edge.source_field, run["program"])
        parts = {"transformation": edge.transformation, "run": run["urn"]}
        rows[key] = dict(zip(_KEY, key, strict=True)) | parts | {"last": commit.now if time is None else time}
    _keep_newest(commit, rows)
    for target, edges in made.items():
        _unite(commit, run, target, edges)


def hand_over_columns(commit: Commit, run: Row, program: str) -> None:
    """What a run made was made by another program than was known."""
    runs, known = commit.tx.table("column_runs"), commit.tx.table("column_edges")
    targets = {one["data"] for one in commit.tx.table("accesses").scan(Range.prefix(run["urn"]))}
    for target in sorted(targets):
        row = runs.read((target, run["program"], run["urn"]))
        if row is None:
            continue
        runs.delete((target, run["program"], run["urn"]))
        runs.upsert(row | {"program": program})
        others = {pair for one in _made(commit, target, run["program"]) for pair in one}
        for field, source, source_field, how in stored(row["edges"]):
            key = (target, field, source, source_field, run["program"])
            there = known.read(key)
            last = commit.now if there is None else there["last"]
            if (field, source, source_field) not in others:
                known.delete(key)
            new = {"transformation": how, "run": run["urn"], "last": last}
            _keep_newest(commit, {(*key[:4], program): dict(zip(_KEY, (*key[:4], program), strict=True)) | new})


def rename_columns(commit: Commit, old: str, new: str) -> None:
    """Put one dataset in the place of another in all that runs made of columns."""
    known, runs = commit.tx.table("column_edges"), commit.tx.table("column_runs")
    edges = [*known.scan(Range.prefix(old)), *known.scan_index("source", old)]
    pairs = sorted({(row["target"], row["program"]) for row in edges})
    made = [
        row for pair in pairs for row in runs.scan(Range.prefix(*pair)) if row["target"] == old or old in row["edges"]
    ]
    known.multi_delete(sorted({_key(row, _KEY) for row in edges}))
    runs.multi_delete([_key(row, _RUN_KEY) for row in made])
    renamed = [row | {end: _one(row[end], old, new) for end in ("target", "source")} for row in edges]
    _keep_newest(commit, {_key(row, _KEY): row for row in renamed})
    moved = {_key(row, _RUN_KEY): row for row in (_renamed_run(row, old, new) for row in made)}
    # A run may have made columns of both.
    for there in runs.multi_read([*moved]):
        row = moved[_key(there, _RUN_KEY)]
        row["edges"] = compact(sorted(tuple(edge) for edge in (*stored(row["edges"]), *stored(there["edges"]))))
    runs.upsert_all([*moved.values()])


def _renamed_run(row: Row, old: str, new: str) -> Row:
    edges = {(field, _one(source, old, new), *how) for field, source, *how in stored(row["edges"])}
    return row | {"target": _one(row["target"], old, new), "edges": compact(sorted(edges))}


def _key(row: Row, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row[name] for name in names)


def replace_columns(commit: Commit, old: str, new: str, is_told: Callable[[str], bool]) -> None:
    """One dataset for another in what the runs made of which it `is_told`."""
    known = commit.tx.table("column_edges")
    found = [*known.scan(Range.prefix(old)), *known.scan_index("source", old)]
    rows = {tuple(row[name] for name in _KEY): row for row in found}
    moving = {key: row for key, row in rows.items() if is_told(row["run"])}
    for target, program in sorted({(row["target"], row["program"]) for row in rows.values()}):
        for key, made in _replaced(commit, target, program, (old, new), is_told):
            # Of an edge that somebody asserts as well, the row names who does.
            if key in rows:
                moving.setdefault(key, rows[key] | made)
    known.multi_delete([key for key, row in rows.items() if is_told(row["run"])])
    for row in moving.values():
        moved = row | {end: _one(row[end], old, new) for end in ("target", "source")}
        _keep_newest(commit, {tuple(moved[name] for name in _KEY): moved})


def _replaced(
    commit: Commit, target: str, program: str, ends: tuple[str, str], is_told: Callable[[str], bool]
) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Replace data in what each run of a program made of a target; the keys of the edges before, and what the run says."""
    runs = commit.tx.table("column_runs")
    for one in [one for one in runs.scan(Range.prefix(target, program)) if is_told(one["run"])]:
        edges = stored(one["edges"])
        runs.delete((target, program, one["run"]))
        swapped = {(field, _one(source, *ends), *how) for field, source, *how in edges}
        _unite(commit, {"program": program, "urn": one["run"]}, _one(target, *ends), swapped)
        for field, source, source_field, how in edges:
            yield (target, field, source, source_field, program), {"run": one["run"], "transformation": how}


def _one(urn: str, old: str, new: str) -> str:
    return new if urn == old else urn


def _made(commit: Commit, target: str, program: str) -> Iterator[set[tuple[str, str, str]]]:
    for row in commit.tx.table("column_runs").scan(Range.prefix(target, program)):
        yield {(field, source, source_field) for field, source, source_field, _ in stored(row["edges"])}


def _keep_newest(commit: Commit, rows: dict[tuple[str, ...], Row]) -> None:
    """Write these edges, but where a later one is known."""
    table, keys = commit.tx.table("column_edges"), list(rows)
    for at in range(0, len(keys), _AT_ONCE):
        part = keys[at : at + _AT_ONCE]
        there = {tuple(row[name] for name in _KEY): row for row in table.multi_read(part)}
        table.upsert_all([rows[key] for key in part if key not in there or _newness(there[key]) <= _newness(rows[key])])


def _newness(row: Row) -> tuple[int, str, str]:
    return row["last"], row["run"], row["transformation"]


def _unite(commit: Commit, run: Row, target: str, edges: set[tuple[str, ...]]) -> None:
    table = commit.tx.table("column_runs")
    there = table.read((target, run["program"], run["urn"]))
    known = {tuple(edge) for edge in stored(there["edges"])} if there is not None else set()
    table.upsert(
        {"target": target, "program": run["program"], "run": run["urn"], "edges": compact(sorted(known | edges))}
    )
