"""Dead letters: list, replay and discard what could not be applied."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.changes.inbox import EVENTS, DeadLetter, Rejection
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import AccessDenied, HeldForReview, MetadataError, NotFound, StorageError
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.service.changes.inbox import PROPOSALS_POINTER
from jupyter_colophon.service.openlineage.collector import OpenLineageCollector
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import dead_letters as rows
from jupyter_colophon.storage.changes import idempotency_results, sinks
from jupyter_colophon.storage.changes import inbox as inbox_rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_logger = logging.getLogger("jupyter_colophon.inbox")


@dataclass(frozen=True, slots=True)
class DeadLetterService:
    """The dead letters of a catalog: users access their own, admins all."""

    provider: StorageProvider
    read_policy: ReadPolicy
    write_path: WritePath
    cursors: CursorCodec
    collector: OpenLineageCollector
    now: Callable[[], int]

    def list_visible_page(
        self, kind: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[DeadLetter], str | None]:
        """Return a page of dead letters, newest first, and the next cursor."""
        before = int(self.cursors.decode_cursor("dead-letters", cursor)) if cursor else None
        actor = None if self._has_admin_scope(principal) else principal.user

        def fits(letter_kind: str) -> bool:
            return kind in ("", letter_kind)

        page, is_cut = self.provider.tx_runner.run(
            lambda tx: rows.list_newest_letters(tx, actor, before, limit, fits), read_only=True
        )
        more = self.cursors.encode_cursor("dead-letters", page[-1].id) if page and is_cut else None
        return [letter for letter in page if self._is_letter_visible(letter, principal)], more

    def _is_letter_visible(self, letter: DeadLetter, principal: Principal, tx: TableContext | None = None) -> bool:
        """Return whether the principal may see every entity of a dead letter; rights may have changed since it was stored."""
        urns = [proposal.urn for proposal in letter.proposals]
        if tx is not None:
            return all(self.read_policy.may_see_entity(tx, principal, urn) for urn in urns)
        return len(self.read_policy.filter_visible_entities(principal, urns)) == len(urns)

    def store_refused_proposals(
        self, proposals: Sequence[Proposal], principal: Principal, error: MetadataError
    ) -> None:
        """Store proposals that were refused synchronously, so that admins can see them."""
        refusal = Rejection.from_error(error)
        try:
            self.provider.tx_runner.run(
                lambda tx: rows.add_letter_and_trim_sender(tx, proposals, principal, refusal, self.now())
            )
        except StorageError as failed:
            # The sender gets the refusal; failing to store it must not replace that error.
            _logger.warning("a refused proposal cannot be stored as a dead letter: %s", failed.detail)

    def retry_and_delete_letter(
        self, number: int, principal: Principal, idempotency_key: IdempotencyKey | None = None
    ) -> list[ProposalResult]:
        """Apply a dead letter as its sender, who is authorised again, and delete it.

        A change that a sink refused is queued for delivery again. If applying fails, the letter stays with the new error,
        which is raised. Raises NotFound, and AccessDenied if the sender's scopes exceed those of the principal.
        """

        def find_letter(tx: TableContext) -> tuple[list[ProposalResult] | None, DeadLetter | None]:
            # Check for a stored result first: after a lost response the letter is already deleted.
            result = (
                None
                if idempotency_key is None
                else idempotency_results.find_stored_result(tx, idempotency_key, codecs.WRITTEN, self.now())
            )
            return result, rows.find_letter(tx, number)

        result, letter_or_none = self.provider.tx_runner.run(find_letter, read_only=True)
        if result is not None:
            return result
        letter = self._require_visible_letter(letter_or_none, number, principal)
        if not principal.has_all_rights_of_token(letter.sender):
            raise AccessDenied("replay", f"the dead letter {number}")
        return (
            self._apply_letter_as_sender(letter, idempotency_key)
            if letter.seq is None
            else self._delete_letter_and_request_redelivery(letter, letter.seq, idempotency_key)
        )

    def delete_letter(self, number: int, principal: Principal, idempotency_key: IdempotencyKey | None = None) -> int:
        """Delete a dead letter; return its number. Raises NotFound, and AccessDenied without the scope admin."""

        def remove_letter(tx: TableContext) -> int:
            self._require_visible_letter(rows.find_letter(tx, number), number, principal, tx)
            if "admin" not in principal.scopes:
                subject = f"the dead letter {number}: deleting needs the scope admin, and this token lacks it"
                raise AccessDenied("delete", subject)
            rows.delete_letter(tx, number)
            return number

        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.run_once_and_store_result(
                tx, idempotency_key, codecs.NUMBER, self.now(), lambda: remove_letter(tx)
            )
        )

    def _apply_letter_as_sender(
        self, letter: DeadLetter, idempotency_key: IdempotencyKey | None
    ) -> list[ProposalResult]:
        def apply_and_remove(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
            if not rows.delete_letter(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))
            done = apply()
            inbox_rows.mark_applied_and_drop_proposals(tx, letter.id, done)
            return done

        try:
            if letter.kind == EVENTS:
                self.collector.retry_letter_and_delete_it(letter)
                return []
            return self.write_path.apply_proposals_atomically(
                self._get_or_parse_proposals(letter),
                letter.sender,
                PROPOSALS_POINTER,
                idempotency_key=idempotency_key,
                in_transaction=apply_and_remove,
            )
        except (StorageError, HeldForReview):
            raise
        except MetadataError as error:
            refusal = Rejection.from_error(error)
            self.provider.tx_runner.run(lambda tx: rows.record_failed_retry(tx, letter.id, refusal, self.now()))
            raise

    def _get_or_parse_proposals(self, letter: DeadLetter) -> tuple[Proposal, ...]:
        """Return the proposals of a letter; a message that could not be parsed is parsed again."""
        if letter.document is None or letter.proposals:
            return letter.proposals
        message = parse_json(letter.document.encode(), "the message")
        return (mcp.read_proposal(message, self.write_path.registry),)

    def _delete_letter_and_request_redelivery(
        self, letter: DeadLetter, seq: int, idempotency_key: IdempotencyKey | None
    ) -> list[ProposalResult]:
        def queue_delivery(tx: TableContext) -> list[ProposalResult]:
            if not rows.delete_letter(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))
            sinks.record_redelivery_request(tx, letter.sender.user, seq)
            return []

        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.run_once_and_store_result(
                tx, idempotency_key, codecs.WRITTEN, self.now(), lambda: queue_delivery(tx)
            )
        )

    def _require_visible_letter(
        self, letter: DeadLetter | None, number: int, principal: Principal, tx: TableContext | None = None
    ) -> DeadLetter:
        own = letter is not None and letter.seq is None and letter.sender.user == principal.user
        if (
            letter is None
            or not (own or self._has_admin_scope(principal))
            or not self._is_letter_visible(letter, principal, tx)
        ):
            raise NotFound("dead letter", str(number))
        return letter

    def _has_admin_scope(self, principal: Principal) -> bool:
        return self.write_path.access_control.may(principal, "admin", "system")
