"""Dead letters: list, replay and discard what could not be applied."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.changes.inbox import EVENTS, DeadLetter, Rejection
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import AccessDenied, MetadataError, NotFound, StorageError
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.service.changes.inbox import PROPOSALS_POINTER
from jupyter_colophon.service.openlineage.collector import Collector
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import dead_letters as rows
from jupyter_colophon.storage.changes import idempotency_results, sinks
from jupyter_colophon.storage.changes import inbox as inbox_rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_logger = logging.getLogger("jupyter_colophon.inbox")


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The dead letters of a catalog: users access their own, admins all."""

    provider: StorageProvider
    read_policy: ReadPolicy
    write_path: WritePath
    cursors: Cursors
    collector: Collector
    now: Callable[[], int]

    def list_page(
        self, kind: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[DeadLetter], str | None]:
        """Return a page of dead letters, newest first, and the next cursor."""
        before = int(self.cursors.read("dead-letters", cursor)) if cursor else None
        actor = None if self._is_admin(principal) else principal.user

        def fits(letter_kind: str) -> bool:
            return kind in ("", letter_kind)

        page, is_cut = self.provider.tx_runner.run(
            lambda tx: rows.read_page(tx, actor, before, limit, fits), read_only=True
        )
        more = self.cursors.write("dead-letters", page[-1].id) if page and is_cut else None
        return [letter for letter in page if self._is_visible(letter, principal)], more

    def _is_visible(self, letter: DeadLetter, principal: Principal, tx: TableContext | None = None) -> bool:
        """Return whether the principal may see every entity of a dead letter; rights may have changed since it was stored."""
        urns = [proposal.urn for proposal in letter.proposals]
        if tx is not None:
            return all(self.read_policy.may_see(tx, principal, urn) for urn in urns)
        return len(self.read_policy.filter_visible(principal, urns)) == len(urns)

    def store_refused(self, proposals: Sequence[Proposal], principal: Principal, error: MetadataError) -> None:
        """Store proposals that were refused synchronously, so that admins can see them."""
        refusal = Rejection.from_error(error)
        try:
            self.provider.tx_runner.run(lambda tx: rows.add_refused(tx, proposals, principal, refusal, self.now()))
        except StorageError as failed:
            # The sender gets the refusal; failing to store it must not replace that error.
            _logger.warning("cannot store a refused proposal: %s", failed.detail)

    def replay(self, number: int, principal: Principal, once: IdempotencyKey | None = None) -> list[ProposalResult]:
        """Apply a dead letter as its sender, who is authorised again, and delete it.

        A change that a sink refused is queued for delivery again. If applying fails, the letter stays with the new error,
        which is raised. Raises NotFound, and AccessDenied if the sender's scopes exceed those of the principal.
        """

        def find_letter(tx: TableContext) -> tuple[list[ProposalResult] | None, DeadLetter | None]:
            # Check for a stored result first: after a lost response the letter is already deleted.
            result = None if once is None else idempotency_results.find_earlier(tx, once, codecs.WRITTEN, self.now())
            return result, rows.read(tx, number)

        result, letter_or_none = self.provider.tx_runner.run(find_letter, read_only=True)
        if result is not None:
            return result
        letter = self._require_own(letter_or_none, number, principal)
        if not letter.sender.scopes <= principal.scopes:
            raise AccessDenied("replay", f"the dead letter {number}")
        return self._apply(letter, once) if letter.seq is None else self._deliver_again(letter, letter.seq, once)

    def discard(self, number: int, principal: Principal, once: IdempotencyKey | None = None) -> int:
        """Delete a dead letter; return its number. Raises NotFound, and AccessDenied without the scope admin."""

        def remove_letter(tx: TableContext) -> int:
            self._require_own(rows.read(tx, number), number, principal, tx)
            if "admin" not in principal.scopes:
                subject = f"the dead letter {number}: deleting needs the scope admin, and this token lacks it"
                raise AccessDenied("delete", subject)
            rows.remove(tx, number)
            return number

        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.run_once(tx, once, codecs.NUMBER, self.now(), lambda: remove_letter(tx))
        )

    def _apply(self, letter: DeadLetter, once: IdempotencyKey | None) -> list[ProposalResult]:
        def apply_and_remove(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
            if not rows.remove(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))
            done = apply()
            inbox_rows.mark_applied(tx, letter.id, done)
            return done

        try:
            if letter.kind == EVENTS:
                self.collector.replay(letter)
                return []
            return self.write_path.propose(
                self._read_proposals(letter),
                letter.sender,
                PROPOSALS_POINTER,
                once=once,
                in_transaction=apply_and_remove,
            )
        except StorageError:
            raise
        except MetadataError as error:
            refusal = Rejection.from_error(error)
            self.provider.tx_runner.run(lambda tx: rows.record_attempt(tx, letter.id, refusal, self.now()))
            raise

    def _read_proposals(self, letter: DeadLetter) -> tuple[Proposal, ...]:
        """Return the proposals of a letter; a message that could not be parsed is parsed again."""
        if letter.document is None or letter.proposals:
            return letter.proposals
        message = mcp.read_proposal(parse(letter.document.encode(), "the message"), self.write_path.registry)
        return (replace(message, united=True),)

    def _deliver_again(self, letter: DeadLetter, seq: int, once: IdempotencyKey | None) -> list[ProposalResult]:
        def queue_delivery(tx: TableContext) -> list[ProposalResult]:
            if not rows.remove(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))
            sinks.request_redelivery(tx, letter.sender.user, seq)
            return []

        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.run_once(tx, once, codecs.WRITTEN, self.now(), lambda: queue_delivery(tx))
        )

    def _require_own(
        self, letter: DeadLetter | None, number: int, principal: Principal, tx: TableContext | None = None
    ) -> DeadLetter:
        own = letter is not None and letter.seq is None and letter.sender.user == principal.user
        if letter is None or not (own or self._is_admin(principal)) or not self._is_visible(letter, principal, tx):
            raise NotFound("dead letter", str(number))
        return letter

    def _is_admin(self, principal: Principal) -> bool:
        return self.write_path.authorizer.may(principal, "admin", "system")
