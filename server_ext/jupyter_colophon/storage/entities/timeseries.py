"""Store timeseries values by entity, aspect and time."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

KEY = ("urn", "aspect", "time", "part")
#: The fields that distinguish values of the same time: writing a value again replaces it.
_PARTS = ("messageId", "partitionSpec", "eventGranularity")


def build_range_of_times(urn: str, aspect: str, start: int | None, end: int | None) -> Range:
    """Return the range of an aspect's values between two times (ms), both inclusive; None means unbounded."""
    all_: tuple[Any, ...] = (urn, aspect)
    return Range(all_ if start is None else (*all_, start), all_ if end is None else (*all_, end))


def get_timeseries_key(urn: str, aspect: str, value: Mapping[str, Any]) -> Key:
    """Return the key of a value."""
    parts = {name: value[name] for name in _PARTS if value.get(name) is not None}
    part = sha256(encode_canonical_json(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32] if parts else ""
    return urn, aspect, value["timestampMillis"], part


def find_timeseries_value(tx: TableContext, key: Key) -> Any | None:
    """Return the value with this key, None if there is none."""
    row = tx.get_table("timeseries").read(key)
    return None if row is None else parse_stored_json(row["value"])


def list_timeseries_aspects(tx: TableContext, urn: str) -> list[str]:
    """Return the aspects of an entity that have timeseries values, in order, with one read for each."""
    aspects: list[str] = []
    place: tuple[str, ...] = (urn,)
    while rows := list(tx.get_table("timeseries").scan(Range(place, (urn,), begin_inclusive=len(place) == 1), 1)):
        aspects.append(rows[0]["aspect"])
        place = (urn, aspects[-1])
    return aspects


def list_timeseries_rows_after(tx: TableContext, urn: str, aspect: str, after_key: Key, limit: int) -> list[Row]:
    """Return the values of an aspect by time, after a position; () means the start."""
    all_ = Range.prefix(urn, aspect)
    return list(
        tx.get_table("timeseries").scan(Range(after_key, all_.end, begin_inclusive=False) if after_key else all_, limit)
    )
