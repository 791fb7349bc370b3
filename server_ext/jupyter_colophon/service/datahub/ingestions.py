"""Ingestion runs: list them, list what each wrote, and roll one back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import ingestion
from jupyter_colophon.storage.entities.ingestion import IngestedAspect, IngestionRun
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext

#: How many aspects are rolled back per transaction, so that it ends in time on a busy machine.
ROLLBACK_BATCH = 250
#: How many rows and entities a response lists; all of them are counted.
NAMED_MAX = 100
#: How many aspects of a run are examined for a readable one.
_EXAMINED_MAX = 100


@dataclass(frozen=True, slots=True)
class RollbackResult:
    """The result of a rollback, or of a dry run. `unsafe` entities were created by the run and have aspects of others, of
    which `aspects_affected` is the number.
    """

    rows: tuple[IngestedAspect, ...] = ()
    entities_affected: int = 0
    entities_deleted: int = 0
    aspects_reverted: int = 0
    aspects_affected: int = 0
    unsafe: tuple[str, ...] = ()
    unsafe_count: int = 0


@dataclass(frozen=True, slots=True)
class IngestionRuns:
    """The ingestion runs of one catalog. What may not be read is treated as not found."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    write_path: WritePath

    def list_visible_runs(self, start: int, count: int, principal: Principal) -> list[IngestionRun]:
        """Return the runs that have current aspects, the last written first, from an offset."""

        def list_visible(tx: TableContext) -> list[IngestionRun]:
            visible_runs = (
                ingested_run
                for ingested_run in ingestion.iterate_ingestion_runs(tx)
                if self._is_run_visible(tx, ingested_run.run, principal)
            )
            return list(islice(visible_runs, start, start + count))

        return self.provider.tx_runner.run(list_visible, read_only=True)

    @audit_reads_of_method("list", lambda rows: (row.urn for row in rows))
    def list_visible_aspects_of_run(
        self, run: str, start: int, count: int, principal: Principal
    ) -> Sequence[IngestedAspect]:
        """Return the aspects whose current value a run wrote, by URN and name, from an offset."""
        return self.provider.tx_runner.run(
            lambda tx: tuple(islice(self._iterate_visible_aspects_of_run(tx, run, principal), start, start + count)),
            read_only=True,
        )

    def roll_back_run(self, run: str, principal: Principal, *, dry_run: bool, safe: bool) -> RollbackResult:
        """Roll back what a run wrote. Entities that it created are hidden, or deleted unless `safe`.

        Each transaction rolls back some hundreds of aspects atomically; after a failure, a repeated call continues with the
        rest. Raises AccessDenied, before any change, if one of them may not be written.
        """

        def read_rows(tx: TableContext) -> tuple[list[IngestedAspect], RollbackResult]:
            rows = list(self._iterate_visible_aspects_of_run(tx, run, principal))
            return rows, self._build_rollback_result(tx, rows, safe)

        rows, summary = self.provider.tx_runner.run(read_rows, read_only=True)
        if dry_run:
            return summary
        batches = list(_split_into_entity_batches(rows))
        for batch in batches:
            self.write_path.require_may_roll_back(batch, principal, hard=not safe)
        for batch in batches:
            self.write_path.roll_back_ingestion_run(run, batch, principal, hard=not safe)
        return summary

    def _is_run_visible(self, tx: TableContext, run: str, principal: Principal) -> bool:
        return any(
            self._may_read_aspect(tx, ingested_aspect, principal)
            for ingested_aspect in ingestion.iterate_aspects_of_run(tx, run, _EXAMINED_MAX)
        )

    def _iterate_visible_aspects_of_run(
        self, tx: TableContext, run: str, principal: Principal
    ) -> Iterator[IngestedAspect]:
        return (
            ingested_aspect
            for ingested_aspect in ingestion.iterate_aspects_of_run(tx, run)
            if self._may_read_aspect(tx, ingested_aspect, principal)
        )

    def _may_read_aspect(self, tx: TableContext, row: IngestedAspect, principal: Principal) -> bool:
        return self.read_policy.may_see_entity(tx, principal, Urn.parse(row.urn))

    def _build_rollback_result(self, tx: TableContext, rows: Sequence[IngestedAspect], safe: bool) -> RollbackResult:
        by_entity: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            by_entity[row.urn].add(row.aspect)
        created_urns = [urn for urn, names in by_entity.items() if self._get_key_aspect(urn) in names]
        present = _read_names_of_present_aspects(tx, created_urns)
        foreign_aspects = {urn: others for urn in created_urns if (others := present[urn] - by_entity[urn])}
        return RollbackResult(
            rows=tuple(rows[:NAMED_MAX]),
            entities_affected=len(by_entity),
            entities_deleted=0 if safe else len(created_urns),
            aspects_reverted=len(rows) - (len(created_urns) if safe else 0),
            aspects_affected=sum(map(len, foreign_aspects.values())),
            unsafe=tuple(foreign_aspects)[:NAMED_MAX],
            unsafe_count=len(foreign_aspects),
        )

    def _get_key_aspect(self, urn: str) -> str:
        return self.registry.get_type(Urn.parse(urn).type).key_aspect


def _read_names_of_present_aspects(tx: TableContext, urns: Sequence[str]) -> dict[str, set[str]]:
    """Return the names of the current aspects of these entities."""
    names_by_urn: dict[str, set[str]] = {urn: set() for urn in urns}
    for at in range(0, len(urns), ROLLBACK_BATCH):
        ranges = [Range.prefix(urn) for urn in urns[at : at + ROLLBACK_BATCH]]
        for row in tx.get_table("aspects").scan_ranges(ranges):
            if row["value"] is not None:
                names_by_urn[row["urn"]].add(row["aspect"])
    return names_by_urn


def _split_into_entity_batches(rows: Sequence[IngestedAspect]) -> Iterator[dict[Urn, list[str]]]:
    """Yield the aspects by entity, in batches of complete entities."""
    batch: dict[Urn, list[str]] = {}
    size = 0
    for row in rows:
        urn = Urn.parse(row.urn)
        if size >= ROLLBACK_BATCH and urn not in batch:
            yield batch
            batch, size = {}, 0
        batch.setdefault(urn, []).append(row.aspect)
        size += 1
    if batch:
        yield batch
