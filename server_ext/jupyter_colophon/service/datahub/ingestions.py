"""Runs of ingestions: which there are, what each wrote, and taking back what one wrote."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import ingestion
from jupyter_colophon.storage.entities.ingestion import Ingested, Ingestion
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext

#: So many aspects are taken back in one transaction: others wait for it, and it has to end in time on a busy machine.
AT_ONCE = 250
#: So many rows and entities an answer names; all of them are counted.
NAMED_MAX = 100
#: So many aspects of a run are looked at to find out whether any of it may be read.
_LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What was taken back, or would be. `unsafe` entities were made by the run, and others say something of them: so many
    aspects are affected.
    """

    rows: tuple[Ingested, ...] = ()
    entities_affected: int = 0
    entities_deleted: int = 0
    aspects_reverted: int = 0
    aspects_affected: int = 0
    unsafe: tuple[str, ...] = ()
    unsafe_count: int = 0


@dataclass(frozen=True, slots=True)
class Ingestions:
    """The runs of one catalog. What may not be read is not there."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    write_path: WritePath

    @audited("list")
    def list(self, start: int, count: int, principal: Principal) -> list[Ingestion]:
        """Runs that wrote what is still there, from a place on; those that wrote last come first."""

        def work(tx: TableContext) -> list[Ingestion]:
            shown = (one for one in ingestion.runs(tx) if self._is_shown(tx, one.run, principal))
            return list(islice(shown, start, start + count))

        return self.provider.tx_runner.run(work, read_only=True)

    @audited("list", lambda rows: (row.urn for row in rows))
    def aspects(self, run: str, start: int, count: int, principal: Principal) -> Sequence[Ingested]:
        """The aspects that have what a run wrote, by URN and name, from a place on."""
        return self.provider.tx_runner.run(
            lambda tx: tuple(islice(self._rows(tx, run, principal), start, start + count)), read_only=True
        )

    def roll_back(self, run: str, principal: Principal, *, dry_run: bool, safe: bool) -> RolledBack:
        """Take back what a run wrote. What it made is hidden, or, where that need not be `safe`, deleted.

        Some hundreds of aspects are taken back at once, or none of them; of more, those that are left are taken back when
        it is asked for again. Raises AccessDenied, before anything is changed, where one of them may not be written.
        """

        def look(tx: TableContext) -> tuple[list[Ingested], RolledBack]:
            rows = list(self._rows(tx, run, principal))
            return rows, self._told(tx, rows, safe)

        rows, told = self.provider.tx_runner.run(look, read_only=True)
        if dry_run:
            return told
        slices = list(_slices(rows))
        for slice_ in slices:
            self.write_path.may_roll_back(slice_, principal, hard=not safe)
        for slice_ in slices:
            self.write_path.roll_back(run, slice_, principal, hard=not safe)
        return told

    def _is_shown(self, tx: TableContext, run: str, principal: Principal) -> bool:
        return any(self._may_read(tx, one, principal) for one in ingestion.of_run(tx, run, _LOOKED_AT))

    def _rows(self, tx: TableContext, run: str, principal: Principal) -> Iterator[Ingested]:
        return (one for one in ingestion.of_run(tx, run) if self._may_read(tx, one, principal))

    def _may_read(self, tx: TableContext, row: Ingested, principal: Principal) -> bool:
        return self.gate.may_see(tx, principal, Urn.parse(row.urn))

    def _told(self, tx: TableContext, rows: Sequence[Ingested], safe: bool) -> RolledBack:
        by_entity: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            by_entity[row.urn].add(row.aspect)
        made = [urn for urn, names in by_entity.items() if self._key_of(urn) in names]
        there = _present(tx, made)
        of_others = {urn: others for urn in made if (others := there[urn] - by_entity[urn])}
        return RolledBack(
            rows=tuple(rows[:NAMED_MAX]),
            entities_affected=len(by_entity),
            entities_deleted=0 if safe else len(made),
            aspects_reverted=len(rows) - (len(made) if safe else 0),
            aspects_affected=sum(map(len, of_others.values())),
            unsafe=tuple(of_others)[:NAMED_MAX],
            unsafe_count=len(of_others),
        )

    def _key_of(self, urn: str) -> str:
        return self.registry.type(Urn.parse(urn).type).key_aspect


def _present(tx: TableContext, urns: Sequence[str]) -> dict[str, set[str]]:
    """The names of the aspects that these entities have now."""
    found: dict[str, set[str]] = {urn: set() for urn in urns}
    for at in range(0, len(urns), AT_ONCE):
        ranges = [Range.prefix(urn) for urn in urns[at : at + AT_ONCE]]
        for row in tx.table("aspects").multi_scan(ranges):
            if row["value"] is not None:
                found[row["urn"]].add(row["aspect"])
    return found


def _slices(rows: Sequence[Ingested]) -> Iterator[dict[Urn, list[str]]]:
    """The aspects by entity, whole entities in each slice."""
    slice_: dict[Urn, list[str]] = {}
    size = 0
    for row in rows:
        urn = Urn.parse(row.urn)
        if size >= AT_ONCE and urn not in slice_:
            yield slice_
            slice_, size = {}, 0
        slice_.setdefault(urn, []).append(row.aspect)
        size += 1
    if slice_:
        yield slice_
