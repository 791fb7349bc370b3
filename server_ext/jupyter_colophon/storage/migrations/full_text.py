"""Migration 1: full text is told anew what every entity says.

Catalogs of the first slice have their full text in tables of another shape, which nothing reads any more.
"""

import logging

from jupyter_colophon.core.registry import Registry
from jupyter_colophon.storage import truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import TableContext

#: How many entities are told in one transaction, for which all other writers wait.
_AT_ONCE = 100
_logger = logging.getLogger("jupyter_colophon.storage")


def full_text(registry: Registry) -> Migration:
    """Tell full text anew, entity by entity; a place is the URN of the last one that was told."""

    def step(tx: TableContext, place: str) -> str | None:
        found = truth.entities_after(tx, place, _AT_ONCE)
        for told in found:
            _tell(tx, registry, told)
        return found[-1].entity["urn"] if found else None

    return Migration("tell full text anew", step)


def _tell(tx: TableContext, registry: Registry, told: truth.Told) -> None:
    urn = told.entity["urn"]
    try:
        document = truth.derived(registry, told).document
    except truth.Unreadable:
        # One bad row harms nothing but itself; `jupyter colophon verify` names it.
        _logger.warning("full text is not told of %s: an aspect of it cannot be read", urn)
        return
    if document is None:
        tx.search.remove(urn)
    else:
        tx.search.put(document)
