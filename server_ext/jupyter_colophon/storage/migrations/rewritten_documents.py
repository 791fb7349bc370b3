"""Write every document again, in a store that this version of the schema stores in another way
(`spi.SearchIndex.rewritten_in`): a store writes an unchanged document as this version stores it.
"""

from functools import partial

from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.spi import TableContext

#: The number of documents in one transaction, which blocks all other writers.
_AT_ONCE = 100


def build_third_migration() -> StoreMigration:
    """Return a migration whose places are URNs."""
    return StoreMigration("compress the texts of full text", partial(_write_some_documents, 3))


def build_fourth_migration() -> StoreMigration:
    """Return a migration whose places are URNs."""
    return StoreMigration("index full text in blocks", partial(_write_some_documents, 4))


def _write_some_documents(version: int, tx: TableContext, after: str) -> str | None:
    """Write some documents after a URN again; return the last URN, None at the end."""
    if version not in tx.search.rewritten_in:
        return None
    documents = tx.search.read_documents_after(after, _AT_ONCE)
    tx.search.put_documents(*documents)
    return documents[-1].urn if documents else None
