"""Check the integrity of a store, in short read transactions while servers run (spec FAULT-3)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage.audit_log import AUDIT_LOG
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.changes.signed_chain import CHANGE_LOG, Seal, SealedLog
from jupyter_colophon.storage.entities.sources_of_truth import CheckStep
from jupyter_colophon.storage.integrity import counters_check, source_check
from jupyter_colophon.storage.integrity.derived_check import (
    DerivedRowDifference,
    list_derived_row_checks,
    remove_unclaimed_row,
)
from jupyter_colophon.storage.privacy import erasures
from jupyter_colophon.storage.privacy.person_logs import get_seal_of_next_rows
from jupyter_colophon.storage.spi import Key, StorageProvider, TableContext

#: How many seals, with their changes, are checked per transaction.
_SEAL_BATCH = 4
#: How many differences are repaired per transaction, to keep transactions short.
_REPAIR_BATCH = 50
T = TypeVar("T")

#: Called with the current task and the number of its finished steps.
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class IntegrityChecker:
    """Checks one store, and rebuilds derived rows."""

    provider: StorageProvider
    registry: Registry
    key: bytes
    now: Callable[[], int]
    progress: Progress

    def find_issues(self) -> Iterator[IntegrityIssue]:
        """Yield every problem in the order of discovery. Raises StorageError."""
        self.progress("store", 0)
        yield from (IntegrityIssue("the store", fault) for fault in self.provider.find_store_problems())
        yield from self.find_issues_of_log(CHANGE_LOG)
        yield from self.find_issues_of_log(AUDIT_LOG)
        for inspection in source_check.list_source_checks(self.registry):
            for issues in self.iterate_step_results(inspection):
                yield from issues
        for comparison in list_derived_row_checks(self.registry):
            for differences in self.iterate_step_results(comparison):
                yield from (difference.issue for difference in differences)
        yield from self.find_issues_of_counts()

    def rebuild_derived_rows(self) -> int:
        """Rebuild derived rows from their sources; return the number of repaired differences. Raises StorageError.

        Transactions are short; writers wait only if the store has to repair its own indexes.
        """
        if self.provider.find_store_problems():
            self.provider.rebuild_derived_data()
        return self.repair_derived_rows()

    def repair_derived_rows(self) -> int:
        """Compare derived rows with their sources; return the number of repaired differences. Raises StorageError."""
        repaired = 0
        for comparison in list_derived_row_checks(self.registry):
            for differences in self.iterate_step_results(comparison):
                repaired += self.repair_differences(differences)
        return repaired + self.repair_wrong_counts()

    def repair_wrong_counts(self) -> int:
        """Compare counts with their sources, repair them, and return the number of differences. Raises StorageError."""
        return self.repair_differences(self._find_wrong_counts())

    def find_issues_of_counts(self) -> list[IntegrityIssue]:
        """Return wrong counts, and superfluous rows of names and values. Raises StorageError."""
        return [difference.issue for difference in self._find_wrong_counts()]

    def iterate_step_results(self, scan: CheckStep[T], begin: Any = None, end: Any = None) -> Iterator[list[T]]:
        """Yield the result of each step of a scan; each step is a transaction.

        With `begin` and `end`, only those of the rows between them: after the keys that begin with `begin`, up to those that
        begin with `end`. The last step may include rows after these.
        """
        position, steps, has_more = scan.begin if begin is None else begin, 0, True
        while has_more:
            results, position = self.run_read_transaction(partial(_run_check_step, scan, position))
            yield results
            steps, has_more = steps + 1, position is not None and not _is_after(position, end)
            self.progress(scan.title, steps)

    def find_issues_of_log(self, log: SealedLog) -> Iterator[IntegrityIssue]:
        """Check the chain of seals of a log, and the versions that changes refer to. Raises StorageError."""
        self.seal_unsealed_rows_of_log(log)
        yield from self.find_issues_of_sealed_rows(log, 0, None)

    def seal_unsealed_rows_of_log(self, log: SealedLog) -> None:
        """Seal the newest rows of a log. Raises StorageError."""
        seal_unsealed_rows(self.provider, self.key, self.now, log)

    def find_issues_of_sealed_rows(self, log: SealedLog, after: int, until: int | None) -> Iterator[IntegrityIssue]:
        """Check the seals after a number, up to the seal of another one (None: to the end), as `find_issues_of_log` does."""
        before = self.run_read_transaction(lambda tx: signed_chain.find_seal_up_to(tx, after, log))
        steps = 0
        while until is None or before is None or before.seq < until:
            issues, last = self.run_read_transaction(partial(self._find_issues_of_next_seals, log, before))
            yield from issues
            if last is None:
                return
            before, steps = last, steps + 1
            self.progress(log.subject.removeprefix("the "), steps)

    def _find_issues_of_next_seals(
        self, log: SealedLog, before: Seal | None, tx: TableContext
    ) -> tuple[list[IntegrityIssue], Seal | None]:
        """Check the next seals; return the problems and the last seal."""
        # The log may be truncated concurrently.
        removed = signed_chain.get_last_removed_number(tx, log)
        before = None if before is not None and before.seq < removed else before
        findings = []
        # An erasure that has not ended has replaced names in some places and not yet in others.
        is_erasing = erasures.find_current_erasure(tx) is not None
        last = None
        for next_seal in signed_chain.list_seals_after(tx, before.seq if before else -1, _SEAL_BATCH, log):
            before = get_seal_of_next_rows(tx, log, before)
            rows = signed_chain.read_rows_of_seal(tx, before, next_seal, log)
            if fault := signed_chain.find_seal_problem(self.key, before, next_seal, rows, log):
                findings.append(IntegrityIssue(log.subject, fault))
            if log is CHANGE_LOG and not is_erasing:
                findings += [
                    finding for row in rows if (finding := source_check.find_change_version_issue(tx, row)) is not None
                ]
            before = last = next_seal
        return findings, last

    def _find_wrong_counts(self) -> list[DerivedRowDifference]:
        """Return wrong counts, and superfluous rows of names and values."""

        def read_differences(tx: TableContext) -> dict[tuple[str, Key], int]:
            return counters_check.find_counter_differences(tx, self.registry, lambda: self.progress("counts", 0))

        return [
            difference
            for row, amount in self.run_read_transaction(read_differences).items()
            if (difference := self._find_confirmed_count_difference(*row, amount)) is not None
        ]

    def _find_confirmed_count_difference(self, table: str, key: Key, amount: int) -> DerivedRowDifference | None:
        if table in counters_check.COUNTED:
            return DerivedRowDifference(
                table,
                f"a count is wrong by {-amount}",
                partial(counters_check.add_to_counter_or_delete, table, key, amount),
            )
        if amount > 0:
            return None
        repair = partial(remove_unclaimed_row, self.registry, table, key)
        return DerivedRowDifference(
            counters_check.get_urn_of_row_key(table, key), f"a row of {table} is superfluous", repair
        )

    def repair_differences(self, differences: Sequence[DerivedRowDifference]) -> int:
        """Repair differences in short transactions; return their number. Raises StorageError."""
        for at in range(0, len(differences), _REPAIR_BATCH):
            part = differences[at : at + _REPAIR_BATCH]
            self.provider.tx_runner.run(partial(_repair_differences_in_transaction, part))
        return len(differences)

    def run_read_transaction(self, work: Callable[[TableContext], T]) -> T:
        """Run in one read transaction."""
        return self.provider.tx_runner.run(work, read_only=True)


def _run_check_step(scan: CheckStep[T], position: Any, tx: TableContext) -> tuple[list[T], Any]:
    return scan.step(tx, position)


def _is_after(position: Any, end: Any) -> bool:
    """Return whether a position is after all keys that begin with `end`; None is the end of the table."""
    if end is None:
        return False
    return bool((position[: len(end)] if isinstance(end, tuple) else position) > end)


def _repair_differences_in_transaction(differences: Sequence[DerivedRowDifference], tx: TableContext) -> None:
    for difference in differences:
        difference.repair(tx)
