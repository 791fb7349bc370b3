"""Migrations 1, 5, 6 and 7: full text is told anew what every entity says.

The first, because catalogs of the first slice have it in tables of another shape, which nothing reads any more. The
second, because names that are paths were not found by their parts, and platforms and owners were not counted. The
third, because texts that the model marks for search were not found. The fourth, because `name:` did not find names
that are paths by their parts.
"""

import logging

from jupyter_colophon.core.registry import Registry
from jupyter_colophon.storage import truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import Document, TableContext

#: How many entities are told in one transaction, for which all other writers wait.
_AT_ONCE = 100
_logger = logging.getLogger("jupyter_colophon.storage")


def full_text(registry: Registry, title: str = "tell full text anew") -> Migration:
    """Tell full text anew, some entities at a time; a place is the URN of the last one that was told."""

    def step(tx: TableContext, place: str) -> str | None:
        found = truth.entities_after(tx, place, _AT_ONCE)
        documents = [_document(tx, registry, told) for told in found]
        tx.search.put(*(one for one in documents if one is not None))
        return found[-1].entity["urn"] if found else None

    return Migration(title, step)


def _document(tx: TableContext, registry: Registry, told: truth.Told) -> Document | None:
    """What full text has to know of an entity; it is forgotten where that is nothing."""
    urn = told.entity["urn"]
    try:
        document = truth.derived(registry, told).document
    except truth.Unreadable:
        # One bad row harms nothing but itself; `jupyter colophon verify` names it.
        _logger.warning("full text is not told of %s: an aspect of it cannot be read", urn)
        return None
    if document is None:
        tx.search.remove(urn)
    return document
