"""Which entities there are, as DataHub's clients ask: by type, by a filter, by words; and how many have an aspect."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.criteria import Filter, fits
from jupyter_colophon.core.entity import Listing
from jupyter_colophon.core.errors import IllegalQuery
from jupyter_colophon.core.jsontext import stored
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.search import SearchQuestion
from jupyter_colophon.service.read import Reader
from jupyter_colophon.service.search import RANKED_MAX, Searcher
from jupyter_colophon.storage import aspects
from jupyter_colophon.storage.ending import ending
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
class Finder:
    """Finds entities. What may not be read is not there."""

    reader: Reader
    searcher: Searcher

    def urns(self, kind: str, start: int, limit: int, principal: Principal) -> Page:
        """Entities of a type, by namespace and name, from a place on. Raises Absent for a type that there is not."""
        self.reader.registry.type(kind)

        def work(tx: TableContext) -> Page:
            ranges = self._ranges(tx, kind, principal)
            names = tx.table("entity_names")
            rows = islice(names.multi_scan(ranges, start + limit), start, None) if ranges else ()
            return Page(tuple(row["urn"] for row in rows), names.count(ranges) if ranges else 0)

        return self.reader.provider.tx_runner.run(work, read_only=True)

    def search(self, text: str, kind: str, filter_: Filter, start: int, limit: int, principal: Principal) -> Page:
        """Entities of a type that fit words and a filter, the best first; hidden ones are left out."""
        if text.strip() in ("", ALL):
            looked = self.urns(kind, 0, _LOOKED_MAX, principal)
        else:
            question = SearchQuestion(text, (("type", kind),), RANKED_MAX, facets=())
            found = self.searcher.search(question, principal)
            looked = Page(tuple(hit.summary.urn for hit in found.hits), found.total, found.at_least)
        fitting = self._fitting(looked.urns, filter_, removed=False)
        unseen = max(0, looked.total - len(looked.urns))
        return Page(tuple(fitting[start : start + limit]), len(fitting) + unseen, looked.at_least or unseen > 0)

    def scroll(self, question: ScrollQuestion, principal: Principal) -> Scrolled:
        """A page of all that fit. Raises IllegalQuery, Absent."""
        asked = [list(question.types), question.removed]
        after = ""
        if question.cursor:
            *same, after = self.reader.cursors.read("scroll", question.cursor)
            if same != asked:
                raise IllegalQuery("is no cursor of this list", "scrollId")
        types = question.types or tuple(kind.type for kind in self.reader.registry.types)
        looked, last = self._after(types, after, principal)
        fitting = self._fitting(looked, question.filter, removed=question.removed)
        found = fitting[: question.limit]
        if len(found) < len(fitting):
            last = found[-1] if found else after
        cursor = None if last is None else self.reader.cursors.write("scroll", [*asked, last])
        return Scrolled(tuple(found), cursor)

    def count(self, aspect: str, like: str, principal: Principal) -> int:
        """How many entities with such a URN (`%` and `_` as in SQL) have an aspect."""
        pattern, prefix = _like(like), re.split(r"[%_\\]", like, maxsplit=1)[0]
        number = 0
        place: tuple[str, ...] = (prefix,)
        while True:
            rows = self._aspects(place, prefix)
            number += sum(self._counts(row, aspect, pattern, principal) for row in rows)
            if len(rows) < _SLICE:
                return number
            place = (rows[-1]["urn"], rows[-1]["aspect"])

    def _ranges(self, tx: TableContext, kind: str, principal: Principal) -> list[Range]:
        return [Range.prefix(*shelf) for shelf in self.reader.shelves(tx, Listing(type=kind), principal)]

    def _after(self, types: Iterable[str], after: str, principal: Principal) -> tuple[list[str], str | None]:
        """The next entities of these types that may be read, by URN, and after which to go on; None where that was all."""
        gate = self.reader.gate
        ranges = [
            # ";" is the character after ":", so this takes every URN of the type and no other.
            Range((max(f"urn:li:{kind}:", after),), (f"urn:li:{kind};",), begin_inclusive=False, end_inclusive=False)
            for kind in types
            if after < f"urn:li:{kind};"
        ]

        def work(tx: TableContext) -> tuple[list[str], str | None]:
            ends = ending(tx)
            rows = list(tx.table("entities").multi_scan(ranges, _SLICE)) if ranges else []
            living = [row["urn"] for row in rows if not row["deleted"] and row["namespace"] not in ends]
            return living, rows[-1]["urn"] if len(rows) == _SLICE else None

        found, last = self.reader.provider.tx_runner.run(work, read_only=True)
        shown = [urn for urn in found if gate.may_read(principal, gate.identity.namespace_of(Urn.parse(urn)))]
        return shown, last

    def _fitting(self, urns: Sequence[str], filter_: Filter, *, removed: bool) -> list[str]:
        """Those that fit a filter and, unless `removed`, are not hidden."""
        if not filter_ and removed:
            return list(urns)
        return self.reader.provider.tx_runner.run(lambda tx: self._held(tx, urns, filter_, removed), read_only=True)

    def _held(self, tx: TableContext, urns: Sequence[str], filter_: Filter, removed: bool) -> list[str]:
        hidden: set[str] = set()
        if not removed:
            rows = tx.table("aspects").multi_read([(urn, "status") for urn in urns])
            hidden = {row["urn"] for row in rows if row["value"] is not None and stored(row["value"]).get("removed")}
        shown = [urn for urn in urns if urn not in hidden]
        if not filter_:
            return shown
        registry, identity = self.reader.registry, self.reader.gate.identity
        read = [(urn, Urn.parse(urn)) for urn in shown]
        return [
            text for text, urn in read if fits(filter_, urn, aspects.present(tx, registry, urn.type, text), identity)
        ]

    def _aspects(self, place: tuple[str, ...], prefix: str) -> list[Row]:
        """The next slice of aspects of the entities whose URN begins so."""
        keys = Range(place, (prefix + _LAST,), begin_inclusive=len(place) == 1)
        return self.reader.provider.tx_runner.run(
            lambda tx: list(tx.table("aspects").scan(keys, _SLICE)), read_only=True
        )

    def _counts(self, row: Row, aspect: str, pattern: re.Pattern[str], principal: Principal) -> bool:
        if row["aspect"] != aspect or row["value"] is None or not pattern.fullmatch(row["urn"]):
            return False
        gate = self.reader.gate
        return gate.may_read(principal, gate.identity.namespace_of(Urn.parse(row["urn"])))


def _like(like: str) -> re.Pattern[str]:
    """A pattern of SQL's LIKE."""
    signs = {"%": ".*", "_": "."}
    parts = re.findall(r"\\.|.", like, re.DOTALL)
    return re.compile("".join(signs.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL)
