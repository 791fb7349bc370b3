"""The table that most storage tests use, and short functions for it."""

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


def build_row(key: tuple[Any, ...], **more: Any) -> Row:
    """Build a row with this key."""
    return dict(zip(THINGS.primary_key, key, strict=True)) | more


def run_on_table(store: StorageProvider, work: Callable[[StructuredTable], T], *, read_only: bool = False) -> T:
    """Run a callable on the table in a transaction."""
    return store.tx_runner.run(lambda tx: work(tx.get_table("things")), read_only=read_only)


def insert_key_rows(table: StructuredTable, rows: Iterable[tuple[Any, ...]] = KEYS) -> None:
    """Insert rows that consist of a key only."""
    for key in rows:
        table.upsert(build_row(key))


def list_row_keys(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    """Return the keys of rows in their order."""
    return [(entry["a"], entry["b"], entry["c"]) for entry in rows]
