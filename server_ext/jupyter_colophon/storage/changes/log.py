"""Read the change log."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes.log_bytes import measure_change_bytes
from jupyter_colophon.storage.spi import Row, TableContext


def list_changes_after(tx: TableContext, after: int, limit: int, filters: Mapping[str, str]) -> list[Change]:
    """Return changes after a number, oldest first."""
    return [_parse_change(row) for row in tx.log.read_changes(after, limit, filters)]


def read_page_of_changes(
    tx: TableContext, after: int, limit: int, filters: Mapping[str, str]
) -> tuple[list[Change], bool]:
    """Return a page of changes, oldest first, and whether the page is full, by number or by size."""
    rows = tx.log.read_changes(after, limit, filters, PAGE_BYTES_MAX)
    is_full = len(rows) == limit or sum(map(measure_change_bytes, rows)) > PAGE_BYTES_MAX
    return [_parse_change(row) for row in rows], is_full


def _parse_change(row: Row) -> Change:
    values = {"previous": _parse_stored_value(row["previous"]), "value": _parse_stored_value(row["value"])}
    systems = {name: codecs.parse_system_metadata(row[name]) for name in ("previous_system", "system")}
    return Change(**(row | values | systems))


def _parse_stored_value(text: str | None) -> Any:
    return None if text is None else parse_stored_json(text)
