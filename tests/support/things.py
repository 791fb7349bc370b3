"""The table that most tests of storage use, and short ways to it."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from jupyter_colophon.storage.spi import Row, StorageProvider, StructuredTable, TableSpec

T = TypeVar("T")
THINGS = TableSpec(
    "things",
    {
        "a": "string",
        "b": "long",
        "c": "string",
        "n": "long",
        "i": "int",
        "x": "double",
        "f": "float",
        "y": "bool",
        "z": "bytes",
    },
    ("a", "b", "c"),
    ("n", "y"),
)
KEY = {"a": "a", "b": 1, "c": "x"}
KEYS = [("a", 1, "x"), ("a", 1, "y"), ("a", 2, "x"), ("b", -1, "x"), ("b", 9, "x"), ("b", 10, "x")]


def row(key: tuple[Any, ...], **more: Any) -> Row:
    """A row of things with this key."""
    return dict(zip(THINGS.primary_key, key, strict=True)) | more


def inside(store: StorageProvider, work: Callable[[StructuredTable], T], *, read_only: bool = False) -> T:
    """What a transaction does with the things."""
    return store.tx_runner.run(lambda tx: work(tx.table("things")), read_only=read_only)


def fill(table: StructuredTable, rows: Iterable[tuple[Any, ...]] = KEYS) -> None:
    """Rows that are nothing but keys."""
    for key in rows:
        table.upsert(row(key))


def keys(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    """The keys of things, in the order in which they come."""
    return [(one["a"], one["b"], one["c"]) for one in rows]
