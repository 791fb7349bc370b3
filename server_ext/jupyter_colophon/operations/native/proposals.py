"""Batches of proposals: applied at once or later (the inbox), and what could not be applied (dead letters)."""

from http import HTTPStatus

from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidName,
    NotEmpty,
    NotFound,
    PatchFailed,
)
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import DIGITS_MAX, declare_flag, declare_text
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT

_ASYNC = declare_flag(
    "async", "Apply the batch later: the status is 202, and `Location` is the URL of the inbox entry."
)
_KIND = declare_text("kind", "Return only dead letters of this kind: `proposals` for batches of the inbox.")
_NEXT = (OperationLink("readInboxEntry", {"path.id": "$response.body#/id"}, status=202),)


@declare_operation(
    "submitProposals",
    "POST /proposals",
    parameters=[_ASYNC, IDEMPOTENCY_KEY],
    body="proposals",
    answers={200: "write-results", 202: "inbox-entry"},
    errors=[InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
    links=[OperationLink("readEntity", {"path.urn": "$response.body#/results/0/urn"}), *_NEXT],
)
def submit_proposals(services: Services, request: Request) -> Answer:
    """Apply a batch of proposals atomically; with `async`, later."""
    catalog = services.get_catalog()
    proposals = [documents.parse_proposal(proposal) for proposal in request.body["proposals"]]
    if request[_ASYNC]:
        entry = catalog.inbox.accept(proposals, request.principal, request.once)
        location = {"Location": f"{request.base_url}colophon/api/inbox/{entry.id}"}
        return Answer(documents.render_inbox_entry(entry), HTTPStatus.ACCEPTED, headers=location)
    done = catalog.write_path.propose(proposals, request.principal, "/proposals", once=request.once)
    return Answer(documents.render_write_results(done))


@declare_operation("readInboxEntry", "GET /inbox/{id}", answers="inbox-entry", errors=[NotFound])
def read_inbox_entry(services: Services, request: Request) -> Document:
    """Read the state of a batch submitted with `async`; it is kept for one day."""
    number = _number("entry of the inbox", request)
    return documents.render_inbox_entry(services.get_catalog().inbox.read_entry(number, request.principal))


@declare_operation(
    "listDeadLetters",
    "GET /dead-letters",
    parameters=[_KIND, LIMIT, CURSOR],
    answers="dead-letters",
    links=[OperationLink("replayDeadLetter", {"path.id": "$response.body#/deadLetters/0/id"})],
)
def list_dead_letters(services: Services, request: Request) -> Document:
    """List dead letters, newest first: those of the caller, or all of them for an administrator."""
    dead_letters = services.get_catalog().dead_letters
    letters, cursor = dead_letters.list_page(request[_KIND], request[LIMIT], request[CURSOR], request.principal)
    return {"deadLetters": [documents.render_dead_letter(item) for item in letters], "cursor": cursor}


@declare_operation(
    "deleteDeadLetter",
    "DELETE /dead-letters/{id}",
    parameters=[IDEMPOTENCY_KEY],
    answers="dead-letter-delete-result",
    errors=[NotFound],
)
def delete_dead_letter(services: Services, request: Request) -> Document:
    """Delete a dead letter."""
    dead_letters = services.get_catalog().dead_letters
    return {"id": str(dead_letters.discard(_number("dead letter", request), request.principal, request.once))}


@declare_operation(
    "replayDeadLetter",
    "POST /dead-letters/{id}/replay",
    parameters=[IDEMPOTENCY_KEY],
    answers="write-results",
    errors=[NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
)
def replay_dead_letter(services: Services, request: Request) -> Document:
    """Retry a dead letter on behalf of its sender; if it fails, it is kept with the new error."""
    dead_letters = services.get_catalog().dead_letters
    done = dead_letters.replay(_number("dead letter", request), request.principal, request.once)
    return documents.render_write_results(done)


def _number(kind: str, request: Request) -> int:
    """Return the number in the path. Raises NotFound: no other text names any."""
    text_ = request.path["id"]
    if not (text_.isascii() and text_.isdigit() and len(text_) <= DIGITS_MAX):
        raise NotFound(kind, text_)
    return int(text_)
