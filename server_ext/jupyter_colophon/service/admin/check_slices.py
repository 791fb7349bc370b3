"""Divide a check of the store into slices that processes can check side by side, each with a connection of its own.

The keys at which a table is divided are those of entities that changes of the change log concern: a few hundred changes,
evenly spaced in the log, are a sample of the catalog, and reading them does not depend on its size. A bad sample makes slices
unequal, never wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.service.admin.integrity_check import IntegrityChecker
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.audit_log import AUDIT_LOG
from jupyter_colophon.storage.changes.signed_chain import CHANGE_LOG, SealedLog
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import AT_ONCE, CheckStep, UnreadableAspect
from jupyter_colophon.storage.integrity import counters_check, source_check
from jupyter_colophon.storage.integrity.counters_check import CountSums
from jupyter_colophon.storage.integrity.derived_check import list_derived_row_checks
from jupyter_colophon.storage.spi import Key, TableContext

CheckPart = Literal["store", "log", "sources", "derived rows", "counts"]
#: How many changes are a sample of the catalog.
_SAMPLE: Final = 512
_LOGS: Final = {log.subject: log for log in (CHANGE_LOG, AUDIT_LOG)}
#: The counts that entities require; the other slices of counts are those of tables.
_REQUIRED: Final = "required"
#: The URNs of most runs are UUIDs.
_RUN_PREFIX: Final = "urn:li:dataProcessInstance:"


@dataclass(frozen=True, slots=True)
class CheckSlice:
    """The rows of a check after those that begin with `begin`, up to those that begin with `end`.

    None means the first, or the last row of the table.
    """

    part: CheckPart
    title: str
    begin: Any = None
    end: Any = None


@dataclass(frozen=True, slots=True)
class SliceChecker:
    """Checks slices of a store, and repairs derived rows in them."""

    checker: IntegrityChecker

    def list_slices(self, parts: Sequence[CheckPart], count: int) -> list[CheckSlice]:
        """Return the slices of these parts of a check, of which each table has at most `count`. Raises StorageError."""
        sample = self.checker.run_read_transaction(self._read_sample_keys)
        # First the one that cannot be divided and reads all pages: as the last one, it would run alone.
        slices = [CheckSlice("store", "")] if "store" in parts else []
        if "derived rows" in parts:
            checks = list_derived_row_checks(self.checker.registry)
            slices += [item for check in checks for item in _split_check("derived rows", check, sample, count)]
        if "sources" in parts:
            sources = source_check.list_source_checks(self.checker.registry)
            slices += [item for check in sources for item in _split_check("sources", check, sample, count)]
        if "counts" in parts:
            slices += _split_table("counts", _REQUIRED, sample["entities"], count)
            for spec in counters_check.COMPARED:
                slices += _split_table("counts", spec.id, sample.get(spec.id, ()), count)
        if "log" in parts:
            for log in _LOGS.values():
                slices += _split_table("log", log.subject, self._list_log_numbers(log, count), count)
        return slices

    def list_entity_ranges(self, count: int) -> list[tuple[str, str | None]]:
        """Return at most `count` ranges that contain all entities: URNs after the first, up to the second. Raises StorageError."""
        keys = choose_split_keys(self.checker.run_read_transaction(_read_sample_urns), count)
        ends = [*(urn for (urn,) in keys), None]
        return list(zip(["", *(urn for (urn,) in keys)], ends, strict=True))

    def find_issues(self, part: CheckSlice) -> Iterator[IntegrityIssue]:
        """Yield the problems in a slice; rows beside its end may be included. Raises StorageError."""
        checker = self.checker
        if part.part == "store":
            yield from (IntegrityIssue("the store", fault) for fault in checker.provider.find_store_problems())
        elif part.part == "log":
            yield from checker.find_issues_of_sealed_rows(_LOGS[part.title], part.begin or 0, part.end)
        elif part.part == "sources":
            check = _get_check(source_check.list_source_checks(checker.registry), part.title)
            for issues in checker.iterate_step_results(check, *_get_positions(check, part)):
                yield from issues
        else:
            for differences in self._iterate_differences(part):
                yield from (difference.issue for difference in differences)

    def repair_slice(self, part: CheckSlice) -> Iterator[IntegrityIssue]:
        """Repair the derived rows in a slice, and yield the differences that there were. Raises StorageError."""
        for differences in self._iterate_differences(part):
            self.checker.repair_differences(differences)
            yield from (difference.issue for difference in differences)

    def compute_count_sums(self, part: CheckSlice) -> CountSums:
        """Return the sums of the counts in a slice. While others write, the sums of all slices need not be zero."""
        sums = CountSums()
        position: Any = part.begin or ()
        while position is not None:
            items, position = self.checker.run_read_transaction(
                lambda tx, position=position: self._read_counts(tx, part, position)  # type: ignore[misc]
            )
            sums.add_items(items)
        return sums

    def seal_logs(self) -> None:
        """Seal the newest rows of each log, which are checked then. Raises StorageError."""
        for log in _LOGS.values():
            self.checker.seal_unsealed_rows_of_log(log)

    def _iterate_differences(self, part: CheckSlice) -> Iterator[list[Any]]:
        check = _get_check(list_derived_row_checks(self.checker.registry), part.title)
        return self.checker.iterate_step_results(check, *_get_positions(check, part))

    def _read_counts(
        self, tx: TableContext, part: CheckSlice, position: Key
    ) -> tuple[list[counters_check.CountItem], Key | None]:
        """Return the counts of the next rows, exactly up to the end of the slice, and the next position."""
        if part.title == _REQUIRED:
            entities = sources_of_truth.list_stored_entities_after(tx, position[0] if position else "")
            has_more = len(entities) == AT_ONCE
            kept = [stored for stored in entities if part.end is None or stored.entity["urn"] <= part.end[0]]
            items = list(counters_check.derive_counts_of_entities(tx, self.checker.registry, kept))
            return items, (entities[-1].entity["urn"],) if has_more and len(kept) == len(entities) else None
        spec = next(spec for spec in counters_check.COMPARED if spec.id == part.title)
        stored, last = counters_check.read_stored_counts_after(tx, spec, position)
        if part.end is None:
            return stored, last
        inside = [item for item in stored if item[1][: len(part.end)] <= part.end]
        return inside, last if len(inside) == len(stored) else None

    def _read_sample_keys(self, tx: TableContext) -> dict[str, list[Key]]:
        """Return sorted keys, or the first parts of keys, of some rows of each table."""
        entities = _read_sample_urns(tx)
        names: set[Key] = set()
        values: set[Key] = set()
        for (urn,) in entities:
            try:
                stored = sources_of_truth.find_stored_entity(tx, urn)
                derived = sources_of_truth.NO_ROWS if stored is None else self._derive_rows(stored)
            except UnreadableAspect:
                continue
            names |= {tuple(derived.name.values())} if derived.name else set()
            values |= set(derived.values)
        runs = [f"{_RUN_PREFIX}{number:02x}" for number in range(256)]
        return {
            "entities": entities,
            "runs": [(urn,) for urn in runs],
            tables.ENTITY_NAMES.id: sorted(names),
            tables.METADATA_VALUES.id: sorted(values),
            tables.VALUE_HISTORY.id: sorted({key[:4] for key in values}),
            tables.VALUE_COUNTS.id: sorted({key[:3] for key in values}),
        }

    def _derive_rows(self, stored: sources_of_truth.StoredEntity) -> sources_of_truth.DerivedRows:
        return sources_of_truth.derive_all_rows(self.checker.registry, stored)

    def _list_log_numbers(self, log: SealedLog, count: int) -> list[int]:
        newest = self.checker.run_read_transaction(log.get_newest_number)
        return [newest * at // count for at in range(1, count)] if newest >= count else []


def _read_sample_urns(tx: TableContext) -> list[Key]:
    """Return the sorted keys of entities that evenly spaced changes concern."""
    newest = tx.log.get_newest_number()
    count = min(_SAMPLE, newest)
    changes = (row for at in range(count) for row in tx.log.read_changes(at * newest // count, 1, {}))
    return sorted({(row["urn"],) for row in changes})


def choose_split_keys(keys: Sequence[Any], count: int) -> list[Any]:
    """Return at most `count` - 1 of these keys, evenly spaced."""
    chosen = (keys[len(keys) * at // count] for at in range(1, count)) if keys else ()
    return list(dict.fromkeys(chosen))


def _split_check(
    part: CheckPart, check: CheckStep[Any], sample: dict[str, list[Key]], count: int
) -> Iterator[CheckSlice]:
    keys = {"entity": sample["entities"], "run": sample["runs"], "": []}[check.order]
    return _split_table(part, check.title, keys, count)


def _split_table(part: CheckPart, title: str, keys: Sequence[Any], count: int) -> Iterator[CheckSlice]:
    ends = [*choose_split_keys(keys, count), None]
    for begin, end in zip([None, *ends], ends, strict=False):
        yield CheckSlice(part, title, begin, end)


def _get_check(checks: Sequence[CheckStep[Any]], title: str) -> CheckStep[Any]:
    return next(check for check in checks if check.title == title)


def _get_positions(check: CheckStep[Any], part: CheckSlice) -> tuple[Any, Any]:
    """Return the begin and the end of a slice as positions of its check."""
    if isinstance(check.begin, tuple):
        return part.begin, part.end
    return tuple(None if key is None else key[0] for key in (part.begin, part.end))  # type: ignore[return-value]
