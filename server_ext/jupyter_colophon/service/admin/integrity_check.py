"""Is the catalog whole? Everything that can be checked, in short reads beside running servers (spec FAULT-3)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from jupyter_colophon.core.integrity_issue import Finding
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.changes.sealing import seal
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.changes.signed_chain import Seal
from jupyter_colophon.storage.entities.sources_of_truth import Way
from jupyter_colophon.storage.integrity import counters_check, source_check
from jupyter_colophon.storage.integrity.derived_check import Difference, comparisons, remove_unclaimed_row
from jupyter_colophon.storage.spi import Key, StorageProvider, TableContext

#: How many seals, and their changes, are looked at in one transaction.
_SEALS_AT_ONCE = 4
#: How many differences are mended in one transaction, so that nobody waits long for it.
_MENDED_AT_ONCE = 50
T = TypeVar("T")

#: Told of what is being done, and how many steps of it are done.
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks one store, and makes anew what is derived."""

    provider: StorageProvider
    registry: Registry
    key: bytes
    now: Callable[[], int]
    progress: Progress

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong, in the order in which it is found. Raises StorageError."""
        self.progress("store", 0)
        yield from (Finding("the store", fault) for fault in self.provider.check())
        yield from self._changes()
        for inspection in source_check.inspections(self.registry):
            for found in self._steps(inspection):
                yield from found
        for comparison in comparisons(self.registry):
            for differences in self._steps(comparison):
                yield from (Finding(one.subject, one.fault) for one in differences)
        yield from (Finding(one.subject, one.fault) for one in self._counts())

    def reindex(self) -> int:
        """Bring everything derived to what truth says; returns how many differences were mended. Raises StorageError.

        Each transaction is short; only a store that finds its own indexes damaged makes its writers wait.
        """
        if self.provider.check():
            self.provider.repair()
        mended = 0
        for comparison in comparisons(self.registry):
            for differences in self._steps(comparison):
                mended += self._mend(differences)
        return mended + self._mend(self._counts())

    def _steps(self, way: Way[T]) -> Iterator[list[T]]:
        """What each step of a way through the store found; each step is a transaction."""
        place, steps, goes_on = way.begin, 0, True
        while goes_on:
            found, place = self._read(partial(_step, way, place))
            yield found
            steps, goes_on = steps + 1, place is not None
            self.progress(way.title, steps)

    def _changes(self) -> Iterator[Finding]:
        """The chain of seals, and the versions that the changes tell of."""
        seal(self.provider, self.key, self.now)
        before: Seal | None = None
        steps = 0
        while True:
            found, last = self._read(partial(self._links, before))
            yield from found
            if last is None:
                return
            before, steps = last, steps + 1
            self.progress("change log", steps)

    def _links(self, before: Seal | None, tx: TableContext) -> tuple[list[Finding], Seal | None]:
        """Some links of the chain, and the last of them."""
        # Whoever compacts the log meanwhile moves its beginning.
        before = None if before is not None and before.seq < signed_chain.floor(tx) else before
        found = []
        last = None
        for one in signed_chain.following(tx, before.seq if before else -1, _SEALS_AT_ONCE):
            rows = signed_chain.sealed(tx, before, one)
            if fault := signed_chain.fault(self.key, before, one, rows):
                found.append(Finding("the change log", fault))
            found += [finding for row in rows if (finding := source_check.version_fault(tx, row)) is not None]
            before = last = one
        return found, last

    def _counts(self) -> list[Difference]:
        """Counts that are wrong, and rows of names and values that are too many."""

        def work(tx: TableContext) -> dict[tuple[str, Key], int]:
            return counters_check.differences(tx, self.registry, lambda: self.progress("counts", 0))

        return [made for of, amount in self._read(work).items() if (made := self._counted(*of, amount)) is not None]

    def _counted(self, table: str, key: Key, amount: int) -> Difference | None:
        if table in counters_check.COUNTED:
            return Difference(
                table, f"a count is wrong by {-amount}", partial(counters_check.repair, table, key, amount)
            )
        if amount > 0:
            return None
        repair = partial(remove_unclaimed_row, self.registry, table, key)
        return Difference(counters_check.urn_in(table, key), f"a row of {table} is superfluous", repair)

    def _mend(self, differences: Sequence[Difference]) -> int:
        for at in range(0, len(differences), _MENDED_AT_ONCE):
            part = differences[at : at + _MENDED_AT_ONCE]
            self.provider.tx_runner.run(partial(_mend_all, part))
        return len(differences)

    def _read(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work, read_only=True)


def _step(way: Way[T], place: Any, tx: TableContext) -> tuple[list[T], Any]:
    return way.step(tx, place)


def _mend_all(differences: Sequence[Difference], tx: TableContext) -> None:
    for difference in differences:
        difference.repair(tx)
