"""Proposals of a request: written in one transaction or queued in the inbox, with errors at their places in the body."""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    HeldForReview,
    InvalidInstance,
    MetadataError,
    NotFound,
    PatchFailed,
    Problem,
    TooLarge,
    quote_and_truncate_text,
)
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.operations.request import OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.changes.inbox import PROPOSALS_POINTER
from jupyter_colophon.service.datahub.drop_unknown_fields import drop_unknown_fields
from jupyter_colophon.service.datahub.trace import format_write_trace_id

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

#: How long a request that is sent again with the same bytes is the same request (spec WRITE-10).
REPLAYED_MS: Final = 10 * 60 * 1_000
_REPLAY: Final = "replay "
#: Where the operations are in DataHub's form of a patch.
_FORM: Final = f"/{patch_forms.PATCH}"
_PLACE: Final = re.compile(rf"{PROPOSALS_POINTER}/([0-9]+)/(value|urn)")
#: Errors of the proposals themselves or of conflicts with stored data; a caller without permission only gets AccessDenied.
_REFUSED: Final = (InvalidInstance, PatchFailed, TooLarge, ConditionFailed, AlreadyExists, NotFound)
_logger = logging.getLogger("jupyter_colophon.operations")


@dataclass(frozen=True, slots=True)
class SentProposal:
    """A proposal, and the pointers to its value and its URN in the body; `listed`: a patch that was sent as a list."""

    proposal: Proposal
    value_pointer: str
    listed: bool = False
    urn_pointer: str = ""


@dataclass(frozen=True, slots=True)
class IngestResult:
    """The result of proposals: the writes, or their number in the inbox if they are applied later."""

    written: tuple[ProposalResult, ...]
    number: int
    warnings: tuple[Problem, ...]

    @property
    def is_queued(self) -> bool:
        """Whether the proposals wait in the inbox."""
        return self.number > 0

    @property
    def headers(self) -> dict[str, str]:
        """The trace of the write: its time in microseconds, and its number in the inbox."""
        trace = format_write_trace_id(time.time_ns() // 1_000, self.number)
        return {"traceparent": f"00-{trace}-{trace[16:]}-01"}


def build_idempotency_key_of_batch(request: OperationRequest, proposals: Sequence[Proposal]) -> IdempotencyKey | None:
    """Return the key under which the proposals are written once; None where each request is a new one.

    Clients send a request again whose answer was lost. Each emit has the time at which it observed, so that the same
    bytes are the same emit; where a proposal has no such time, two users may mean the same.
    """
    once = request.idempotency_key
    if once is not None:
        return once
    if not proposals or not all(
        proposal.system is not None and proposal.system.last_observed for proposal in proposals
    ):
        return None
    fingerprint = request.fingerprint()
    return IdempotencyKey(request.principal.user, _REPLAY + fingerprint, fingerprint, REPLAYED_MS)


def write_or_queue_proposals(
    services: ProcessServices, request: OperationRequest, sent_proposals: Sequence[SentProposal], *, queue: bool = False
) -> IngestResult:
    """Write proposals, all or none of them; or queue them, as those are that wait for review. Raises what `WritePath.propose` does."""
    catalog, principal = services.get_or_open_catalog(), request.principal
    for urn in dict.fromkeys(item.proposal.urn for item in sent_proposals):
        # A caller without read access gets no information about the model.
        catalog.write_path.require_may_act_on_entity(principal, "read", urn)
    # These clients write back the union of both scopes that they read.
    united = [item.proposal if item.proposal.united else replace(item.proposal, united=True) for item in sent_proposals]
    with _store_refused_as_dead_letters(catalog, principal, united):
        checked = [
            _drop_unknown_fields_and_warn(catalog, proposal, item.value_pointer)
            if not services.settings.datahub_strict
            else (proposal, [])
            for proposal, item in zip(united, sent_proposals, strict=True)
        ]
    proposals = [proposal for proposal, _ in checked]
    warnings = tuple(warning for _, some in checked for warning in some)
    for problem in warnings:
        _logger.warning("dropped a field that the model does not know: %s", quote_and_truncate_text(problem.pointer))
    once = build_idempotency_key_of_batch(request, united)
    with _translate_pointers_of_errors(sent_proposals), _store_refused_as_dead_letters(catalog, principal, proposals):
        if queue:
            entry = catalog.inbox.check_and_store_batch(proposals, principal, once)
            return IngestResult((), entry.id, warnings)
        try:
            written = catalog.write_path.apply_proposals_atomically(
                proposals, principal, PROPOSALS_POINTER, idempotency_key=once
            )
        except HeldForReview as held:
            # DataHub's clients know writes that take effect later, and ask for their state by the trace.
            return IngestResult((), held.number, warnings)
        return IngestResult(tuple(written), 0, warnings)


def _drop_unknown_fields_and_warn(
    catalog: "Catalog", proposal: Proposal, pointer: str
) -> tuple[Proposal, list[Problem]]:
    """Return the proposal without fields unknown to its model, and warnings about the dropped fields of its value at a pointer."""
    known, dropped = drop_unknown_fields(catalog.registry, proposal)
    return known, [Problem(pointer + field, "was dropped: the model does not know it") for field in dropped]


@contextmanager
def _store_refused_as_dead_letters(
    catalog: "Catalog", principal: Principal, proposals: Sequence[Proposal]
) -> Iterator[None]:
    """Store refused proposals as dead letters: many clients only log the error (spec DH-9)."""
    try:
        yield
    except _REFUSED as error:
        catalog.dead_letters.store_refused_proposals(proposals, principal, error)
        raise


@contextmanager
def _translate_pointers_of_errors(sent_proposals: Sequence[SentProposal]) -> Iterator[None]:
    """Replace the pointers of an error by pointers into the body."""
    try:
        yield
    except MetadataError as error:
        error.problems = tuple(
            Problem(_translate_pointer_into_body(problem.pointer, sent_proposals), problem.message)
            for problem in error.problems
        )
        raise


def _translate_pointer_into_body(pointer: str, sent_proposals: Sequence[SentProposal]) -> str:
    match = _PLACE.match(pointer)
    if match is None:
        return pointer
    sent_proposal, rest = sent_proposals[int(match[1])], pointer[match.end() :]
    if match[2] == "urn":
        return sent_proposal.urn_pointer
    return sent_proposal.value_pointer + (rest.removeprefix(_FORM) if sent_proposal.listed else rest)
