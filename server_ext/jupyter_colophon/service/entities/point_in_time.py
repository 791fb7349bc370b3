"""The state of entities at a time in the past, reconstructed from their history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jupyter_colophon.core.entities.descriptors_of import list_aspect_descriptors
from jupyter_colophon.core.entities.entity import STATUS, is_status_removed
from jupyter_colophon.core.identity.names import is_variable_urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import ValueRow, build_distinct_value_rows
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
    is_truncated: bool = False
    _rows: dict[str, Row] = field(default_factory=dict)
    _entities_at_time: dict[str, HistoricEntity | None] = field(default_factory=dict)

    def get_loaded_row(self, urn: str) -> Row:
        """Return the row of a preloaded entity; empty if it never existed."""
        return self._rows.get(urn, {})

    def filter_unchanged_since(self, urns: Iterable[str]) -> list[str]:
        """Return the entities that have not changed since."""
        unchanged = (
            urn for urn in dict.fromkeys(urns) if (row := self._rows.get(urn)) and not _is_changed_since(row, self.time)
        )
        return list(unchanged)

    def filter_changed_since(self, urns: Iterable[str]) -> list[str]:
        """Return the entities that have changed or were deleted since."""
        changed = (
            urn for urn in dict.fromkeys(urns) if (row := self._rows.get(urn)) and _is_changed_since(row, self.time)
        )
        return list(changed)

    def rebuild_entities_as_of_time(self, urns: Iterable[str]) -> dict[str, HistoricEntity]:
        """Return the entities that existed then, in their state then."""
        entities_by_urn = {urn: self._rebuild_entity_or_none(urn) for urn in urns}
        return {urn: states_at for urn, states_at in entities_by_urn.items() if states_at is not None}

    def load_and_cache_rows(self, urns: Sequence[str]) -> None:
        """Preload the rows of these entities."""
        new = [(urn,) for urn in dict.fromkeys(urns) if urn not in self._rows]
        self._rows |= {row["urn"]: row for row in self.tx.get_table("entities").read_many(new)}

    def _rebuild_entity_or_none(self, urn: str) -> HistoricEntity | None:
        if urn not in self._entities_at_time:
            if len(self._entities_at_time) >= LOOKED_UP_MAX:
                self.is_truncated = True
                return None
            self._entities_at_time[urn] = self._rebuild_entity_of_row(self._rows[urn])
        return self._entities_at_time[urn]

    def _rebuild_entity_of_row(self, entity: Row) -> HistoricEntity | None:
        then = aspects.read_aspects_at_time(self.tx, self.registry, entity["type"], entity["urn"], self.time)
        if self.registry.get_type_or_unregistered(entity["type"]).key_aspect not in then:
            return None
        kind = self.registry.get_type_or_unregistered(entity["type"])
        values = set(
            build_distinct_value_rows(
                descriptor for aspect in then.values() for descriptor in list_aspect_descriptors(kind, aspect)
            )
        )
        removed = is_variable_urn(entity["urn"]) or (STATUS in then and is_status_removed(then[STATUS].value))
        return HistoricEntity(frozenset(values), index.build_search_document(entity, values, removed=removed), removed)


def _is_changed_since(entity: Row, time: int) -> bool:
    return bool(entity["deleted"] or entity["updated"] > time)
