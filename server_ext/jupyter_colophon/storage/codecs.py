"""Values as JSON, as the store keeps them, and back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import InboxEntry, Refusal
from jupyter_colophon.core.documents.codec import from_stored, to_stored
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.core.model.system_metadata import SystemMetadata

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How a value is written as JSON, and read again."""

    write: Callable[[T], Any]
    read: Callable[[Any], T]


def _proposal(document: dict[str, Any]) -> Proposal:
    if document["operation"] == "annotate":
        document = document | {"value": Annotation.of(document["value"])}
    return from_stored(document, Proposal)


def _proposal_document(proposal: Proposal) -> dict[str, Any]:
    value = proposal.value
    document: dict[str, Any] = to_stored(proposal)
    return document | {"value": value.document} if isinstance(value, Annotation) else document


def system(text: str | None) -> SystemMetadata | None:
    """What a writer said of itself, as a row has it."""
    return None if text is None else SystemMetadata.of(stored(text))


#: What nobody asks for again.
NOTHING: Form[Any] = Form(lambda one: one, lambda told: told)
NUMBER: Form[int] = Form(lambda number: number, int)
WRITTEN: Form[list[Written]] = Form(
    lambda all_: [[str(one.urn), one.aspect, one.version, one.seq, one.skipped] for one in all_],
    # An answer of an earlier release tells nothing of what was left out.
    lambda told: [Written(Urn.parse(urn), *rest) for urn, *rest in told],
)
PROPOSALS: Form[tuple[Proposal, ...]] = Form(
    lambda all_: [_proposal_document(one) for one in all_], lambda told: tuple(_proposal(one) for one in told)
)
RUN: Form[Run] = Form(to_stored, lambda document: from_stored(document, Run))
REFUSAL: Form[Refusal] = Form(to_stored, lambda document: from_stored(document, Refusal))
#: An entry of the inbox as it came.
ENTRY: Form[InboxEntry] = Form(lambda one: [one.id, one.actor, one.time], lambda told: InboxEntry(*told))
PRINCIPAL: Form[Principal] = Form(
    lambda one: [one.user, one.via, sorted(one.scopes)],
    lambda told: Principal(told[0], told[1], frozenset(told[2])),
)
