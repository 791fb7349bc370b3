"""Delete versions that need not be kept, in short steps: once a day in servers, and when an administrator asks for it.

A write deletes two old versions of its own aspect (storage/entities/retention.py). This finds those of aspects that are
not written any more, and catches up after a rule became stricter.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.retention import ExpiredVersions, Retention, RetentionRule
from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.service.admin.log_truncation import delete_changes_older_than_days
from jupyter_colophon.storage.entities import retention as versions
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity, list_stored_entities_after
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: How many entities one step examines, and about how many versions it counts or deletes.
_ENTITIES_AT_ONCE: Final = 100
_VERSIONS_AT_ONCE: Final = 500
#: When a server looks for the first time after its start, and then again, in seconds.
_FIRST_S: Final = 600.0
_INTERVAL_S: Final = 3600.0
_CURSOR: Final = "retention"
#: The row in `settings` with the time of the last daily run of any process.
_LAST_RUN: Final = "retention-run"
_logger = logging.getLogger("jupyter_colophon.retention")


@dataclass(frozen=True, slots=True)
class RetentionStep:
    """What one step has found, by namespace, type and aspect, and the entity after which the next one continues."""

    expired: tuple[ExpiredVersions, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class RetentionSweeper:
    """Finds and deletes the versions that the rules do not keep."""

    provider: StorageProvider
    registry: Registry
    rules: Retention
    cursors: CursorCodec
    now: Callable[[], int]

    def run_step(self, cursor: str, *, dry_run: bool) -> tuple[tuple[ExpiredVersions, ...], str | None]:
        """Delete, or with `dry_run` count, the next expired versions; return them and the cursor to continue with.

        Raises InvalidQuery for a cursor that is not valid.
        """
        after = self.cursors.decode_cursor(_CURSOR, cursor)[0] if cursor else ""
        step = self.examine_entities_after(after, dry_run=dry_run)
        return step.expired, None if step.after is None else self.cursors.encode_cursor(_CURSOR, [step.after])

    def examine_entities_after(self, urn: str, *, dry_run: bool) -> RetentionStep:
        """Count or delete the expired versions of the next entities. Raises StorageError."""
        if not self.rules.rules:
            return RetentionStep((), None)

        def examine(tx: TableContext) -> RetentionStep:
            return self._examine_in_transaction(tx, urn, dry_run=dry_run)

        return self.provider.tx_runner.run(examine, read_only=dry_run)

    def _examine_in_transaction(self, tx: TableContext, after: str, *, dry_run: bool) -> RetentionStep:
        counts: Counter[tuple[str, str, str]] = Counter()
        entities = list_stored_entities_after(tx, after, _ENTITIES_AT_ONCE)
        examined: str | None = after
        for stored in entities:
            for spec, rule, aspect in self._iterate_rules(stored):
                number = self._count_or_delete(tx, stored.entity, spec, rule, aspect, dry_run=dry_run)
                if number:
                    counts[stored.entity["namespace"], stored.entity["type"], spec.name] += number
            if counts.total() >= _VERSIONS_AT_ONCE and not dry_run:
                # The entity may have more: it is examined again.
                break
            examined = stored.entity["urn"]
        else:
            examined = examined if len(entities) == _ENTITIES_AT_ONCE else None
        return RetentionStep(
            tuple(ExpiredVersions(*place, number) for place, number in sorted(counts.items())), examined
        )

    def _iterate_rules(self, stored: StoredEntity) -> Iterator[tuple[AspectSpec, RetentionRule, Row]]:
        entity = stored.entity
        kind = self.registry.get_type_or_unregistered(entity["type"])
        for name, aspect in stored.aspects.items():
            spec = kind.find_aspect(name)
            rule = None if spec is None else self.rules.find_rule(entity["namespace"], entity["type"], spec)
            if spec is not None and rule is not None:
                yield spec, rule, aspect

    def _count_or_delete(
        self, tx: TableContext, entity: Row, spec: AspectSpec, rule: RetentionRule, aspect: Row, *, dry_run: bool
    ) -> int:
        if not dry_run:
            return versions.delete_expired_versions(tx, entity, spec, rule, aspect, self.now(), _VERSIONS_AT_ONCE)
        count = last = 0
        while found := versions.list_expired_versions(tx, rule, aspect, self.now(), _VERSIONS_AT_ONCE, last):
            count, last = count + len(found), found[-1][0]["version"]
        return count


@dataclass(slots=True)
class DailyRetention:
    """Applies the rules once a day, in one of the servers that share a store."""

    sweeper: RetentionSweeper
    key: bytes
    #: For how many days changes are kept; 0 keeps all.
    change_log_days: int
    _worker: Worker = field(init=False)
    _is_first: bool = True

    def __post_init__(self) -> None:
        """Prepare the thread."""
        self._worker = Worker("colophon-retention", self._run_if_due, _logger, "retention", unavailable=(StorageError,))

    def start(self) -> None:
        """Start the thread, unless everything is kept."""
        if self.sweeper.rules.rules or self.change_log_days:
            self._worker.start()

    def stop_thread(self) -> None:
        """Stop; what is left is deleted the next day."""
        self._worker.close()

    def run_now(self) -> int:
        """Delete everything that need not be kept; return the number of versions and changes. Raises StorageError."""
        deleted, after = 0, ""
        while not self._worker.is_stopped:
            step = self.sweeper.examine_entities_after(after, dry_run=False)
            deleted += sum(expired.versions for expired in step.expired)
            if step.after is None:
                break
            after = step.after
        if self.change_log_days and not self._worker.is_stopped:
            deleted += delete_changes_older_than_days(
                self.sweeper.provider, self.key, self.sweeper.now, self.change_log_days, lambda what, steps: None
            )
        return deleted

    def _run_if_due(self) -> float:
        if self._is_first:
            self._is_first = False
            return _FIRST_S
        if self.sweeper.provider.tx_runner.run(self._claim_day) and (deleted := self.run_now()):
            _logger.info("%d old versions and changes were deleted", deleted)
        return _INTERVAL_S

    def _claim_day(self, tx: TableContext) -> bool:
        """Return whether no process has applied the rules for a day; then this process does."""
        table, now = tx.get_table("settings"), self.sweeper.now()
        row = table.read((_LAST_RUN,))
        if row is not None and int(row["value"]) > now - DAY_MS:
            return False
        table.upsert({"name": _LAST_RUN, "value": str(now).encode()})
        return True
