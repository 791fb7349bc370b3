"""Read the change log."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse_stored
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes.log_bytes import count_bytes
from jupyter_colophon.storage.spi import Row, TableContext


def list_changes(tx: TableContext, after: int, limit: int, where: Mapping[str, str]) -> list[Change]:
    """Return changes after a number, oldest first."""
    return [_parse_change(row) for row in tx.log.read(after, limit, where)]


def read_page(tx: TableContext, after: int, limit: int, where: Mapping[str, str]) -> tuple[list[Change], bool]:
    """Return a page of changes, oldest first, and whether the page is full, by number or by size."""
    rows = tx.log.read(after, limit, where, PAGE_BYTES_MAX)
    is_full = len(rows) == limit or sum(map(count_bytes, rows)) > PAGE_BYTES_MAX
    return [_parse_change(row) for row in rows], is_full


def _parse_change(row: Row) -> Change:
    values = {"previous": _parse_value(row["previous"]), "value": _parse_value(row["value"])}
    systems = {name: codecs.read_system(row[name]) for name in ("previous_system", "system")}
    return Change(**(row | values | systems))


def _parse_value(text: str | None) -> Any:
    return None if text is None else parse_stored(text)
