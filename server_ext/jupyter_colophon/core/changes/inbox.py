"""Proposals that were accepted and are applied later (the inbox), and those that could not be (dead letters).

Neither tells values of aspects: those are kept for a replay, and shown to nobody (spec WRITE-12).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import KEPT_MS
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.errors import MetadataError, Problem, shown
from jupyter_colophon.core.model.proposal import Proposal, Written

State = Literal["pending", "applied", "rejected"]
#: How long it is known what became of a batch, in milliseconds.
OUTCOME_KEPT_MS = KEPT_MS
#: The kind of the dead letters that come from the inbox.
PROPOSALS = "proposals"
#: The kind of those that were sent as events of OpenLineage, and of those that are messages of a topic.
EVENTS, MESSAGE = "openlineage", "message"
#: The kind of dead letters whose failure was returned to DataHub's client at once, which may have ignored it.
REFUSED = "rejected"
#: How many entities of a batch, and how many keys of one, a line of the log names.
_NAMED = 10


def about(proposals: Sequence[Proposal]) -> str:
    """What a batch was about, for the log: entities, aspects and keys, never a value, and no tag either."""
    descriptions = [f"{one.aspect or 'all'} of {shown(str(one.urn))}{_keys(one.value)}" for one in proposals[:_NAMED]]
    more = len(proposals) - _NAMED
    return "; ".join([*descriptions, *([f"{more} more"] if more > 0 else [])])


def _keys(value: object) -> str:
    if not isinstance(value, Annotation):
        return ""
    keys = sorted({*value.properties, *value.without_properties})
    return f" ({named_keys(keys, tags=bool(value.tags or value.without_tags or value.clear_tags))})"


def named_keys(keys: Iterable[str], *, tags: bool) -> str:
    """Keys of properties in a line of the log; that there were tags, and not which."""
    quoted = [shown(key) for key in keys]
    return (
        ", ".join([*quoted[:_NAMED], *(["…"] if len(quoted) > _NAMED else []), *(["tags"] if tags else [])])
        or "all keys"
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something was not done: the name of the error's class (empty for a fault of ours), its words and places."""

    cause: str
    detail: str
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, error: Exception) -> "Refusal":
        """Return the public part of an error."""
        if isinstance(error, MetadataError):
            return cls(type(error).__name__, error.detail, error.problems)
        return cls("", "the server failed to apply it")


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A batch that was accepted, and what became of it. `time` is when it came, in ms."""

    id: int
    actor: str
    time: int
    state: State = "pending"
    results: tuple[Written, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A batch that could not be applied, with whose it is. `time` is when it came, `failed` its last failure, in ms.

    `seq` is the number of a change that could not be delivered, `document` the text of an event of OpenLineage or of a
    message as it came; None for a batch. What a message proposes is among `proposals` where it could be read.
    """

    id: int
    kind: str
    sender: Principal
    run: str | None
    time: int
    failed: int
    attempts: int
    refusal: Refusal
    proposals: tuple[Proposal, ...]
    seq: int | None = None
    document: str | None = None
