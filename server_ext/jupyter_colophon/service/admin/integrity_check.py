"""Check the integrity of a store, in short read transactions while servers run (spec FAULT-3)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.changes.sealing import seal
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.changes.signed_chain import Seal
from jupyter_colophon.storage.entities.sources_of_truth import CheckStep
from jupyter_colophon.storage.integrity import counters_check, source_check
from jupyter_colophon.storage.integrity.derived_check import Difference, list_comparisons, remove_unclaimed_row
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
        yield from (IntegrityIssue("the store", fault) for fault in self.provider.check())
        yield from self._check_changes()
        for inspection in source_check.list_inspections(self.registry):
            for issues in self._run_steps(inspection):
                yield from issues
        for comparison in list_comparisons(self.registry):
            for differences in self._run_steps(comparison):
                yield from (IntegrityIssue(difference.subject, difference.fault) for difference in differences)
        yield from (IntegrityIssue(difference.subject, difference.fault) for difference in self._check_counts())

    def reindex(self) -> int:
        """Rebuild derived rows from their sources; return the number of repaired differences. Raises StorageError.

        Transactions are short; writers wait only if the store has to repair its own indexes.
        """
        if self.provider.check():
            self.provider.repair()
        repaired = 0
        for comparison in list_comparisons(self.registry):
            for differences in self._run_steps(comparison):
                repaired += self._repair(differences)
        return repaired + self._repair(self._check_counts())

    def _run_steps(self, scan: CheckStep[T]) -> Iterator[list[T]]:
        """Yield the result of each step of a scan; each step is a transaction."""
        position, steps, has_more = scan.begin, 0, True
        while has_more:
            results, position = self._read(partial(_run_step, scan, position))
            yield results
            steps, has_more = steps + 1, position is not None
            self.progress(scan.title, steps)

    def _check_changes(self) -> Iterator[IntegrityIssue]:
        """Check the chain of seals, and the versions that the changes refer to."""
        seal(self.provider, self.key, self.now)
        before: Seal | None = None
        steps = 0
        while True:
            issues, last = self._read(partial(self._check_seals, before))
            yield from issues
            if last is None:
                return
            before, steps = last, steps + 1
            self.progress("change log", steps)

    def _check_seals(self, before: Seal | None, tx: TableContext) -> tuple[list[IntegrityIssue], Seal | None]:
        """Check the next seals; return the problems and the last seal."""
        # The log may be truncated concurrently.
        before = None if before is not None and before.seq < signed_chain.get_truncated_through(tx) else before
        findings = []
        last = None
        for next_seal in signed_chain.list_after(tx, before.seq if before else -1, _SEAL_BATCH):
            rows = signed_chain.read_sealed_rows(tx, before, next_seal)
            if fault := signed_chain.find_fault(self.key, before, next_seal, rows):
                findings.append(IntegrityIssue("the change log", fault))
            findings += [finding for row in rows if (finding := source_check.find_version_fault(tx, row)) is not None]
            before = last = next_seal
        return findings, last

    def _check_counts(self) -> list[Difference]:
        """Return wrong counts, and superfluous rows of names and values."""

        def read_differences(tx: TableContext) -> dict[tuple[str, Key], int]:
            return counters_check.find_differences(tx, self.registry, lambda: self.progress("counts", 0))

        return [
            difference
            for row, amount in self._read(read_differences).items()
            if (difference := self._count_difference(*row, amount)) is not None
        ]

    def _count_difference(self, table: str, key: Key, amount: int) -> Difference | None:
        if table in counters_check.COUNTED:
            return Difference(
                table, f"a count is wrong by {-amount}", partial(counters_check.repair, table, key, amount)
            )
        if amount > 0:
            return None
        repair = partial(remove_unclaimed_row, self.registry, table, key)
        return Difference(counters_check.get_urn(table, key), f"a row of {table} is superfluous", repair)

    def _repair(self, differences: Sequence[Difference]) -> int:
        for at in range(0, len(differences), _REPAIR_BATCH):
            part = differences[at : at + _REPAIR_BATCH]
            self.provider.tx_runner.run(partial(_repair_all, part))
        return len(differences)

    def _read(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work, read_only=True)


def _run_step(scan: CheckStep[T], position: Any, tx: TableContext) -> tuple[list[T], Any]:
    return scan.step(tx, position)


def _repair_all(differences: Sequence[Difference], tx: TableContext) -> None:
    for difference in differences:
        difference.repair(tx)
