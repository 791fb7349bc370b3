"""Batches of proposals: applied at once or later (the inbox), and what could not be applied (dead letters)."""

from http import HTTPStatus

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidName,
    NotEmpty,
    NotFound,
    PatchFailed,
)
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import documents
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import DIGITS_MAX, flag, text
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT

_ASYNC = flag("async", "Whether the batch is applied later: then the answer is 202, and says where to ask for it.")
_KIND = text("kind", "Of this kind alone; what the inbox could not apply has the kind `proposals`.")
_NEXT = (Link("readInboxEntry", {"path.id": "$response.body#/id"}, status=202),)


class ProposalsHandler(ApiHandler):
    """`POST /proposals`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "submitProposals",
        takes=[_ASYNC, IDEMPOTENCY_KEY],
        body="proposals",
        answers={200: "write-results", 202: "inbox-entry"},
        refuses=[InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
        links=[Link("readEntity", {"path.urn": "$response.body#/results/0/urn"}), *_NEXT],
    )
    async def post(self) -> None:
        """A batch of proposals, applied wholly or not at all; with `async`, later."""
        later, principal, body = self.asked(_ASYNC), self.principal, await self.body()
        proposals = [documents.proposal(one) for one in body["proposals"]]
        if later:
            entry = await self.writing(lambda to, once: to.inbox.accept(proposals, principal, once))
            self.set_header("Location", f"{self.base_url}colophon/api/inbox/{entry.id}")
            self.answer(documents.inbox_entry(entry), status=HTTPStatus.ACCEPTED)
            return
        done = await self.writing(lambda to, once: to.write_path.propose(proposals, principal, "/proposals", once=once))
        self.answer(documents.written_batch(done))


class InboxEntryHandler(ApiHandler):
    """`GET /inbox/{id}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readInboxEntry", answers="inbox-entry", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """What became of a batch that was to be applied later; known for a day."""
        number, principal = _number("entry of the inbox", in_path), self.principal
        self.answer(documents.inbox_entry(await self.hop(lambda to: to.inbox.entry(number, principal))))


class DeadLettersHandler(ApiHandler):
    """`GET /dead-letters`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listDeadLetters",
        takes=[_KIND, LIMIT, CURSOR],
        answers="dead-letters",
        links=[Link("replayDeadLetter", {"path.id": "$response.body#/deadLetters/0/id"})],
    )
    async def get(self) -> None:
        """A page of what could not be applied, newest first: one's own, or all of them for an admin."""
        kind, limit, cursor, principal = self.asked(_KIND), self.asked(LIMIT), self.asked(CURSOR), self.principal
        found, more = await self.hop(lambda to: to.dead_letters.page(kind, limit, cursor, principal))
        self.answer({"deadLetters": [documents.dead_letter(one) for one in found], "cursor": more})


class DeadLetterHandler(ApiHandler):
    """`DELETE /dead-letters/{id}`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("deleteDeadLetter", takes=[IDEMPOTENCY_KEY], answers="dead-letter-delete-result", refuses=[NotFound])
    async def delete(self, in_path: str) -> None:
        """Throw a dead letter away."""
        number, principal = _number("dead letter", in_path), self.principal
        gone = await self.writing(lambda to, once: to.dead_letters.discard(number, principal, once))
        self.answer({"id": str(gone)})


class ReplayHandler(ApiHandler):
    """`POST /dead-letters/{id}/replay`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "replayDeadLetter",
        takes=[IDEMPOTENCY_KEY],
        answers="write-results",
        refuses=[NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
    )
    async def post(self, in_path: str) -> None:
        """Apply it again, as who sent it; where that fails, it stays with what is wrong now."""
        number, principal = _number("dead letter", in_path), self.principal
        done = await self.writing(lambda to, once: to.dead_letters.replay(number, principal, once))
        self.answer(documents.written_batch(done))


def _number(kind: str, told: str) -> int:
    """The number in a path. Raises NotFound: no other text names any."""
    if not (told.isascii() and told.isdigit() and len(told) <= DIGITS_MAX):
        raise NotFound(kind, told)
    return int(told)


ROUTES = [
    ("/proposals", ProposalsHandler),
    ("/inbox/{id}", InboxEntryHandler),
    ("/dead-letters", DeadLettersHandler),
    ("/dead-letters/{id}", DeadLetterHandler),
    ("/dead-letters/{id}/replay", ReplayHandler),
]
