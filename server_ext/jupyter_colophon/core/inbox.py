"""Proposals that were accepted and are applied later (the inbox), and those that could not be (dead letters).

Neither tells values of aspects: those are kept for a replay, and shown to nobody (security.md B2.14).
"""

from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import MetadataError, Problem
from jupyter_colophon.core.once import KEPT_MS
from jupyter_colophon.core.proposal import Proposal, Written

State = Literal["waiting", "applied", "refused"]
#: How long it is known what became of a batch, in milliseconds.
OUTCOME_KEPT_MS = KEPT_MS
#: The kind of the dead letters that come from the inbox.
PROPOSALS = "proposals"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something was not done: the name of the error's class (empty for a fault of ours), its words and places."""

    cause: str
    detail: str
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, error: Exception) -> "Refusal":
        """What may be told of an error."""
        if isinstance(error, MetadataError):
            return cls(type(error).__name__, error.detail, error.problems)
        return cls("", "the server failed to apply it")


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A batch that was accepted, and what became of it. `time` is when it came, in ms."""

    id: int
    actor: str
    time: int
    state: State = "waiting"
    results: tuple[Written, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A batch that could not be applied, with whose it is. `time` is when it came, `failed` its last failure, in ms."""

    id: int
    kind: str
    sender: Principal
    run: str | None
    time: int
    failed: int
    attempts: int
    refusal: Refusal
    proposals: tuple[Proposal, ...]
