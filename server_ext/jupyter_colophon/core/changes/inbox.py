"""Accepted proposals that are applied later (the inbox), and those that could not be applied (dead letters).

Log lines about them contain no aspect values: those are stored for a replay and never shown (spec WRITE-12).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import KEPT_MS
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.errors import MetadataError, Problem, quote_and_truncate_text
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult

#: `review`: a steward applies or rejects the batch.
State = Literal["pending", "review", "applied", "rejected"]
#: How long the outcome of a batch is kept, in milliseconds.
OUTCOME_KEPT_MS = KEPT_MS
#: The kind of dead letters from the inbox.
PROPOSALS = "proposals"
#: The kinds of dead letters from OpenLineage events and from messages of a topic.
EVENTS, MESSAGE = "openlineage", "message"
#: The kind of dead letters whose failure was returned to DataHub's client at once, which may have ignored it.
REFUSED = "rejected"
#: The most entities of a batch, and keys of an entity, that a log line names.
_NAMED = 10


def describe_proposals_for_log(proposals: Sequence[Proposal]) -> str:
    """Describe a batch for the log: entities, aspects and keys, but no values and no tags."""
    descriptions = [
        f"{proposal.aspect or 'all'} of {quote_and_truncate_text(str(proposal.urn))}{_format_key_names_of_value(proposal.value)}"
        for proposal in proposals[:_NAMED]
    ]
    more = len(proposals) - _NAMED
    return "; ".join([*descriptions, *([f"{more} more"] if more > 0 else [])])


def _format_key_names_of_value(value: object) -> str:
    if not isinstance(value, MetadataAnnotation):
        return ""
    keys = sorted({*value.properties, *value.without_properties})
    return f" ({format_key_names(keys, tags=bool(value.tags or value.without_tags or value.clear_tags))})"


def format_key_names(keys: Iterable[str], *, tags: bool) -> str:
    """Format keys of properties for the log; tags are only mentioned, not named."""
    quoted = [quote_and_truncate_text(key) for key in keys]
    return (
        ", ".join([*quoted[:_NAMED], *(["…"] if len(quoted) > _NAMED else []), *(["tags"] if tags else [])])
        or "all keys"
    )


@dataclass(frozen=True, slots=True)
class Rejection:
    """The reason for a rejection: the name of the error class (empty for an internal error), its message and problems."""

    cause: str
    detail: str
    problems: tuple[Problem, ...] = ()

    @classmethod
    def from_error(cls, error: Exception) -> "Rejection":
        """Return the public part of an error."""
        if isinstance(error, MetadataError):
            return cls(type(error).__name__, error.detail, error.problems)
        return cls("", "the server failed to apply it")


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A batch in the inbox and its outcome. `time` is when it was accepted, in ms."""

    id: int
    actor: str
    time: int
    state: State = "pending"
    results: tuple[ProposalResult, ...] = ()
    refusal: Rejection | None = None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A batch that could not be applied, and its sender. `time` is when it was accepted, `failed` its last failure, in
    ms.

    `seq` is the number of a change that could not be delivered, `document` the text of an OpenLineage event or a
    message as it was received; None for a batch. If a message could be parsed, `proposals` has its proposals.
    """

    id: int
    kind: str
    sender: Principal
    run: str | None
    time: int
    failed: int
    attempts: int
    refusal: Rejection
    proposals: tuple[Proposal, ...]
    seq: int | None = None
    document: str | None = None
