"""Migration 8: the source of cells is removed from the facts of their runs.

Earlier releases stored it, with every password that somebody typed; now its hash, the cell's name and its first comment
are stored. The answers that are kept for requests that are sent again hold the same facts.
"""

import json
from typing import Final
from zlib import decompress

from jupyter_colophon.core.credentials import mask_text
from jupyter_colophon.core.jsontext import compact, stored
from jupyter_colophon.storage import truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import Key, Row, TableContext

#: How many rows are read in one transaction, for which all other writers wait.
_AT_ONCE: Final = 100


def cell_sources() -> Migration:
    """Remove sources from runs, then from answers; a place is the table and the key of the last row that was read."""

    def step(tx: TableContext, place: str) -> str | None:
        table, *key = json.loads(place) if place else ["runs"]
        if table == "runs":
            runs = truth.runs_after(tx, tuple(key), _AT_ONCE)
            for run in runs:
                _clean_run(tx, run)
            last = (runs[-1]["program"], runs[-1]["run_id"]) if runs else None
            return json.dumps(["runs", *last] if last else ["answers"])
        last = _clean_answers(tx, tuple(key))
        return json.dumps(["answers", *last]) if last else None

    return Migration("remove the source of cells from runs", step)


def _clean_run(tx: TableContext, run: Row) -> None:
    facts = stored(run["facts"])
    # Only what kernels recorded: a program of somebody's may have a fact of this name.
    if "cellId" not in facts or "source" not in facts:
        return
    kept = {name: value for name, value in facts.items() if name != "source"}
    if isinstance(kept.get("step"), str):
        kept["step"] = mask_text(kept["step"])
    tx.table("runs").upsert(run | {"facts": compact(kept)})


def _clean_answers(tx: TableContext, after: Key) -> Key | None:
    """Delete the answers that hold a cell's source: a request that is sent again is then done again, to the same end."""
    table = tx.table("answers")
    rows = list(table.scan(truth.beyond(after), _AT_ONCE))
    for row in rows:
        answer = decompress(row["answer"])
        if b'"sourceHash"' in answer and b'"source"' in answer:
            table.delete((row["actor"], row["key"]))
    return (rows[-1]["actor"], rows[-1]["key"]) if rows else None
