"""Rows that changed, in the order of their changes, until they are moved to the files of the archive.

The store writes them in the transaction of the change (`spi.RowArchive`), so they are complete, whichever process made
it. A row with the operation COMMIT is the end of a write: up to there, the changes are a state that the store had.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.errors import StoreDamaged
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec
from jupyter_colophon.storage.tables import SETTINGS

#: `content` is a JSON list of the values of a row (PUT), of its key (DELETE), or of the time in ms (COMMIT).
TABLE: Final = TableSpec(
    "archived_rows", {"id": "long", "operation": "string", "source": "string", "content": "string"}, ("id",)
)
PUT: Final = "put"
DELETE: Final = "delete"
COMMIT: Final = "commit"
#: The name of the setting of a store whose changes are archived.
NAME: Final = "archive"


@dataclass(frozen=True, slots=True)
class ArchivePosition:
    """A position in the archive: the generation, which changes with the structure of tables, and the last row."""

    generation: str
    row: int


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """What a store archives: the generation, and the specs of its tables as JSON."""

    generation: str
    specs: tuple[str, ...]

    @property
    def stored_value(self) -> bytes:
        """The value of the setting."""
        return json.dumps({"generation": self.generation, "specs": list(self.specs)}).encode()


def read_archive_state(tx: TableContext) -> ArchiveState | None:
    """Return what a store archives; None if it archives nothing."""
    row = tx.get_table(SETTINGS.id).read((NAME,))
    if row is None:
        return None
    try:
        document = json.loads(row["value"])
        return ArchiveState(document["generation"], tuple(document["specs"]))
    except (ValueError, KeyError, TypeError):
        raise StoreDamaged("the setting `archive` of the store cannot be read") from None


def read_archive_position(tx: TableContext) -> ArchivePosition | None:
    """Return the position of the newest change; None if the store archives nothing."""
    state = read_archive_state(tx)
    if state is None:
        return None
    newest = next(tx.get_table(TABLE.id).scan(Range(), 1, "desc"), None)
    return ArchivePosition(state.generation, 0 if newest is None else newest["id"])


def delete_archive_state(tx: TableContext) -> None:
    """Delete the setting: the store archives nothing."""
    tx.get_table(SETTINGS.id).delete((NAME,))


def read_rows_of_whole_writes(tx: TableContext, after: int, limit: int) -> list[Row]:
    """Return the next rows after one, without those that follow the last end of a write among them.

    If a single write has more rows, all of its rows are returned.
    """
    table = tx.get_table(TABLE.id)
    while True:
        rows = list(table.scan(Range((after,), begin_inclusive=False), limit))
        whole = next((at for at in range(len(rows), 0, -1) if rows[at - 1]["operation"] == COMMIT), 0)
        if whole or len(rows) < limit:
            return rows[:whole]
        limit *= 2


def delete_rows_through(tx: TableContext, row: int) -> None:
    """Delete the rows up to this one, but never the newest, whose number the next one continues."""
    newest = next(tx.get_table(TABLE.id).scan(Range(), 1, "desc"), None)
    if newest is not None:
        end = min(row, newest["id"] - 1)
        tx.get_table(TABLE.id).delete_range(Range(end=(end,)))


def find_oldest_unmoved_time(tx: TableContext, after: int) -> int | None:
    """Return the time in ms of the oldest write after a row; None if there is none."""
    for row in tx.get_table(TABLE.id).scan(Range((after,), begin_inclusive=False)):
        if row["operation"] == COMMIT:
            return int(parse_content(row["content"])[0])
    return None


def parse_content(content: str) -> Any:
    """Parse the content of a row."""
    return json.loads(content)
