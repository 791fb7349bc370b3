"""Rewrite every document in a store that a version of the schema stores in another way
(`spi.SearchIndex.rewrite_some_documents`); the places are those of the store.
"""

from functools import partial

from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.spi import TableContext


def build_third_migration() -> StoreMigration:
    """Return a migration that concerns SQLite."""
    return StoreMigration("compress the texts of full text", partial(_rewrite_some_documents, 3))


def build_fourth_migration() -> StoreMigration:
    """Return a migration that changes nothing: the next one replaces it."""
    return StoreMigration("index full text in blocks", partial(_rewrite_some_documents, 4))


def build_fifth_migration() -> StoreMigration:
    """Return a migration that concerns PostgreSQL."""
    return StoreMigration("store the words of full text once", partial(_rewrite_some_documents, 5))


def build_sixth_migration() -> StoreMigration:
    """Return a migration that concerns SQLite."""
    return StoreMigration("store what a search reads of each match in an index", partial(_rewrite_some_documents, 6))


def _rewrite_some_documents(version: int, tx: TableContext, place: str) -> str | None:
    return tx.search.rewrite_some_documents(version, place)
