"""Whether what a cell of a notebook read has changed since. Times are milliseconds since 1970."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from jupyter_colophon.core.documents.members import OMIT_DEFAULT, Time

#: A cell is `fresh` if nothing that its newest run read was written since, `unknown` if not all of it could be examined.
CellFreshness = Literal["fresh", "stale", "unknown"]
#: Why a cell is stale: an input was `written` after it was read, or is the output of a `stale` cell.
InputReason = Literal["written", "stale"]


@dataclass(frozen=True, slots=True)
class ChangedInput:
    """An input that makes a cell stale.

    `written` is the newest write, None for the output of a stale cell. `program` and `run` wrote it; they are None if the
    caller may not read the program.
    """

    data: str
    reason: InputReason
    read: Time
    written: Time | None = None
    program: str | None = None
    run: str | None = None
    #: The present title of the program, empty if it has none.
    title: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class CellState:
    """A cell with the state of its newest run, which began at `start`; `changes` has an input once, and only for a stale cell."""

    cell: str
    program: str
    run: str
    start: Time
    state: CellFreshness
    changes: Sequence[ChangedInput] = ()
