"""Dead letters: what could not be applied, shown to whom it belongs, tried again, or thrown away."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.changes.inbox import EVENTS, DeadLetter, Refusal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import AccessDenied, MetadataError, NotFound, StorageError
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.service.changes.inbox import WITHIN
from jupyter_colophon.service.openlineage.collector import Collector
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import dead_letters as rows
from jupyter_colophon.storage.changes import idempotency_results, sinks
from jupyter_colophon.storage.changes import inbox as inbox_rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_logger = logging.getLogger("jupyter_colophon.inbox")


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The dead letters of a catalog. A user has their own; an admin has all."""

    provider: StorageProvider
    gate: Gate
    write_path: WritePath
    cursors: Cursors
    collector: Collector
    now: Callable[[], int]

    def page(self, kind: str, limit: int, cursor: str, principal: Principal) -> tuple[list[DeadLetter], str | None]:
        """The newest first, and where to read on."""
        before = int(self.cursors.read("dead-letters", cursor)) if cursor else None
        actor = None if self._is_admin(principal) else principal.user

        def fits(found: str) -> bool:
            return kind in ("", found)

        page, is_cut = self.provider.tx_runner.run(lambda tx: rows.page(tx, actor, before, limit, fits), read_only=True)
        more = self.cursors.write("dead-letters", page[-1].id) if page and is_cut else None
        return [letter for letter in page if self._is_visible(letter, principal)], more

    def _is_visible(self, letter: DeadLetter, principal: Principal, tx: TableContext | None = None) -> bool:
        """Whether a letter names no entity that its reader may not see: rights may have changed since, or be an admin's."""
        urns = [proposal.urn for proposal in letter.proposals]
        if tx is not None:
            return all(self.gate.may_see(tx, principal, urn) for urn in urns)
        return len(self.gate.filter_visible(principal, urns)) == len(urns)

    def keep(self, proposals: Sequence[Proposal], principal: Principal, error: MetadataError) -> None:
        """Keep proposals that were refused at once for what they say, for whoever looks after their sender."""
        refusal = Refusal.of(error)
        try:
            self.provider.tx_runner.run(lambda tx: rows.bury_refused(tx, proposals, principal, refusal, self.now()))
        except StorageError as failed:
            # The sender is told of the refusal; that nobody else is must not hide it.
            _logger.warning("a refusal was not kept: %s", failed.detail)

    def replay(self, number: int, principal: Principal, once: Once | None = None) -> list[Written]:
        """Apply a letter as the principal who sent it, who is authorised again, and take it away.

        What a sink would not take is given to it once more, soon.

        Where that fails, the letter stays, with the new problem; raises it. Raises NotFound, and AccessDenied where
        the sender's token could do what that of the principal cannot.
        """

        def look(tx: TableContext) -> tuple[list[Written] | None, DeadLetter | None]:
            # The answer that was lost first: the letter is gone then.
            done = None if once is None else idempotency_results.earlier(tx, once, codecs.WRITTEN, self.now())
            return done, rows.read(tx, number)

        done, found = self.provider.tx_runner.run(look, read_only=True)
        if done is not None:
            return done
        letter = self._own(found, number, principal)
        if not letter.sender.scopes <= principal.scopes:
            raise AccessDenied("replay", f"the dead letter {number}")
        return self._apply(letter, once) if letter.seq is None else self._deliver_again(letter, letter.seq, once)

    def discard(self, number: int, principal: Principal, once: Once | None = None) -> int:
        """Throw a letter away; returns its number. Raises NotFound, AccessDenied for a kernel's token."""

        def work(tx: TableContext) -> int:
            self._own(rows.read(tx, number), number, principal, tx)
            if "admin" not in principal.scopes:
                subject = f"the dead letter {number}: deleting needs the scope admin, and this token lacks it"
                raise AccessDenied("delete", subject)
            rows.remove(tx, number)
            return number

        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.once(tx, once, codecs.NUMBER, self.now(), lambda: work(tx))
        )

    def _apply(self, letter: DeadLetter, once: Once | None) -> list[Written]:
        def removing(tx: TableContext, apply: Callable[[], list[Written]]) -> list[Written]:
            if not rows.remove(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))
            done = apply()
            inbox_rows.mark_applied(tx, letter.id, done)
            return done

        try:
            if letter.kind == EVENTS:
                self.collector.replay(letter)
                return []
            return self.write_path.propose(self._wanted(letter), letter.sender, WITHIN, once=once, around=removing)
        except StorageError:
            raise
        except MetadataError as error:
            refusal = Refusal.of(error)
            self.provider.tx_runner.run(lambda tx: rows.note_attempt(tx, letter.id, refusal, self.now()))
            raise

    def _wanted(self, letter: DeadLetter) -> tuple[Proposal, ...]:
        """What a letter proposes; a message that could not be read may be readable by now."""
        if letter.document is None or letter.proposals:
            return letter.proposals
        message = mcp.proposal(parse(letter.document.encode(), "the message"), self.write_path.registry)
        return (replace(message, united=True),)

    def _deliver_again(self, letter: DeadLetter, seq: int, once: Once | None) -> list[Written]:
        def work(tx: TableContext) -> list[Written]:
            if not rows.remove(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))
            sinks.deliver_again(tx, letter.sender.user, seq)
            return []

        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.once(tx, once, codecs.WRITTEN, self.now(), lambda: work(tx))
        )

    def _own(
        self, letter: DeadLetter | None, number: int, principal: Principal, tx: TableContext | None = None
    ) -> DeadLetter:
        own = letter is not None and letter.seq is None and letter.sender.user == principal.user
        if letter is None or not (own or self._is_admin(principal)) or not self._is_visible(letter, principal, tx):
            raise NotFound("dead letter", str(number))
        return letter

    def _is_admin(self, principal: Principal) -> bool:
        return self.write_path.authorizer.may(principal, "admin", "system")
