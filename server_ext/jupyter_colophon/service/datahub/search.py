"""Find entities for DataHub's clients: by type, filter and words; count entities with an aspect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.criteria import Filter, matches_entity
from jupyter_colophon.core.entities.entity import Aspect, EntityListing
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.search.like_pattern import LikePattern
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.search.search import RANKED_MAX, CatalogSearcher
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.deleting_namespaces import list_namespaces_being_deleted
from jupyter_colophon.storage.entities.scope_union import merge_user_entries_into_aspects
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many rows one transaction scans, and how many entities a query without words examines.
_SLICE, _EXAMINED_MAX = 1_000, 10_000
_LAST = "\U0010ffff"
ALL = "*"


@dataclass(frozen=True, slots=True)
class UrnPage:
    """Entities by URN, and their total number, a lower bound with `at_least`."""

    urns: tuple[str, ...]
    total: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class ScrollRequest:
    """A scroll over entities of these types (empty: all), by URN; `removed` includes removed ones."""

    types: tuple[str, ...] = ()
    filter: Filter = ()
    limit: int = 10
    cursor: str = ""
    removed: bool = False


@dataclass(frozen=True, slots=True)
class ScrollPage:
    """A page of a scroll, and the next cursor. The page may be short or empty before the end."""

    urns: tuple[str, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class DataHubEntityFinder:
    """Finds entities. What may not be read is treated as not found."""

    reader: EntityReader
    searcher: CatalogSearcher

    @audit_reads_of_method("list", lambda page: page.urns, lambda service: service.reader.read_policy.audit)
    def list_urns_of_type(self, kind: str, start: int, limit: int, principal: Principal) -> UrnPage:
        """Return entities of a type, by namespace and name, from an offset.

        Raises NotFound for a type that neither the registry describes nor a stored entity has.
        """

        def read_page(tx: TableContext) -> UrnPage:
            ranges = self._list_ranges_of_namespaces(tx, kind, principal)
            names = tx.get_table("entity_names")
            policy = self.reader.read_policy
            if any(policy.decide_all(principal, range_.begin[0], kind) is None for range_ in ranges):
                # Access depends on documents and metadata, so all are checked.
                visible = [row["urn"] for row in policy.filter_visible_rows(tx, principal, names.scan_ranges(ranges))]
                return UrnPage(tuple(visible[start : start + limit]), len(visible))
            rows = islice(names.scan_ranges(ranges, start + limit), start, None) if ranges else ()
            return UrnPage(tuple(row["urn"] for row in rows), names.count(ranges) if ranges else 0)

        page = self.reader.provider.tx_runner.run(read_page, read_only=True)
        if not page.total:
            self.reader.registry.get_type(kind)
        return page

    def require_known_type(self, kind: str, principal: Principal) -> None:
        """Raise NotFound for a type that neither the registry describes nor a stored entity has."""
        if not self.reader.registry.has_type(kind):
            self.list_urns_of_type(kind, 0, 1, principal)

    @audit_reads_of_method("search", lambda page: page.urns, lambda service: service.reader.read_policy.audit)
    def search_entities(
        self, text: str, kind: str, filter_: Filter, start: int, limit: int, principal: Principal
    ) -> UrnPage:
        """Return entities of a type that match words and a filter, best first, without removed ones."""
        if text.strip() in ("", ALL):
            scanned = self.list_urns_of_type(kind, 0, _EXAMINED_MAX, principal)
        else:
            request = SearchRequest(text, (("type", kind),), RANKED_MAX, facets=())
            scanned = UrnPage(*self.searcher.find_urns_of_first_hits(request, principal))
        matching = self._filter_matching_entities(scanned.urns, filter_, removed=False)
        unseen = max(0, scanned.total - len(scanned.urns))
        return UrnPage(tuple(matching[start : start + limit]), len(matching) + unseen, scanned.at_least or unseen > 0)

    @audit_reads_of_method("list", lambda page: page.urns, lambda service: service.reader.read_policy.audit)
    def scroll_entities(self, request: ScrollRequest, principal: Principal) -> ScrollPage:
        """Return a page of matching entities. Raises InvalidQuery, NotFound."""
        request_key = [list(request.types), request.removed]
        after = ""
        if request.cursor:
            *same, after = self.reader.cursors.decode_cursor("scroll", request.cursor)
            if same != request_key:
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "scrollId")
        scanned, last = self._read_entities_after(request.types, after, principal)
        matching = self._filter_matching_entities(scanned, request.filter, removed=request.removed)
        page = matching[: request.limit]
        if len(page) < len(matching):
            last = page[-1] if page else after
        return ScrollPage(tuple(page), None if last is None else self.encode_cursor_after(request, last))

    def encode_cursor_after(self, request: ScrollRequest, urn: str) -> str:
        """Return the cursor after an entity."""
        return self.reader.cursors.encode_cursor("scroll", [list(request.types), request.removed, urn])

    def count_entities_with_aspect(self, aspect: str, like: str, principal: Principal) -> int:
        """Return how many entities with such a URN (`%` and `_` as in SQL) have an aspect. Raises InvalidQuery."""
        pattern, prefix = LikePattern.parse(like, "/urnLike"), re.split(r"[%_\\]", like, maxsplit=1)[0]
        number = 0
        after_key: tuple[str, ...] = (prefix,)
        while True:
            rows = self._read_aspects_after(after_key, prefix)
            matching = [Urn.parse(row["urn"]) for row in rows if _is_matching_aspect_row(row, aspect, pattern)]
            number += len(self.reader.read_policy.filter_visible_entities(principal, matching))
            if len(rows) < _SLICE:
                return number
            after_key = (rows[-1]["urn"], rows[-1]["aspect"])

    def _list_ranges_of_namespaces(self, tx: TableContext, kind: str, principal: Principal) -> list[Range]:
        return [
            Range.prefix(*shelf) for shelf in self.reader.list_namespace_types(tx, EntityListing(type=kind), principal)
        ]

    def _read_entities_after(
        self, types: Sequence[str], after: str, principal: Principal
    ) -> tuple[list[str], str | None]:
        """Return the next visible entities of these types (empty: all), by URN, and the last URN; None at the end."""
        read_policy = self.reader.read_policy
        ranges = [
            # ";" is the character after ":", so this takes every URN of the type and no other.
            Range((max(f"{part}:", after),), (f"{part};",), begin_inclusive=False, end_inclusive=False)
            for part in ([f"urn:li:{kind}" for kind in types] or ["urn:li"])
            if after < f"{part};"
        ]

        def read_existing(tx: TableContext) -> tuple[list[str], str | None]:
            ends = list_namespaces_being_deleted(tx)
            rows = list(tx.get_table("entities").scan_ranges(ranges, _SLICE)) if ranges else []
            existing = [row["urn"] for row in rows if not row["deleted"] and row["namespace"] not in ends]
            return existing, rows[-1]["urn"] if len(rows) == _SLICE else None

        existing_urns, last = self.reader.provider.tx_runner.run(read_existing, read_only=True)
        return [str(urn) for urn in read_policy.filter_visible_entities(principal, map(Urn.parse, existing_urns))], last

    def _filter_matching_entities(self, urns: Sequence[str], filter_: Filter, *, removed: bool) -> list[str]:
        """Return the entities that match a filter, without removed ones unless `removed`."""
        if not filter_ and removed:
            return list(urns)
        return self.reader.provider.tx_runner.run(
            lambda tx: self._filter_matching_in_transaction(tx, urns, filter_, removed), read_only=True
        )

    def _filter_matching_in_transaction(
        self, tx: TableContext, urns: Sequence[str], filter_: Filter, removed: bool
    ) -> list[str]:
        not_removed = set(urns) if removed else aspects.filter_not_removed(tx, urns)
        remaining = [urn for urn in urns if urn in not_removed]
        if not filter_:
            return remaining
        registry, identity = self.reader.registry, self.reader.read_policy.identity
        parsed = [(urn, Urn.parse(urn)) for urn in remaining]
        return [
            text
            for text, urn in parsed
            if matches_entity(filter_, urn, _read_aspects_with_user_entries(tx, registry, urn), identity)
        ]

    def _read_aspects_after(self, after_key: tuple[str, ...], prefix: str) -> list[Row]:
        """Return the next aspect rows of entities whose URN has this prefix."""
        keys = Range(after_key, (prefix + _LAST,), begin_inclusive=len(after_key) == 1)
        return self.reader.provider.tx_runner.run(
            lambda tx: list(tx.get_table("aspects").scan(keys, _SLICE)), read_only=True
        )


def _is_matching_aspect_row(row: Row, aspect: str, pattern: LikePattern) -> bool:
    return row["aspect"] == aspect and row["value"] is not None and pattern.matches(row["urn"])


def _read_aspects_with_user_entries(tx: TableContext, registry: Registry, urn: Urn) -> dict[str, Aspect]:
    """Return the aspects of an entity as DataHub's clients read them."""
    return merge_user_entries_into_aspects(
        tx, registry, urn, aspects.read_present_aspects(tx, registry, urn.type, str(urn)), None
    )
