"""The state of an entity in a transaction that changes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.spi import Row

#: The row of an aspect that was never written.
NO_VERSION: Final[Row] = {"version": 0, "value": None, "system": None, "base": 0, "floor": None}


class NotLocked(Exception):
    """A transaction needs more than it has locked: it is to be repeated with more locks, or without."""


@dataclass(slots=True)
class EntityState:
    """An entity as the transaction read it and with its changes so far."""

    urn: Urn
    row: Row
    aspects: dict[str, Row]
    original_aspects: Mapping[str, Row]
    exists: bool
    existed: bool
    #: The numbers of the changes that created it, by aspect, for the response to a request to create it.
    created_aspects: dict[str, int] = field(default_factory=dict)
    changed: bool = field(default=False)
