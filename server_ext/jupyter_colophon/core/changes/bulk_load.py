"""A bulk load: batches of proposals, of which each row is accepted or rejected separately (spec WRITE-16).

A load is also a fence: after it is committed or aborted, it accepts no batch, however late one arrives.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.documents.members import Member, Time

State = Literal["open", "committed", "aborted"]
Ending = Literal["committed", "aborted"]
#: How long a load is kept after its last use, in milliseconds. Batches of expired loads are rejected.
KEPT_MS: Final = 30 * 24 * 60 * 60 * 1_000
#: The number of rejected rows that a load stores with their reasons; the others are only counted.
REFUSALS_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Load:
    """The progress of a load; times are in ms. Rows are counted once, however often their batch is sent."""

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
    """The position of a batch in a load, and a fingerprint of its content: batches in the same position are the same
    batch.
    """

    load: str
    partition: int
    number: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class RowRejection:
    """The reason why a row of a batch was rejected; `urn` is the row's own, if that is a string."""

    row: int
    urn: str | None
    refusal: Rejection


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch: the number of rows that were written, the number already up to date, and the rejected
    rows.
    """

    written: int
    unchanged: int
    refused: tuple[RowRejection, ...]


@dataclass(frozen=True, slots=True)
class StoredRejection:
    """A rejected row with its position in the load."""

    partition: int
    number: int
    row: RowRejection
