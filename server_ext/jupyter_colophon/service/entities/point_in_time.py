"""What entities said at a time in the past, looked up in their history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jupyter_colophon.core.entities.descriptors_of import describe_aspect
from jupyter_colophon.core.entities.entity import STATUS, is_removed
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import ValueRow, search_rows
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import Document, Row, TableContext

#: The histories of so many entities are looked up for one question: that takes a second at most.
LOOKED_UP_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Then:
    """An entity as it was: everything that it said, and what search would have known of it."""

    said: frozenset[ValueRow]
    document: Document
    removed: bool = False


@dataclass(slots=True)
class Moment:
    """One time, for one question. What did not change since is not looked up."""

    tx: TableContext
    registry: Registry
    time: int
    #: Whether something was left out, because too much changed since.
    cut: bool = False
    _rows: dict[str, Row] = field(default_factory=dict)
    _then: dict[str, Then | None] = field(default_factory=dict)

    def row(self, urn: str) -> Row:
        """The row of an entity that was looked at; nothing for one that never was."""
        return self._rows.get(urn, {})

    def unchanged(self, urns: Iterable[str]) -> list[str]:
        """Those that are now as they were then."""
        found = (urn for urn in dict.fromkeys(urns) if (row := self._rows.get(urn)) and not _is_changed(row, self.time))
        return list(found)

    def changed(self, urns: Iterable[str]) -> list[str]:
        """Those that have changed since, or are gone."""
        found = (urn for urn in dict.fromkeys(urns) if (row := self._rows.get(urn)) and _is_changed(row, self.time))
        return list(found)

    def then(self, urns: Iterable[str]) -> dict[str, Then]:
        """Those that were there then, as they were."""
        found = {urn: self._looked_up(urn) for urn in urns}
        return {urn: then for urn, then in found.items() if then is not None}

    def expect(self, urns: Sequence[str]) -> None:
        """Look at all these entities at once."""
        new = [(urn,) for urn in dict.fromkeys(urns) if urn not in self._rows]
        self._rows |= {row["urn"]: row for row in self.tx.table("entities").multi_read(new)}

    def _looked_up(self, urn: str) -> Then | None:
        if urn not in self._then:
            if len(self._then) >= LOOKED_UP_MAX:
                self.cut = True
                return None
            self._then[urn] = self._read(self._rows[urn])
        return self._then[urn]

    def _read(self, entity: Row) -> Then | None:
        then = aspects.at(self.tx, self.registry, entity["type"], entity["urn"], self.time)
        if self.registry.stored_type(entity["type"]).key_aspect not in then:
            return None
        kind = self.registry.stored_type(entity["type"])
        said = set(search_rows(found for one in then.values() for found in describe_aspect(kind, one)))
        removed = STATUS in then and is_removed(then[STATUS].value)
        return Then(frozenset(said), index.document(entity, said, removed=removed), removed)


def _is_changed(entity: Row, time: int) -> bool:
    return bool(entity["deleted"] or entity["updated"] > time)
