"""Convert stored JSON to values and back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import InboxEntry, Rejection
from jupyter_colophon.core.changes.independent_batch import ProposalOutcome
from jupyter_colophon.core.documents.codec import from_stored_form, to_stored_form
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.model.system_metadata import SystemMetadata

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """How a value is written as JSON and read from it."""

    write: Callable[[T], Any]
    read: Callable[[Any], T]


def _parse_stored_proposal(document: dict[str, Any]) -> Proposal:
    if document["operation"] == "annotate":
        document = document | {"value": MetadataAnnotation.from_document(document["value"])}
    return from_stored_form(document, Proposal)


def _parse_stored_principal(document: list[Any]) -> Principal:
    # Earlier versions stored no groups, and no namespaces and ids of tokens.
    added: tuple[Any, ...] = ([], None, None)
    user, via, scopes, groups, namespaces, token = [*document, *added[len(document) - 3 :]]
    return Principal(
        user,
        via,
        frozenset(scopes),
        frozenset(groups),
        namespaces=None if namespaces is None else frozenset(namespaces),
        token=token,
    )


def _build_stored_proposal(proposal: Proposal) -> dict[str, Any]:
    value = proposal.value
    document: dict[str, Any] = to_stored_form(proposal)
    return document | {"value": value.document} if isinstance(value, MetadataAnnotation) else document


def parse_system_metadata(text: str | None) -> SystemMetadata | None:
    """Parse the system metadata in a row."""
    return None if text is None else SystemMetadata.from_document(parse_stored_json(text))


#: For values that are never read again.
IDENTITY: Codec[Any] = Codec(lambda value: value, lambda value: value)
NUMBER: Codec[int] = Codec(lambda number: number, int)
WRITTEN: Codec[list[ProposalResult]] = Codec(
    lambda results: [
        [str(result.urn), result.aspect, result.version, result.seq, result.skipped] for result in results
    ],
    # Results of an earlier version have no `skipped`.
    lambda document: [ProposalResult(Urn.parse(urn), *rest) for urn, *rest in document],
)
PROPOSALS: Codec[tuple[Proposal, ...]] = Codec(
    lambda proposals: [_build_stored_proposal(proposal) for proposal in proposals],
    lambda document: tuple(_parse_stored_proposal(proposal) for proposal in document),
)
RUN: Codec[Run] = Codec(to_stored_form, lambda document: from_stored_form(document, Run))
REFUSAL: Codec[Rejection] = Codec(to_stored_form, lambda document: from_stored_form(document, Rejection))
#: The outcomes of a batch whose proposals are applied independently.
OUTCOMES: Codec[list[ProposalOutcome]] = Codec(
    to_stored_form, lambda document: [from_stored_form(outcome, ProposalOutcome) for outcome in document]
)
#: A new entry of the inbox.
ENTRY: Codec[InboxEntry] = Codec(
    lambda entry: [entry.id, entry.actor, entry.time], lambda document: InboxEntry(*document)
)
PRINCIPAL: Codec[Principal] = Codec(
    lambda principal: [
        principal.user,
        principal.via,
        sorted(principal.scopes),
        sorted(principal.groups),
        None if principal.namespaces is None else sorted(principal.namespaces),
        principal.token,
    ],
    _parse_stored_principal,
)
