"""A batch whose proposals are applied independently: each has a result of its own (spec WRITE-24)."""

from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.model.proposal import ProposalResult


@dataclass(frozen=True, slots=True)
class ProposalOutcome:
    """The result of a proposal, or why it was rejected."""

    result: ProposalResult | None
    rejection: Rejection | None


@dataclass(frozen=True, slots=True)
class ProposalPreview:
    """What a batch would change in the aspect of a proposal, or why the proposal would be rejected.

    `version` and `before` are those of the present, -1 and None for an absent aspect; `after` is the value after the
    batch.
    """

    version: int
    before: Any | None
    after: Any | None
    rejection: Rejection | None
