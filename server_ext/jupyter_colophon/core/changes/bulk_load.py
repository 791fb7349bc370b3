"""A load: proposals in bulk, batch by batch, of which each row stands or falls by itself (spec WRITE-16).

A load is a fence as well: once it is committed or aborted, no batch of it is taken any more, however late it comes.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from jupyter_colophon.core.changes.inbox import Refusal
from jupyter_colophon.core.documents.members import Member, Time
from jupyter_colophon.core.errors import MetadataError, shown

State = Literal["open", "committed", "aborted"]
Ending = Literal["committed", "aborted"]
#: How long a load is known after it was last touched, in milliseconds. A batch of one that is not known is refused.
KEPT_MS: Final = 30 * 24 * 60 * 60 * 1_000
#: Of how many rows a load keeps why they were refused; the others are counted.
REFUSALS_KEPT: Final = 10_000


class LoadEnded(MetadataError):
    """A load was committed or aborted: it takes no batch any more."""

    def __init__(self, name: str, state: str) -> None:
        super().__init__(f"the load {shown(name)} was {state}")


@dataclass(frozen=True, slots=True)
class Load:
    """How far a load came; times are in ms. Rows are counted once, however often their batch is sent."""

    id: str
    state: State
    opened: Time
    touched: Annotated[Time, Member("updated")]
    batches: int = 0
    written: int = 0
    unchanged: int = 0
    refused: Annotated[int, Member("rejected")] = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch's place in a load, and the fingerprint of what it brings: the same place is the same batch."""

    load: str
    partition: int
    number: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class RowRefusal:
    """The reason why a row of a batch was rejected; `urn` is the row's own, if that is a string."""

    row: int
    urn: str | None
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a batch: so many rows wrote something, so many were so already, and these were refused."""

    written: int
    unchanged: int
    refused: tuple[RowRefusal, ...]


@dataclass(frozen=True, slots=True)
class KeptRefusal:
    """A refused row with its place in the load."""

    partition: int
    number: int
    row: RowRefusal
