"""An entity in a transaction that changes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.storage.spi import Row


@dataclass(slots=True)
class Working:
    """An entity as the transaction found it and as it is becoming."""

    urn: Urn
    row: Row
    aspects: dict[str, Row]
    before: Mapping[str, Row]
    exists: bool
    existed: bool
    #: The numbers of the changes that created it, by aspect, for the response to a request to create it.
    made: dict[str, int] = field(default_factory=dict)
    changed: bool = field(default=False)
