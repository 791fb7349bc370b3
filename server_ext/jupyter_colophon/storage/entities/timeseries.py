"""Store timeseries values by entity, aspect and time."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

KEY = ("urn", "aspect", "time", "part")
#: What tells one value of a moment from another one: a retry of it is the same value.
_PARTS = ("messageId", "partitionSpec", "eventGranularity")


def within(urn: str, aspect: str, start: int | None, end: int | None) -> Range:
    """The values of an aspect from one moment to another (ms), both of them too; None is open."""
    all_: tuple[Any, ...] = (urn, aspect)
    return Range(all_ if start is None else (*all_, start), all_ if end is None else (*all_, end))


def key_of(urn: str, aspect: str, value: Mapping[str, Any]) -> Key:
    """Return the key of a value."""
    parts = {name: value[name] for name in _PARTS if value.get(name) is not None}
    part = sha256(compact(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32] if parts else ""
    return urn, aspect, value["timestampMillis"], part


def at(tx: TableContext, key: Key) -> Any | None:
    """Return the value with this key, None if there is none."""
    row = tx.table("timeseries").read(key)
    return None if row is None else stored(row["value"])


def moments_of(tx: TableContext, urn: str) -> list[str]:
    """Return the aspects of which an entity has timeseries values, in order, with one read for each."""
    found: list[str] = []
    place: tuple[str, ...] = (urn,)
    while rows := list(tx.table("timeseries").scan(Range(place, (urn,), begin_inclusive=len(place) == 1), 1)):
        found.append(rows[0]["aspect"])
        place = (urn, found[-1])
    return found


def after(tx: TableContext, urn: str, aspect: str, place: Key, limit: int) -> list[Row]:
    """The values of an aspect by time, from the first after a place on; () is before the first."""
    all_ = Range.prefix(urn, aspect)
    return list(tx.table("timeseries").scan(Range(place, all_.end, begin_inclusive=False) if place else all_, limit))
