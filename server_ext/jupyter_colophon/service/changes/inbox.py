"""The inbox: proposals that are accepted at once and applied later, in the order in which they came.

One thread a process applies them (spec WRITE-11). Each batch is applied, taken from the rows that wait,
and its outcome written down in one transaction, so that it has its effect once, whoever is killed and however many
processes do the same.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.changes.inbox import OUTCOME_KEPT_MS, InboxEntry, Refusal, about
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.errors import MetadataError, NotFound, StorageError, TransactionTimeout
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import dead_letters, idempotency_results
from jupyter_colophon.storage.changes import inbox as rows
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: How often an idle thread looks for rows that another process left, in seconds.
IDLE_S = 5.0
_DAY_MS = 86_400_000
#: How many old outcomes, and dead letters, are forgotten at once.
_FORGOTTEN = 500
#: A batch whose transaction takes too long is tried this often: a machine that stalls makes any batch slow once.
SLOW_ATTEMPTS = 3
#: Where a problem's pointers lead: into the body that brought the batch.
WITHIN = "/proposals"
_logger = logging.getLogger("jupyter_colophon.inbox")


@dataclass(slots=True)
class Inbox:
    """Takes batches in, applies them, and tells what became of them."""

    provider: StorageProvider
    write_path: WritePath
    now: Callable[[], int]
    #: For how many days dead letters are kept; 0: for ever.
    letters_days: int = 0
    _worker: Worker = field(init=False)
    #: The batch whose transaction took too long last, and how often in succession.
    _slow: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first batch."""
        self._worker = Worker(
            "colophon-inbox", self._apply_all, _logger, "the inbox", idle_s=IDLE_S, unavailable=(StorageError,)
        )

    def accept(self, proposals: Sequence[Proposal], principal: Principal, once: Once | None = None) -> InboxEntry:
        """Take a batch in, durably; what can be known to be wrong with it now is raised, as by `WritePath.propose`."""
        self.write_path.check(proposals, principal, WITHIN)

        def take(tx: TableContext) -> InboxEntry:
            now = self.now()
            tx.after_commit(self.wake)
            return idempotency_results.once(
                tx, once, codecs.ENTRY, now, lambda: rows.add(tx, proposals, principal, now)
            )

        return self.provider.tx_runner.run(take)

    def entry(self, number: int, principal: Principal) -> InboxEntry:
        """What became of a batch, for a day. Raises NotFound, also for another user's where the principal is no admin."""
        found = self.provider.tx_runner.run(lambda tx: rows.entry(tx, number), read_only=True)
        if found is None or not self._shown(found, principal):
            raise NotFound("entry of the inbox", str(number))
        return found

    def counts(self) -> tuple[int, int]:
        """How many batches wait, and how many dead letters there are."""
        return self.provider.tx_runner.run(lambda tx: (rows.count_waiting(tx), dead_letters.count(tx)), read_only=True)

    def resume(self) -> None:
        """Go on where another process, or this one's life before, left off; and go on looking for such."""
        self.wake()

    def wake(self) -> None:
        """Apply what waits now."""
        self._worker.wake()
        self._worker.start()

    def close(self) -> None:
        """End the thread; what waits stays."""
        self._worker.close()

    def _shown(self, entry: InboxEntry, principal: Principal) -> bool:
        if entry.state != "pending" and entry.time < self.now() - OUTCOME_KEPT_MS:
            return False
        return entry.actor == principal.user or self.write_path.authorizer.may(principal, "admin", "system")

    def _apply_all(self) -> None:
        while not self._worker.is_stopped and (row := self._first()) is not None:
            self._settle(row)
        run, now = self.provider.tx_runner.run, self.now()
        if old := run(lambda tx: rows.outdated(tx, now, _FORGOTTEN), read_only=True):
            run(lambda tx: rows.forget(tx, old))
        self._forget_letters(now)

    def _forget_letters(self, now: int) -> None:
        before = now - self.letters_days * _DAY_MS
        if not self.letters_days or not self.provider.tx_runner.run(
            lambda tx: dead_letters.any_before(tx, before), read_only=True
        ):
            return
        gone = self.provider.tx_runner.run(lambda tx: dead_letters.forget(tx, before, _FORGOTTEN))
        _logger.warning("%s dead letters were thrown away: they were older than %s days", gone, self.letters_days)

    def _first(self) -> Row | None:
        return self.provider.tx_runner.run(rows.first_waiting, read_only=True)

    def _settle(self, row: Row) -> None:
        """Bring a row to its end. Raises StorageError where the store is in the way: then it still waits."""
        number = row["id"]

        def once(tx: TableContext, apply: Callable[[], list[Written]]) -> list[Written]:
            if not rows.is_waiting(tx, number):
                return []
            done = apply()
            rows.mark_applied(tx, number, done)
            return done

        try:
            proposals = codecs.PROPOSALS.read(stored(row["proposals"]))
            sender = codecs.PRINCIPAL.read(stored(row["principal"]))
            self.write_path.propose(proposals, sender, WITHIN, around=once)
        except TransactionTimeout as error:
            self._slow = (number, self._slow[1] + 1 if self._slow[0] == number else 1)
            if self._slow[1] < SLOW_ATTEMPTS:
                raise
            # It is slow each time, and holds up the batches behind it.
            self._refuse(row, error)
        except StorageError:
            raise
        except MetadataError as error:
            self._refuse(row, error)
        except Exception as error:
            _logger.exception("a batch of the inbox failed")
            self._refuse(row, error)

    def _refuse(self, row: Row, error: Exception) -> None:
        refusal = Refusal.of(error)
        said = (row["id"], row["actor"], row["run"], _about(row), refusal.detail)
        _logger.warning("batch %s of %s (run %s) was refused: %s: %s", *said)

        def bury(tx: TableContext) -> None:
            if rows.is_waiting(tx, row["id"]):
                dead_letters.bury(tx, row, refusal, self.now())
                rows.mark_refused(tx, row["id"], refusal)

        self.provider.tx_runner.run(bury)


def _about(row: Row) -> str:
    try:
        return about(codecs.PROPOSALS.read(stored(row["proposals"])))
    except Exception:  # noqa: BLE001  what cannot be read is refused for just that
        return "what cannot be read"
