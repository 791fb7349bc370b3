"""The inbox: proposals that are accepted at once and applied later, in order of arrival.

One thread per process applies them (spec WRITE-11). A batch is applied, removed from the queue and its outcome recorded
in one transaction, so it takes effect exactly once, even if processes are killed or work concurrently.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.changes.inbox import OUTCOME_KEPT_MS, InboxEntry, Rejection, describe_proposals_for_log
from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import MetadataError, NotFound, StorageError, TransactionTimeout
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import dead_letters, idempotency_results
from jupyter_colophon.storage.changes import inbox as rows
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: How often an idle thread checks for batches of other processes, in seconds.
IDLE_S = 5.0
#: How often proposals that wait for review are checked for expiry.
_EXPIRY_CHECK_MS = 3_600_000
#: How many old outcomes, or dead letters, are deleted at once.
_DELETE_BATCH = 500
#: How often a batch is tried whose transaction times out: a stalled machine makes any batch slow once.
SLOW_ATTEMPTS = 3
#: The prefix of problem pointers: the batch within the request body.
PROPOSALS_POINTER = "/proposals"
_logger = logging.getLogger("jupyter_colophon.inbox")


@dataclass(slots=True)
class ProposalInbox:
    """Accepts batches, applies them, and reports their outcomes."""

    provider: StorageProvider
    write_path: WritePath
    now: Callable[[], int]
    #: For how many days dead letters are kept; 0 means forever.
    letters_days: int = 0
    #: Rejects the proposals that no one has reviewed in time.
    reject_expired_reviews: Callable[[], None] = lambda: None
    _worker: Worker = field(init=False)
    #: The batch whose transaction timed out last, and how many times in succession.
    _slow: tuple[int, int] = (0, 0)
    #: When this process applied or refused a batch last, in ms.
    _last_done: int | None = None
    #: When proposals are next checked for expiry, in ms.
    _next_expiry: int = 0

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first batch."""
        self._worker = Worker(
            "colophon-inbox", self._apply_all_pending, _logger, "the inbox", idle_s=IDLE_S, unavailable=(StorageError,)
        )

    def check_and_store_batch(
        self, proposals: Sequence[Proposal], principal: Principal, idempotency_key: IdempotencyKey | None = None
    ) -> InboxEntry:
        """Store a batch durably and return its entry; raise errors that can be detected now, as `WritePath.propose` does."""
        self.write_path.authorize_and_validate(proposals, principal, PROPOSALS_POINTER)

        def take(tx: TableContext) -> InboxEntry:
            now = self.now()
            tx.on_commit(self.apply_pending_now)
            return idempotency_results.run_once_and_store_result(
                tx, idempotency_key, codecs.ENTRY, now, lambda: rows.add_batch(tx, proposals, principal, now)
            )

        return self.provider.tx_runner.run(take)

    def require_visible_entry(self, number: int, principal: Principal) -> InboxEntry:
        """Return the outcome of a batch, for a day. Raises NotFound, also for batches of others unless the principal is an admin."""
        entry = self.provider.tx_runner.run(lambda tx: rows.find_entry(tx, number), read_only=True)
        if entry is None or not self._is_entry_visible(entry, principal):
            raise NotFound("entry of the inbox", str(number))
        return entry

    def count_pending_and_dead(self) -> tuple[int, int]:
        """Return the number of pending batches and of dead letters."""
        return self.provider.tx_runner.run(
            lambda tx: (rows.count_pending_rows(tx), dead_letters.count_letters(tx)), read_only=True
        )

    def read_progress(self, tx: TableContext) -> WorkProgress:
        """Return how many batches are not applied."""
        oldest = rows.find_oldest_pending_row(tx)
        if oldest is None:
            return WorkProgress("inbox", 0, None, self._last_done, self._worker.problem)
        pending = rows.count_pending_rows(tx)
        return WorkProgress("inbox", pending, oldest["time"], self._last_done, self._worker.problem)

    def start_applying_in_background(self) -> None:
        """Continue batches left by other or earlier processes, and keep checking for them."""
        self.apply_pending_now()

    def apply_pending_now(self) -> None:
        """Apply pending batches now."""
        self._worker.wake()
        self._worker.start()

    def stop_thread(self) -> None:
        """End the thread; pending batches stay in the store."""
        self._worker.close()

    def _is_entry_visible(self, entry: InboxEntry, principal: Principal) -> bool:
        if entry.state != "pending" and entry.time < self.now() - OUTCOME_KEPT_MS:
            return False
        return entry.actor == principal.user or self.write_path.access_control.may(principal, "admin", "system")

    def _apply_all_pending(self) -> None:
        while not self._worker.is_stopped and (row := self._find_oldest_pending_row()) is not None:
            self._apply_or_refuse_batch(row)
            self._last_done = self.now()
        run, now = self.provider.tx_runner.run, self.now()
        if old := run(lambda tx: rows.list_expired_numbers(tx, now, _DELETE_BATCH), read_only=True):
            run(lambda tx: rows.delete_batches(tx, old))
        self._delete_old_dead_letters(now)
        if now >= self._next_expiry:
            self.reject_expired_reviews()
            self._next_expiry = now + _EXPIRY_CHECK_MS

    def _delete_old_dead_letters(self, now: int) -> None:
        before = now - self.letters_days * DAY_MS
        if not self.letters_days or not self.provider.tx_runner.run(
            lambda tx: dead_letters.has_letters_before(tx, before), read_only=True
        ):
            return
        deleted = self.provider.tx_runner.run(lambda tx: dead_letters.delete_letters_before(tx, before, _DELETE_BATCH))
        _logger.warning("deleted %s dead letters older than %s days", deleted, self.letters_days)

    def _find_oldest_pending_row(self) -> Row | None:
        return self.provider.tx_runner.run(rows.find_oldest_pending_row, read_only=True)

    def _apply_or_refuse_batch(self, row: Row) -> None:
        """Apply or refuse a batch. Raises StorageError if the store fails; the batch then stays pending."""
        number = row["id"]
        try:
            self._apply_or_hold_batch(row)
        except TransactionTimeout as error:
            self._slow = (number, self._slow[1] + 1 if self._slow[0] == number else 1)
            if self._slow[1] < SLOW_ATTEMPTS:
                raise
            # It times out every time and would block the batches after it.
            self._refuse_batch(row, error)
        except StorageError:
            raise
        except MetadataError as error:
            self._refuse_batch(row, error)
        except Exception as error:
            _logger.exception("a batch of proposals in the inbox failed with an unexpected error")
            self._refuse_batch(row, error)

    def _apply_or_hold_batch(self, row: Row) -> None:
        """Apply a batch, or make it wait if a policy requires review of it."""
        number = row["id"]
        proposals = codecs.PROPOSALS.read(parse_stored_json(row["proposals"]))
        sender = codecs.PRINCIPAL.read(parse_stored_json(row["principal"]))

        def apply_once(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
            if not rows.is_pending(tx, number):
                return []
            done = apply()
            rows.mark_applied_and_drop_proposals(tx, number, done)
            return done

        if not self._hold_if_reviewed(number, proposals, sender):
            self.write_path.apply_proposals_atomically(proposals, sender, PROPOSALS_POINTER, in_transaction=apply_once)

    def _hold_if_reviewed(self, number: int, proposals: Sequence[Proposal], sender: Principal) -> bool:
        """Make a batch wait if a policy requires review of it; return whether it waits."""
        about = self.write_path.find_reviewed_entity(proposals, sender)
        if about is None:
            return False
        self.write_path.authorize_and_validate(proposals, sender, PROPOSALS_POINTER)
        return self.write_path.hold_batch(proposals, about, sender, number) is not None

    def _refuse_batch(self, row: Row, error: Exception) -> None:
        refusal = Rejection.from_error(error)
        details = (row["id"], row["actor"], row["run"], _describe_batch_for_log(row), refusal.detail)
        _logger.warning("batch %s of %s (run %s) was refused: %s: %s", *details)

        def move_to_dead_letters(tx: TableContext) -> None:
            if rows.is_pending(tx, row["id"]):
                dead_letters.add_letter_of_inbox_row(tx, row, refusal, self.now())
                rows.mark_refused_and_drop_proposals(tx, row["id"], refusal)

        self.provider.tx_runner.run(move_to_dead_letters)


def _describe_batch_for_log(row: Row) -> str:
    try:
        return describe_proposals_for_log(codecs.PROPOSALS.read(parse_stored_json(row["proposals"])))
    except Exception:  # noqa: BLE001  unreadable rows are refused too
        return "unreadable proposals"
