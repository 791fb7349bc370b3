"""Schema version 2: the documents of softly deleted entities have a term of their own, which searches exclude.

Before, they only lacked a term that all other documents have (storage/search/index.py).
"""

from dataclasses import replace

from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.search.index import EVERYTHING, PRESENT, REMOVED
from jupyter_colophon.storage.spi import AbsentTerm, TableContext, TextQuery

#: The number of documents in one transaction, which blocks all other writers.
_AT_ONCE = 1_000
_UNMARKED = TextQuery(terms=(EVERYTHING, AbsentTerm(PRESENT), AbsentTerm(REMOVED)))


def build_second_migration() -> StoreMigration:
    """Return a migration whose places are URNs."""
    return StoreMigration("mark softly deleted entities in full text", _mark_some_removed_documents)


def _mark_some_removed_documents(tx: TableContext, after: str) -> str | None:
    """Mark the removed ones of the documents after a URN; return the last URN, None at the end."""
    if not after and not tx.search.find_matches(_UNMARKED, 1):
        return None
    documents = tx.search.read_documents_after(after, _AT_ONCE)
    unmarked = [document for document in documents if document.terms.isdisjoint((PRESENT, REMOVED))]
    tx.search.put_documents(*(replace(document, terms=document.terms | {REMOVED}) for document in unmarked))
    return documents[-1].urn if documents else None
