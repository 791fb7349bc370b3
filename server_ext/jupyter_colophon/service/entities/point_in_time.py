"""The state of entities at a time in the past, reconstructed from their history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jupyter_colophon.core.entities.descriptors_of import describe_aspect
from jupyter_colophon.core.entities.entity import STATUS, is_removed
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import ValueRow, search_rows
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import Document, Row, TableContext

#: How many entities are reconstructed for one query, to stay below a second.
LOOKED_UP_MAX = 1_000


@dataclass(frozen=True, slots=True)
class HistoricEntity:
    """An entity as of a time: its value rows, and its search document."""

    values: frozenset[ValueRow]
    document: Document
    removed: bool = False


@dataclass(slots=True)
class PointInTimeView:
    """The catalog as of one time, for one query. Entities that have not changed since are not reconstructed."""

    tx: TableContext
    registry: Registry
    time: int
    #: Whether entities were left out because too many have changed since.
    cut: bool = False
    _rows: dict[str, Row] = field(default_factory=dict)
    _then: dict[str, HistoricEntity | None] = field(default_factory=dict)

    def get_row(self, urn: str) -> Row:
        """Return the row of a preloaded entity; empty if it never existed."""
        return self._rows.get(urn, {})

    def filter_unchanged(self, urns: Iterable[str]) -> list[str]:
        """Return the entities that have not changed since."""
        unchanged = (
            urn for urn in dict.fromkeys(urns) if (row := self._rows.get(urn)) and not _is_changed(row, self.time)
        )
        return list(unchanged)

    def filter_changed(self, urns: Iterable[str]) -> list[str]:
        """Return the entities that have changed or were deleted since."""
        changed = (urn for urn in dict.fromkeys(urns) if (row := self._rows.get(urn)) and _is_changed(row, self.time))
        return list(changed)

    def read_states(self, urns: Iterable[str]) -> dict[str, HistoricEntity]:
        """Return the entities that existed then, in their state then."""
        entities_by_urn = {urn: self._rebuild_entity(urn) for urn in urns}
        return {urn: states_at for urn, states_at in entities_by_urn.items() if states_at is not None}

    def load_rows(self, urns: Sequence[str]) -> None:
        """Preload the rows of these entities."""
        new = [(urn,) for urn in dict.fromkeys(urns) if urn not in self._rows]
        self._rows |= {row["urn"]: row for row in self.tx.get_table("entities").read_many(new)}

    def _rebuild_entity(self, urn: str) -> HistoricEntity | None:
        if urn not in self._then:
            if len(self._then) >= LOOKED_UP_MAX:
                self.cut = True
                return None
            self._then[urn] = self._read(self._rows[urn])
        return self._then[urn]

    def _read(self, entity: Row) -> HistoricEntity | None:
        then = aspects.read_all_at(self.tx, self.registry, entity["type"], entity["urn"], self.time)
        if self.registry.get_stored_type(entity["type"]).key_aspect not in then:
            return None
        kind = self.registry.get_stored_type(entity["type"])
        values = set(
            search_rows(descriptor for aspect in then.values() for descriptor in describe_aspect(kind, aspect))
        )
        removed = STATUS in then and is_removed(then[STATUS].value)
        return HistoricEntity(frozenset(values), index.build_document(entity, values, removed=removed), removed)


def _is_changed(entity: Row, time: int) -> bool:
    return bool(entity["deleted"] or entity["updated"] > time)
