"""Brings the data of a store to what this program expects: migration after migration, slice after slice.

How far a store has come is a row in `settings`, written in the transaction of each slice. So a process that is killed
leaves off between two slices, and processes that start together do every slice once.
"""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.errors import StoreTooNew
from jupyter_colophon.core.jsontext import stored
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.storage.tables import SETTINGS

#: The name of the row in `settings`.
NAME = "migrations"
_logger = logging.getLogger("jupyter_colophon.storage")


@dataclass(frozen=True, slots=True)
class Migration:
    """One change of data; its number is its place in the list, from 1 on, for ever.

    `step` does a slice in one short transaction: it is given the place, first "", and answers the next: None at the end.
    """

    title: str
    step: Callable[[TableContext, str], str | None]


@dataclass(frozen=True, slots=True)
class Progress:
    """So many migrations are done, and the one after them up to this place."""

    done: int = 0
    place: str = ""


def refuse_newer(provider: StorageProvider, migrations: Sequence[Migration]) -> None:
    """Raise StoreTooNew for a store that has come further than these migrations; nothing is changed."""
    if provider.table_admin.exists(SETTINGS.id):
        _check(provider.tx_runner.run(progress, read_only=True), migrations)


def migrate(provider: StorageProvider, migrations: Sequence[Migration]) -> None:
    """Do what is left to do. The tables are there already. Raises StoreTooNew, StorageError."""
    told = ""
    while (now := provider.tx_runner.run(progress, read_only=True)).done < len(migrations):
        migration = migrations[now.done]
        if migration.title != told:
            told = migration.title
            _logger.info("migration %d of the catalog: %s", now.done + 1, told)
        provider.tx_runner.run(lambda tx: _step(tx, migrations))
    _check(now, migrations)


def progress(tx: TableContext) -> Progress:
    """How far a store has come."""
    row = tx.table(SETTINGS.id).read((NAME,))
    return reached(row) if row else Progress()


def reached(row: Row) -> Progress:
    """How far a store has come, by its row in `settings`."""
    return Progress(**stored(row["value"]))


def _step(tx: TableContext, migrations: Sequence[Migration]) -> None:
    now = progress(tx)
    if now.done >= len(migrations):
        return  # another process was faster
    place = migrations[now.done].step(tx, now.place)
    done, after = (now.done + 1, "") if place is None else (now.done, place)
    value = json.dumps({"done": done, "place": after}).encode()
    tx.table(SETTINGS.id).upsert({"name": NAME, "value": value})


def _check(now: Progress, migrations: Sequence[Migration]) -> None:
    if now.done > len(migrations):
        raise StoreTooNew(now.done, len(migrations))
