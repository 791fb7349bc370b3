"""Print where the CPU time of a bulk load into SQLite goes, by stage (`stages.py`), in microseconds an entity.

`python bench/bulk_costs.py --count 10000` loads the entities of `bulk.py` several times, and prints the minimum of each
stage. The clock adds about a microsecond to each call of a stage; the total is measured without it.
"""

import argparse
import logging
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import bulk
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection
from stages import StageClock, install_clock

ROUNDS = 5
_COMMIT, _INDEX = "jupyter_colophon.storage.commit.commit:CommitBuilder", "jupyter_colophon.storage.search.index"
_AUTHORIZATION = "jupyter_colophon.service.write_authorization:WriteAuthorization"
_LINEAGE, _TABLE = "jupyter_colophon.storage.lineage", "jupyter_colophon.storage.sql.table:SqlTable"
#: The functions of each stage, in the order in which a batch runs them.
STAGES = {
    "parse JSON": ("jupyter_colophon.core.documents.json_parsing:parse_json",),
    "parse proposals": ("jupyter_colophon.operations.native.documents:parse_proposal",),
    "batch: results, and what has no stage": ("jupyter_colophon.service.changes.loads:LoadService.apply_batch_once",),
    "authorize, validate": (f"{_AUTHORIZATION}.authorize_and_validate", f"{_AUTHORIZATION}.is_review_required"),
    "read entities that exist": (f"{_COMMIT}.load_entities_at_once",),
    "apply: conditions, present values": ("jupyter_colophon.service.write_path:WritePath._apply_and_return_error",),
    "apply: key aspect, status": (f"{_COMMIT}.create_entity_if_missing",),
    "apply: the aspect": (f"{_COMMIT}.write_aspect",),
    "finish: entities": (f"{_COMMIT}.write_changes_and_update_indexes", f"{_COMMIT}._build_search_change"),
    "search: values": (
        f"{_INDEX}:update_search_rows",
        f"{_INDEX}:_delete_rows_and_build_added_rows",
        f"{_INDEX}:collect_aspect_value_rows",
    ),
    "search: counters": (f"{_INDEX}:_count_value_changes", f"{_INDEX}:add_to_counters"),
    "search: words of a document": (f"{_INDEX}:build_search_document",),
    "search: texts of documents": ("jupyter_colophon.storage.sqlite.search:SqliteSearch.put_documents",),
    "search: compress texts": ("jupyter_colophon.storage.sqlite.compressed_texts:encode_compressed_text",),
    "relationships, declared lineage": (
        f"{_LINEAGE}.relationships:update_relationships",
        f"{_LINEAGE}.assertions:update_declared_lineage",
    ),
    "tables: check and sort rows": tuple(
        f"{_TABLE}.{name}" for name in ("upsert_many", "read_many", "increment_many", "decrement_many")
    ),
    "change log: rows to values": ("jupyter_colophon.storage.sqlite.log:SqliteLog.append_changes",),
    "SQLite: commit": ("jupyter_colophon.storage.sqlite.session:SqliteSession.commit",),
}


def main() -> None:
    """Measure, and print the table."""
    logging.disable(logging.WARNING)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    count = parser.parse_args().count
    total = min(_load_and_measure_cpu_us(count) for _ in range(ROUNDS))
    clock = StageClock()
    install_clock(clock, STAGES)
    _measure_statements(clock)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        clock.reset()
        _load_and_measure_cpu_us(count)
        for stage, (milliseconds, _) in clock.get_totals().items():
            best[stage] = min(best.get(stage, float("inf")), 1_000 * milliseconds / count)
    print("| stage | CPU us an entity |\n|---|---|")
    statements = sorted(best.keys() - STAGES.keys(), key=best.__getitem__, reverse=True)
    for stage in (*STAGES, *statements):
        if (taken := best.get(stage, 0.0)) >= 0.5:
            print(f"| {stage} | {taken:.1f} |")
    print(f"| all, without the clock | {total:.1f} |")


def _load_and_measure_cpu_us(count: int) -> float:
    """Load entities into a new store; return CPU microseconds an entity."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        file = bulk.write_parquet(folder / "entities.parquet", count)
        return 1e6 * bulk.load_with_colophon(choose_sqlite_store(folder / "ours.db"), file, count)[1] / count


def _measure_statements(clock: StageClock) -> None:
    """Measure each statement as a stage: its first words up to the table."""
    for name in ("execute", "execute_many"):
        run = getattr(GuardedConnection, name)

        def measured(self: Any, statement: str, bound: Any = (), run: Any = run) -> Any:
            first = statement.replace('"', "").partition("(")[0].split()[:3]
            return clock.run_in_stage(f"SQLite: {' '.join(first)}", partial(run, self, statement, bound))

        setattr(GuardedConnection, name, measured)


if __name__ == "__main__":
    main()
