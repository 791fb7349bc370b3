"""Slices of the change log that end by the size of their values, not by their number alone."""

from collections.abc import Iterable

from jupyter_colophon.storage.spi import Row


def count_bytes(row: Row) -> int:
    """Return about how many bytes the values of a change take."""
    return len(row["previous"] or "") + len(row["value"] or "")


def take_within(rows: Iterable[Row], bytes_max: int | None) -> list[Row]:
    """Return the first rows, and no more once these are larger; all of them where nothing limits them."""
    taken: list[Row] = []
    size = 0
    for row in rows:
        taken.append(row)
        size += count_bytes(row)
        if bytes_max is not None and size > bytes_max:
            break
    return taken
