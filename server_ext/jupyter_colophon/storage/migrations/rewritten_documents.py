"""Write every document again: a store writes an unchanged document as this version stores it.

Schema version 3: its text is compressed on SQLite (storage/sqlite/compressed_texts.py). Schema version 4: its words are
indexed in blocks on PostgreSQL (storage/postgresql/search.py). Other stores, which store it as before, write the same
rows again.
"""

from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.spi import TableContext

#: The number of documents in one transaction, which blocks all other writers.
_AT_ONCE = 100


def build_third_migration() -> StoreMigration:
    """Return a migration whose places are URNs."""
    return StoreMigration("compress the texts of full text", _write_some_documents)


def build_fourth_migration() -> StoreMigration:
    """Return a migration whose places are URNs."""
    return StoreMigration("index full text in blocks", _write_some_documents)


def _write_some_documents(tx: TableContext, after: str) -> str | None:
    """Write some documents after a URN again; return the last URN, None at the end."""
    documents = tx.search.read_documents_after(after, _AT_ONCE)
    tx.search.put_documents(*documents)
    return documents[-1].urn if documents else None
