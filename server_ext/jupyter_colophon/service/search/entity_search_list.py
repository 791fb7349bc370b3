"""List everything that a query matches, ordered by name, by age, or by score."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.containment import IMPLICIT_TYPES
from jupyter_colophon.core.entities.descriptors_of import list_aspect_descriptors
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.entities.entity_kinds import get_entity_kind
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.model.search_index_terms import build_distinct_value_rows, fold_text_for_comparison
from jupyter_colophon.core.search.entity_list import EntityListPage, EntityListRequest, ListPosition
from jupyter_colophon.core.search.highlights import matches_value_row
from jupyter_colophon.core.search.query_language import SearchQuery, parse_search_query
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.search.search import CatalogSearcher
from jupyter_colophon.service.search.search_results import MatchCollector
from jupyter_colophon.service.search.visible_search import restrict_search
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import Match, Range, TableContext

#: The most entities that a list contains (spec SEARCH-14).
LISTED_MAX = 10_000
#: The entity types of the built-in kinds of entity; every other kind is a custom one.
_TYPES = {"dataset": "dataset", "stream": "dataset", "dataFlow": "dataFlow", "dataJob": "dataJob"}
_TYPES |= {"schemaField": "schemaField", "namespace": "namespace"}
#: Custom kinds that are always known, even without entities.
_PREDEFINED_KINDS = frozenset({"artifact", "plugin", "schedule", "view"})
#: The types that are listed if no kind is requested.
_DEFAULT_TYPES = frozenset({"dataset", "dataFlow", "dataJob"})


@dataclass(frozen=True, slots=True)
class EntitySearchLister:
    """Lists entities that match a query."""

    searcher: CatalogSearcher
    identity: IdentityRules

    @audit_reads_of_method(
        "search",
        lambda listed: (summary.urn for summary in listed.entities),
        lambda service: service.searcher.read_policy.audit,
    )
    def list_sorted_matches(self, request: EntityListRequest, principal: Principal) -> EntityListPage:
        """Return a part of the matches, in order. Raises InvalidQuery."""
        query = parse_search_query(request.text)
        return self.searcher.provider.tx_runner.run(
            lambda tx: self._list_sorted_in_transaction(
                restrict_search(tx, self.searcher.read_policy, principal), request, query, principal
            ),
            read_only=True,
        )

    def require_known_kinds(self, kinds: Sequence[str]) -> None:
        """Raise InvalidQuery for an unknown kind of entity."""
        if kinds:
            self.searcher.provider.tx_runner.run(
                lambda tx: _require_known_kinds_in_transaction(tx, kinds), read_only=True
            )

    def _list_sorted_in_transaction(
        self, tx: TableContext, request: EntityListRequest, query: SearchQuery, principal: Principal
    ) -> EntityListPage:
        _require_known_kinds_in_transaction(tx, request.kinds)
        results = MatchCollector()
        truncated = False
        for search_question in _split_by_namespace_and_type(request):
            self.searcher.add_all_matches(tx, search_question, query, principal, results)
            truncated = truncated or results.capped
        positions = self.searcher.find_visible_positions(tx, results, SearchRequest(""), principal)
        matches = [
            match for match in results.read_matches(positions) if self._matches_requested_entities(match, request)
        ]
        if request.scope:
            matches = [match for match in matches if self._matches_in_scope(tx, match, query, request)]
        ordered = self._sort_matches(tx, results, matches, request)
        start = _count_entities_before_part(ordered, request)
        end = min(LISTED_MAX, start + (LISTED_MAX if request.limit is None else request.limit))
        return EntityListPage(
            self._read_summaries_at(tx, [urn for _, urn in ordered[start:end]], request.as_of),
            len(matches),
            truncated or len(ordered) > LISTED_MAX,
            start,
            _list_sort_keys_of_part_ends(ordered, end, request),
            {place[1]: place for place in ordered[start:end]},
        )

    def _matches_requested_entities(self, match: Match, request: EntityListRequest) -> bool:
        urn = Urn.parse(match.urn)
        if match.namespace in request.without or (request.namespaces and match.namespace not in request.namespaces):
            return False
        if not request.hidden and self.identity.get_short_name(urn).startswith("_"):
            return False
        if request.kinds:
            return get_entity_kind(urn) in request.kinds
        return urn.type in _DEFAULT_TYPES or (request.custom and urn.type in IMPLICIT_TYPES)

    def _matches_in_scope(self, tx: TableContext, match: Match, query: SearchQuery, request: EntityListRequest) -> bool:
        """Return whether metadata of the requested scope matches; names belong to the scope SYSTEM."""
        registry = self.searcher.registry
        if request.as_of is None:
            present = aspects.read_present_aspects(tx, registry, match.type, match.urn)
        else:
            present = aspects.read_aspects_at_time(tx, registry, match.type, match.urn, request.as_of)
        type_ = registry.get_type_or_unregistered(match.type)
        rows = build_distinct_value_rows(
            descriptor for aspect in present.values() for descriptor in list_aspect_descriptors(type_, aspect)
        )
        if query.matches_all:
            return request.scope == "SYSTEM" or any(row.scope == request.scope for row in rows)
        if any(row.scope == request.scope and matches_value_row(query, row) for row in rows):
            return True
        return request.scope == "SYSTEM" and not any(matches_value_row(query, row) for row in rows)

    def _sort_matches(
        self, tx: TableContext, results: MatchCollector, matches: list[Match], request: EntityListRequest
    ) -> list[ListPosition]:
        """Return the matches with their sort keys, in order."""
        if not request.sort:
            positions = results.read_positions_by_urn()
            selected = [positions[match.urn] for match in matches]
            best = results.select_best_matches(selected, len(matches), by_type=False)
            return [(at, match.urn) for at, match in enumerate(best)]
        if request.sort == "entity-name":
            named = [
                (fold_text_for_comparison(self.identity.get_short_name(Urn.parse(match.urn))), match.urn)
                for match in matches
            ]
            return sorted(named, reverse=request.descending)
        summaries = self._read_summaries_at(tx, [match.urn for match in matches], request.as_of)
        return sorted([(summary.created.time, summary.urn) for summary in summaries], reverse=request.descending)

    def _read_summaries_at(self, tx: TableContext, urns: Sequence[str], as_of: int | None) -> tuple[EntitySummary, ...]:
        summaries = aspects.find_entity_summaries(tx, urns)
        if as_of is not None:
            registry = self.searcher.registry
            changed = [urn for urn in urns if urn not in summaries or summaries[urn].updated.time > as_of]
            then = {urn: aspects.find_entity_summary_at_time(tx, registry, Urn.parse(urn), as_of) for urn in changed}
            summaries |= {urn: summary for urn, summary in then.items() if summary is not None}
        return tuple(summaries[urn] for urn in urns if urn in summaries)


def _require_known_kinds_in_transaction(tx: TableContext, kinds: Sequence[str]) -> None:
    """Raise InvalidQuery for a kind that is neither built-in nor used by any custom entity."""
    for kind in kinds:
        if kind not in _TYPES and kind not in _PREDEFINED_KINDS:
            prefix = f"urn:li:custom:({encode_urn_text(kind)},"
            within = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
            if not list(tx.get_table("entities").scan(within, 1)):
                raise InvalidQuery(f"no such kind of entity: {kind!r}", "target")


def _count_entities_before_part(ordered: list[ListPosition], request: EntityListRequest) -> int:
    """Return how many entities precede the requested part; relative to a sort key, so concurrent changes shift nothing."""
    if request.after is None:
        return request.offset
    after: Any = request.after
    return sum((position >= after if request.descending else position <= after) for position in ordered)


def _list_sort_keys_of_part_ends(
    ordered: list[ListPosition], end: int, request: EntityListRequest
) -> tuple[ListPosition, ...]:
    """Return the sort keys at the ends of this part and of the next ones, if any."""
    if request.limit is None:
        return ()
    ends = range(end, min(len(ordered), LISTED_MAX), request.limit)
    return tuple(ordered[at - 1] for at in ends[: request.places])


def _split_by_namespace_and_type(request: EntityListRequest) -> list[SearchRequest]:
    """Split a question by namespace and type, so that none is crowded out when only the newest are ranked."""
    types = dict.fromkeys(_TYPES.get(kind, "custom") for kind in request.kinds)
    spaces = [[("namespace", space)] for space in request.namespaces] or [[]]
    kinds = [[("type", type_)] for type_ in types] or [[]]
    return [SearchRequest(request.text, (*space, *kind), as_of=request.as_of) for space, kind in product(spaces, kinds)]
