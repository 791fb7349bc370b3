"""Rewrite every document in a store that a version of the schema stores in another way
(`spi.SearchIndex.rewrite_some_documents`); the places are those of the store.
"""

from functools import partial

from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.spi import TableContext


def build_document_migration(version: int, title: str) -> StoreMigration:
    """Return the migration to a version of the schema."""
    return StoreMigration(title, partial(_rewrite_some_documents, version))


def _rewrite_some_documents(version: int, tx: TableContext, place: str) -> str | None:
    return tx.search.rewrite_some_documents(version, place)
