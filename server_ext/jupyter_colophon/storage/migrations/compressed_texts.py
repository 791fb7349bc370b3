"""Schema version 3: the texts of documents are compressed on SQLite (storage/sqlite/compressed_texts.py).

A store writes an unchanged document as this version stores it. Other stores, which store it as before, write the same
rows again.
"""

from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.spi import TableContext

#: The number of documents in one transaction, which blocks all other writers.
_AT_ONCE = 1_000


def build_third_migration() -> StoreMigration:
    """Return a migration whose places are URNs."""
    return StoreMigration("compress the texts of full text", _write_some_documents)


def _write_some_documents(tx: TableContext, after: str) -> str | None:
    """Write some documents after a URN again; return the last URN, None at the end."""
    documents = tx.search.read_documents_after(after, _AT_ONCE)
    tx.search.put_documents(*documents)
    return documents[-1].urn if documents else None
