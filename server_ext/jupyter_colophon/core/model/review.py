"""Changes that wait for review, as a steward and their author see them."""

from dataclasses import dataclass
from typing import Any, Literal

from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.documents.members import Time
from jupyter_colophon.core.model.owner_request import OwnerRequest
from jupyter_colophon.core.model.proposal import Proposal

ReviewState = Literal["waiting", "applied", "rejected"]


@dataclass(frozen=True, slots=True)
class ReviewedChange:
    """A proposed change with the present value of its aspect and the one after it, or why it cannot be applied."""

    proposal: Proposal
    before: Any | None
    after: Any | None
    problem: Rejection | None


@dataclass(frozen=True, slots=True)
class Review:
    """A proposal: its request, its changes while it waits, and what the reader may do with it.

    It is outdated if an aspect has changed since it was made: it must be brought up to date before it is applied.
    """

    id: int
    state: ReviewState
    request: OwnerRequest
    #: When it is rejected unless someone decides before; None after a decision.
    expires: Time | None
    may_decide: bool
    may_withdraw: bool
    is_outdated: bool
    changes: tuple[ReviewedChange, ...]
