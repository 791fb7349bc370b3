"""Read the rows of a table that a write needs at once, and write those that it changes at once."""

from collections.abc import Iterable

from jupyter_colophon.storage.spi import Key, Row, StructuredTable


class BufferedTable:
    """Some rows of a table by their key, as a write has changed them. `write_rows` must be called last."""

    def __init__(self, table: StructuredTable, key: tuple[str, ...]) -> None:
        self._table, self._key = table, key
        self._rows: dict[Key, Row | None] = {}
        self._changed: dict[Key, Row] = {}

    def load_rows(self, keys: Iterable[Key]) -> None:
        """Read these rows at once; any other is read on first use."""
        new = [key for key in dict.fromkeys(keys) if key not in self._rows]
        self._rows |= dict.fromkeys(new)
        self._rows |= {self._get_key(row): row for row in self._table.read_many(new)}

    def read(self, key: Key) -> Row | None:
        """Return the row with this key; None if it does not exist."""
        if key not in self._rows:
            self._rows[key] = self._table.read(key)
        return self._rows[key]

    def upsert(self, row: Row) -> None:
        """Write a row with all its columns when the rows are written."""
        key = self._get_key(row)
        self._rows[key] = self._changed[key] = row

    def write_rows(self) -> None:
        """Write the changed rows."""
        self._table.upsert_many([*self._changed.values()])
        self._changed.clear()

    def _get_key(self, row: Row) -> Key:
        return tuple([row[name] for name in self._key])
