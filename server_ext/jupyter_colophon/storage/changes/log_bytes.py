"""Limit slices of the change log by the size of their values, not only by their number."""

from collections.abc import Iterable

from jupyter_colophon.storage.spi import Row


def measure_change_bytes(row: Row) -> int:
    """Return the approximate size of a change's values in bytes."""
    return len(row["previous"] or "") + len(row["value"] or "")


def limit_rows_to_bytes(rows: Iterable[Row], bytes_max: int | None) -> list[Row]:
    """Return the first rows up to a size in bytes; all of them without a limit."""
    first_rows: list[Row] = []
    size = 0
    for row in rows:
        first_rows.append(row)
        size += measure_change_bytes(row)
        if bytes_max is not None and size > bytes_max:
            break
    return first_rows
