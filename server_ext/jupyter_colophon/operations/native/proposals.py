"""Batches of proposals: applied at once or later (the inbox), and what could not be applied (dead letters)."""

from http import HTTPStatus

from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    HeldForReview,
    InvalidName,
    NotEmpty,
    NotFound,
    PatchFailed,
    ReviewConflict,
    TooLarge,
)
from jupyter_colophon.core.read_budget import require_allowed_response_size
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import DIGITS_MAX, declare_flag, declare_text
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT

_ASYNC = declare_flag(
    "async", "Apply the batch later: the status is 202, and `Location` is the URL of the inbox entry."
)
_DRY_RUN = declare_flag("dryRun", "Change nothing, and return the values that the proposals would change.")
_KIND = declare_text("kind", "Return only dead letters of this kind: `proposals` for batches of the inbox.")
_NEXT = (OperationLink("readInboxEntry", {"path.id": "$response.body#/id"}, status=202),)


@declare_operation(
    "submitProposals",
    "POST /proposals",
    decided_by="entities",
    parameters=[_ASYNC, IDEMPOTENCY_KEY],
    body="proposals",
    answers={200: "write-results", 202: "inbox-entry"},
    errors=[HeldForReview, InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
    links=[OperationLink("readEntity", {"path.urn": "$response.body#/results/0/urn"}), *_NEXT],
)
def submit_proposals(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Apply a batch of proposals atomically; with `async`, later."""
    catalog = services.get_or_open_catalog()
    proposals = [documents.parse_proposal(proposal) for proposal in request.body["proposals"]]
    if request[_ASYNC]:
        entry = catalog.inbox.check_and_store_batch(proposals, request.principal, request.idempotency_key)
        location = {"Location": f"{request.base_url}colophon/api/inbox/{entry.id}"}
        return OperationAnswer(documents.render_inbox_entry(entry), HTTPStatus.ACCEPTED, headers=location)
    done = catalog.write_path.apply_proposals_atomically(
        proposals, request.principal, "/proposals", idempotency_key=request.idempotency_key
    )
    return OperationAnswer(documents.render_write_results(done))


@declare_operation(
    "submitIndependentProposals",
    "POST /proposals/independent",
    decided_by="entities",
    parameters=[_DRY_RUN, IDEMPOTENCY_KEY],
    body="proposals",
    answers="proposal-outcomes",
    errors=[InvalidName, TooLarge],
    links=[OperationLink("readEntity", {"path.urn": "$response.body#/outcomes/0/urn"})],
)
def submit_independent_proposals(services: ProcessServices, request: OperationRequest) -> Document:
    """Apply each proposal of a batch independently; with `dryRun`, return what each would change."""
    batches = services.get_or_open_catalog().independent_proposals
    proposals = [documents.parse_proposal(proposal) for proposal in request.body["proposals"]]
    if request[_DRY_RUN]:
        previews = batches.preview_batch(proposals, request.principal)
        outcomes = list(map(documents.render_proposal_preview, proposals, previews))
    else:
        applied = batches.apply_batch(proposals, request.principal, request.idempotency_key)
        outcomes = list(map(documents.render_proposal_outcome, proposals, applied))
    answer = {"dryRun": request[_DRY_RUN], "outcomes": outcomes}
    require_allowed_response_size(answer)
    return answer


@declare_operation(
    "readProposal",
    "GET /proposals/{id}",
    decided_by="entities",
    answers="proposal-review",
    errors=[NotFound],
    links=[OperationLink("decideProposal", {"path.id": "$response.body#/id"})],
)
def read_proposal(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a change that waits for review, with its differences; for a day after a decision, its outcome."""
    number = _parse_number_of_path("proposal", request)
    return documents.render_review(services.get_or_open_catalog().stewardship.reviews.read(number, request.principal))


@declare_operation(
    "decideProposal",
    "POST /proposals/{id}/decision",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="proposal-decision",
    answers="owner-request",
    errors=[NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed, ReviewConflict],
)
def decide_proposal(services: ProcessServices, request: OperationRequest) -> Document:
    """Apply a change that waits for review, reject it, withdraw it, or bring it up to date."""
    stewardship, body = services.get_or_open_catalog().stewardship, request.body
    about = stewardship.reviews.decide(
        _parse_number_of_path("proposal", request),
        body["decision"],
        body.get("text"),
        request.principal,
        request.idempotency_key,
    )
    return to_api_document(stewardship.requests.read(about, request.principal))


@declare_operation("readInboxEntry", "GET /inbox/{id}", decided_by="entities", answers="inbox-entry", errors=[NotFound])
def read_inbox_entry(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the state of a batch submitted with `async`; it is kept for one day."""
    number = _parse_number_of_path("entry of the inbox", request)
    return documents.render_inbox_entry(
        services.get_or_open_catalog().inbox.require_visible_entry(number, request.principal)
    )


@declare_operation(
    "listDeadLetters",
    "GET /dead-letters",
    decided_by="entities",
    parameters=[_KIND, LIMIT, CURSOR],
    answers="dead-letters",
    links=[OperationLink("replayDeadLetter", {"path.id": "$response.body#/deadLetters/0/id"})],
)
def list_dead_letters(services: ProcessServices, request: OperationRequest) -> Document:
    """List dead letters, newest first: those of the caller, or all of them for an administrator."""
    dead_letters = services.get_or_open_catalog().dead_letters
    letters, cursor = dead_letters.list_visible_page(request[_KIND], request[LIMIT], request[CURSOR], request.principal)
    return {"deadLetters": [documents.render_dead_letter(item) for item in letters], "cursor": cursor}


@declare_operation(
    "deleteDeadLetter",
    "DELETE /dead-letters/{id}",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    answers="dead-letter-delete-result",
    errors=[NotFound],
)
def delete_dead_letter(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a dead letter."""
    dead_letters = services.get_or_open_catalog().dead_letters
    return {
        "id": str(
            dead_letters.delete_letter(
                _parse_number_of_path("dead letter", request), request.principal, request.idempotency_key
            )
        )
    }


@declare_operation(
    "replayDeadLetter",
    "POST /dead-letters/{id}/replay",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    answers="write-results",
    errors=[HeldForReview, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
)
def replay_dead_letter(services: ProcessServices, request: OperationRequest) -> Document:
    """Retry a dead letter on behalf of its sender; if it fails, it is kept with the new error."""
    dead_letters = services.get_or_open_catalog().dead_letters
    done = dead_letters.retry_and_delete_letter(
        _parse_number_of_path("dead letter", request), request.principal, request.idempotency_key
    )
    return documents.render_write_results(done)


def _parse_number_of_path(kind: str, request: OperationRequest) -> int:
    """Return the number in the path. Raises NotFound: no other text names any."""
    text_ = request.path["id"]
    if not (text_.isascii() and text_.isdigit() and len(text_) <= DIGITS_MAX):
        raise NotFound(kind, text_)
    return int(text_)
