"""Find entities for DataHub's clients: by type, filter and words; count entities with an aspect."""

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

#: How many rows one transaction scans, and how many entities a query without words examines.
_SLICE, _EXAMINED_MAX = 1_000, 10_000
_LAST = "\U0010ffff"
ALL = "*"


@dataclass(frozen=True, slots=True)
class Page:
    """Entities by URN, and their total number, a lower bound with `at_least`."""

    urns: tuple[str, ...]
    total: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class ScrollQuestion:
    """A scroll over entities of these types (empty: all), by URN; `removed` includes removed ones."""

    types: tuple[str, ...] = ()
    filter: Filter = ()
    limit: int = 10
    cursor: str = ""
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Scrolled:
    """A page of a scroll, and the next cursor. The page may be short or empty before the end."""

    urns: tuple[str, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class EntityFinder:
    """Finds entities. What may not be read is treated as not found."""

    reader: EntityReader
    searcher: Searcher

    @audited("list", lambda page: page.urns, lambda service: service.reader.gate.audit)
    def urns(self, kind: str, start: int, limit: int, principal: Principal) -> Page:
        """Return entities of a type, by namespace and name, from an offset.

        Raises NotFound for a type that neither the registry describes nor a stored entity has.
        """

        def work(tx: TableContext) -> Page:
            ranges = self._ranges(tx, kind, principal)
            names = tx.table("entity_names")
            if kind == INSTANCE and self.reader.gate.has_policy:
                # Access to instances depends on their documents, so all are checked.
                urns = [row["urn"] for row in names.multi_scan(ranges)] if ranges else []
                visible = [urn for urn in urns if self.reader.gate.may_see(tx, principal, Urn.parse(urn))]
                return Page(tuple(visible[start : start + limit]), len(visible))
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
        """Return entities of a type that match words and a filter, best first, without removed ones."""
        if text.strip() in ("", ALL):
            scanned = self.urns(kind, 0, _EXAMINED_MAX, principal)
        else:
            question = SearchQuestion(text, (("type", kind),), RANKED_MAX, facets=())
            scanned = Page(*self.searcher.urns(question, principal))
        matching = self._matching(scanned.urns, filter_, removed=False)
        unseen = max(0, scanned.total - len(scanned.urns))
        return Page(tuple(matching[start : start + limit]), len(matching) + unseen, scanned.at_least or unseen > 0)

    @audited("scroll", lambda page: page.urns, lambda service: service.reader.gate.audit)
    def scroll(self, question: ScrollQuestion, principal: Principal) -> Scrolled:
        """Return a page of matching entities. Raises InvalidQuery, NotFound."""
        request_key = [list(question.types), question.removed]
        after = ""
        if question.cursor:
            *same, after = self.reader.cursors.read("scroll", question.cursor)
            if same != request_key:
                raise InvalidQuery("is not a cursor of this list", "scrollId")
        scanned, last = self._after(question.types, after, principal)
        matching = self._matching(scanned, question.filter, removed=question.removed)
        found = matching[: question.limit]
        if len(found) < len(matching):
            last = found[-1] if found else after
        return Scrolled(tuple(found), None if last is None else self.cursor_after(question, last))

    def cursor_after(self, question: ScrollQuestion, urn: str) -> str:
        """Return the cursor after an entity."""
        return self.reader.cursors.write("scroll", [list(question.types), question.removed, urn])

    @audited("count", audit=lambda service: service.reader.gate.audit)
    def count(self, aspect: str, like: str, principal: Principal) -> int:
        """Return how many entities with such a URN (`%` and `_` as in SQL) have an aspect. Raises InvalidQuery."""
        pattern, prefix = LikePattern.parse(like, "/urnLike"), re.split(r"[%_\\]", like, maxsplit=1)[0]
        number = 0
        after_key: tuple[str, ...] = (prefix,)
        while True:
            rows = self._aspects(after_key, prefix)
            matching = [Urn.parse(row["urn"]) for row in rows if _is_counted(row, aspect, pattern)]
            number += len(self.reader.gate.filter_visible(principal, matching))
            if len(rows) < _SLICE:
                return number
            after_key = (rows[-1]["urn"], rows[-1]["aspect"])

    def _ranges(self, tx: TableContext, kind: str, principal: Principal) -> list[Range]:
        return [Range.prefix(*shelf) for shelf in self.reader.namespace_types(tx, Listing(type=kind), principal)]

    def _after(self, types: Sequence[str], after: str, principal: Principal) -> tuple[list[str], str | None]:
        """Return the next visible entities of these types (empty: all), by URN, and the last URN; None at the end."""
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
            existing = [row["urn"] for row in rows if not row["deleted"] and row["namespace"] not in ends]
            return existing, rows[-1]["urn"] if len(rows) == _SLICE else None

        found, last = self.reader.provider.tx_runner.run(work, read_only=True)
        return [str(urn) for urn in gate.filter_visible(principal, map(Urn.parse, found))], last

    def _matching(self, urns: Sequence[str], filter_: Filter, *, removed: bool) -> list[str]:
        """Return the entities that match a filter, without removed ones unless `removed`."""
        if not filter_ and removed:
            return list(urns)
        return self.reader.provider.tx_runner.run(lambda tx: self._filter(tx, urns, filter_, removed), read_only=True)

    def _filter(self, tx: TableContext, urns: Sequence[str], filter_: Filter, removed: bool) -> list[str]:
        not_removed = set(urns) if removed else aspects.not_removed(tx, urns)
        remaining = [urn for urn in urns if urn in not_removed]
        if not filter_:
            return remaining
        registry, identity = self.reader.registry, self.reader.gate.identity
        parsed = [(urn, Urn.parse(urn)) for urn in remaining]
        return [text for text, urn in parsed if fits(filter_, urn, _read_united(tx, registry, urn), identity)]

    def _aspects(self, after_key: tuple[str, ...], prefix: str) -> list[Row]:
        """Return the next aspect rows of entities whose URN has this prefix."""
        keys = Range(after_key, (prefix + _LAST,), begin_inclusive=len(after_key) == 1)
        return self.reader.provider.tx_runner.run(
            lambda tx: list(tx.table("aspects").scan(keys, _SLICE)), read_only=True
        )


def _is_counted(row: Row, aspect: str, pattern: LikePattern) -> bool:
    return row["aspect"] == aspect and row["value"] is not None and pattern.matches(row["urn"])


def _read_united(tx: TableContext, registry: Registry, urn: Urn) -> dict[str, Aspect]:
    """Return the aspects of an entity as DataHub's clients read them."""
    return add_people(tx, registry, urn, aspects.present(tx, registry, urn.type, str(urn)), None)
