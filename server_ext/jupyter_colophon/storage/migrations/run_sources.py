"""Remove the source of cells from the facts of their runs.

Version e8b857e stored it, with every password in it; now its hash, the cell's name and its first comment are stored.
Stored results of repeated requests have the same facts.
"""

from typing import Final
from zlib import decompress

from jupyter_colophon.core.credentials import mask_secrets_in_text
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.spi import Key, Row, TableContext

#: The number of rows in one transaction, which blocks all other writers.
_AT_ONCE: Final = 100


def remove_cell_sources_from_runs(tx: TableContext, after: Key) -> Key | None:
    """Remove the source from some runs after a key; returns the last key, None at the end."""
    runs = sources_of_truth.list_run_rows_after(tx, after, _AT_ONCE)
    for run in runs:
        _remove_cell_source_from_run(tx, run)
    return (runs[-1]["program"], runs[-1]["run_id"]) if runs else None


def delete_results_with_cell_source(tx: TableContext, after: Key) -> Key | None:
    """Delete the results with a cell's source: a repeated request is then applied again, with the same outcome."""
    table = tx.get_table("idempotency_results")
    rows = list(table.scan(sources_of_truth.build_range_after_key(after), _AT_ONCE))
    for row in rows:
        result = decompress(row["result"])
        if b'"sourceHash"' in result and b'"source"' in result:
            table.delete((row["actor"], row["key"]))
    return (rows[-1]["actor"], rows[-1]["key"]) if rows else None


def _remove_cell_source_from_run(tx: TableContext, run: Row) -> None:
    facts = parse_stored_json(run["facts"])
    # Only runs that kernels recorded: other programs may have a fact of this name.
    if "cellId" not in facts or "source" not in facts:
        return
    facts_left = {name: value for name, value in facts.items() if name != "source"}
    if isinstance(facts_left.get("step"), str):
        facts_left["step"] = mask_secrets_in_text(facts_left["step"])
    tx.get_table("runs").upsert(run | {"facts": encode_canonical_json(facts_left)})
