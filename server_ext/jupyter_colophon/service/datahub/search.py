"""Which entities there are, as DataHub's clients ask: by type, by a filter, by words; and how many have an aspect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.criteria import Filter, fits
from jupyter_colophon.core.entities.entity import Aspect, Listing
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.search.like_pattern import LikePattern
from jupyter_colophon.core.search.search import SearchQuestion
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.search.search import RANKED_MAX, Searcher
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.deleting_namespaces import ending
from jupyter_colophon.storage.entities.scope_union import add_people
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many rows one transaction looks through, and how many entities one question without words looks at.
_SLICE, _LOOKED_MAX = 1_000, 10_000
_LAST = "\U0010ffff"
ALL = "*"


@dataclass(frozen=True, slots=True)
class Page:
    """Entities by URN, and how many there are; with `at_least`, there may be more."""

    urns: tuple[str, ...]
    total: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class ScrollQuestion:
    """Entities of these types (none: of all), in the order of their URNs; `removed` takes in those that are hidden."""

    types: tuple[str, ...] = ()
    filter: Filter = ()
    limit: int = 10
    cursor: str = ""
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Scrolled:
    """A page of a scroll, and where to read on. It may be short, or empty, while there is more."""

    urns: tuple[str, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class EntityFinder:
    """Finds entities. What may not be read is not there."""

    reader: EntityReader
    searcher: Searcher

    @audited("list", lambda page: page.urns, lambda service: service.reader.gate.audit)
    def urns(self, kind: str, start: int, limit: int, principal: Principal) -> Page:
        """Return entities of a type, by namespace and name, from a place on.

        Raises NotFound for a type that neither the registry describes nor a stored entity has.
        """

        def work(tx: TableContext) -> Page:
            ranges = self._ranges(tx, kind, principal)
            names = tx.table("entity_names")
            if kind == INSTANCE and self.reader.gate.has_policy:
                # Instances are as many as people save: only their documents say who may see which.
                urns = [row["urn"] for row in names.multi_scan(ranges)] if ranges else []
                seen = [urn for urn in urns if self.reader.gate.may_see(tx, principal, Urn.parse(urn))]
                return Page(tuple(seen[start : start + limit]), len(seen))
            rows = islice(names.multi_scan(ranges, start + limit), start, None) if ranges else ()
            return Page(tuple(row["urn"] for row in rows), names.count(ranges) if ranges else 0)

        found = self.reader.provider.tx_runner.run(work, read_only=True)
        if not found.total:
            self.reader.registry.type(kind)
        return found

    def require_type(self, kind: str, principal: Principal) -> None:
        """Raise NotFound for a type that neither the registry describes nor a stored entity has."""
        if not self.reader.registry.knows(kind):
            self.urns(kind, 0, 1, principal)

    @audited("search", lambda page: page.urns, lambda service: service.reader.gate.audit)
    def search(self, text: str, kind: str, filter_: Filter, start: int, limit: int, principal: Principal) -> Page:
        """Entities of a type that fit words and a filter, the best first; hidden ones are left out."""
        if text.strip() in ("", ALL):
            looked = self.urns(kind, 0, _LOOKED_MAX, principal)
        else:
            question = SearchQuestion(text, (("type", kind),), RANKED_MAX, facets=())
            looked = Page(*self.searcher.urns(question, principal))
        fitting = self._fitting(looked.urns, filter_, removed=False)
        unseen = max(0, looked.total - len(looked.urns))
        return Page(tuple(fitting[start : start + limit]), len(fitting) + unseen, looked.at_least or unseen > 0)

    @audited("scroll", lambda page: page.urns, lambda service: service.reader.gate.audit)
    def scroll(self, question: ScrollQuestion, principal: Principal) -> Scrolled:
        """A page of all that fit. Raises InvalidQuery, NotFound."""
        asked = [list(question.types), question.removed]
        after = ""
        if question.cursor:
            *same, after = self.reader.cursors.read("scroll", question.cursor)
            if same != asked:
                raise InvalidQuery("is no cursor of this list", "scrollId")
        looked, last = self._after(question.types, after, principal)
        fitting = self._fitting(looked, question.filter, removed=question.removed)
        found = fitting[: question.limit]
        if len(found) < len(fitting):
            last = found[-1] if found else after
        return Scrolled(tuple(found), None if last is None else self.cursor_after(question, last))

    def cursor_after(self, question: ScrollQuestion, urn: str) -> str:
        """Return where the scroll goes on after an entity."""
        return self.reader.cursors.write("scroll", [list(question.types), question.removed, urn])

    @audited("count", audit=lambda service: service.reader.gate.audit)
    def count(self, aspect: str, like: str, principal: Principal) -> int:
        """Return how many entities with such a URN (`%` and `_` as in SQL) have an aspect. Raises InvalidQuery."""
        pattern, prefix = LikePattern.parse(like, "/urnLike"), re.split(r"[%_\\]", like, maxsplit=1)[0]
        number = 0
        place: tuple[str, ...] = (prefix,)
        while True:
            rows = self._aspects(place, prefix)
            fitting = [Urn.parse(row["urn"]) for row in rows if _counts(row, aspect, pattern)]
            number += len(self.reader.gate.filter_visible(principal, fitting))
            if len(rows) < _SLICE:
                return number
            place = (rows[-1]["urn"], rows[-1]["aspect"])

    def _ranges(self, tx: TableContext, kind: str, principal: Principal) -> list[Range]:
        return [Range.prefix(*shelf) for shelf in self.reader.namespace_types(tx, Listing(type=kind), principal)]

    def _after(self, types: Sequence[str], after: str, principal: Principal) -> tuple[list[str], str | None]:
        """Return the next entities of these types (none: of all) that may be read, by URN, and after which to go on.

        None where that was all.
        """
        gate = self.reader.gate
        ranges = [
            # ";" is the character after ":", so this takes every URN of the type and no other.
            Range((max(f"{part}:", after),), (f"{part};",), begin_inclusive=False, end_inclusive=False)
            for part in ([f"urn:li:{kind}" for kind in types] or ["urn:li"])
            if after < f"{part};"
        ]

        def work(tx: TableContext) -> tuple[list[str], str | None]:
            ends = ending(tx)
            rows = list(tx.table("entities").multi_scan(ranges, _SLICE)) if ranges else []
            living = [row["urn"] for row in rows if not row["deleted"] and row["namespace"] not in ends]
            return living, rows[-1]["urn"] if len(rows) == _SLICE else None

        found, last = self.reader.provider.tx_runner.run(work, read_only=True)
        return [str(urn) for urn in gate.filter_visible(principal, map(Urn.parse, found))], last

    def _fitting(self, urns: Sequence[str], filter_: Filter, *, removed: bool) -> list[str]:
        """Those that fit a filter and, unless `removed`, are not hidden."""
        if not filter_ and removed:
            return list(urns)
        return self.reader.provider.tx_runner.run(lambda tx: self._held(tx, urns, filter_, removed), read_only=True)

    def _held(self, tx: TableContext, urns: Sequence[str], filter_: Filter, removed: bool) -> list[str]:
        kept = set(urns) if removed else aspects.not_removed(tx, urns)
        shown = [urn for urn in urns if urn in kept]
        if not filter_:
            return shown
        registry, identity = self.reader.registry, self.reader.gate.identity
        read = [(urn, Urn.parse(urn)) for urn in shown]
        return [text for text, urn in read if fits(filter_, urn, _united(tx, registry, urn), identity)]

    def _aspects(self, place: tuple[str, ...], prefix: str) -> list[Row]:
        """The next slice of aspects of the entities whose URN begins so."""
        keys = Range(place, (prefix + _LAST,), begin_inclusive=len(place) == 1)
        return self.reader.provider.tx_runner.run(
            lambda tx: list(tx.table("aspects").scan(keys, _SLICE)), read_only=True
        )


def _counts(row: Row, aspect: str, pattern: LikePattern) -> bool:
    return row["aspect"] == aspect and row["value"] is not None and pattern.matches(row["urn"])


def _united(tx: TableContext, registry: Registry, urn: Urn) -> dict[str, Aspect]:
    """Return the aspects of an entity as DataHub's clients read them."""
    return add_people(tx, registry, urn, aspects.present(tx, registry, urn.type, str(urn)), None)
