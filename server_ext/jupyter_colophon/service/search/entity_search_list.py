"""List everything that a query matches, ordered by name, by age, or by score."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.containment import IMPLICIT_TYPES
from jupyter_colophon.core.entities.descriptors_of import describe_aspect
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.entities.entity_kinds import get_kind
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.identity.urn import encode_text
from jupyter_colophon.core.model.search_index_terms import fold, search_rows
from jupyter_colophon.core.search.entity_list import EntityListPage, EntityListRequest, ListPosition
from jupyter_colophon.core.search.highlights import fits
from jupyter_colophon.core.search.query_language import Query, parse_query
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.read_audit import audit_reads
from jupyter_colophon.service.search.search import Searcher
from jupyter_colophon.service.search.search_results import SearchResults
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
class EntityLister:
    """Lists entities that match a query."""

    searcher: Searcher
    identity: Identity

    @audit_reads(
        "search",
        lambda listed: (summary.urn for summary in listed.entities),
        lambda service: service.searcher.read_policy.audit,
    )
    def find(self, question: EntityListRequest, principal: Principal) -> EntityListPage:
        """Return a part of the matches, in order. Raises InvalidQuery."""
        query = parse_query(question.text)
        return self.searcher.provider.tx_runner.run(
            lambda tx: self._find(tx, question, query, principal), read_only=True
        )

    def require_kinds(self, kinds: Sequence[str]) -> None:
        """Raise InvalidQuery for an unknown kind of entity."""
        if kinds:
            self.searcher.provider.tx_runner.run(lambda tx: _require_kinds(tx, kinds), read_only=True)

    def _find(
        self, tx: TableContext, question: EntityListRequest, query: Query, principal: Principal
    ) -> EntityListPage:
        _require_kinds(tx, question.kinds)
        results = SearchResults()
        truncated = False
        for search_question in _split_question(question):
            self.searcher.gather(tx, search_question, query, principal, results)
            truncated = truncated or results.capped
        matches = [
            match
            for match in self.searcher.filter_matches(tx, list(results.matches.values()), SearchRequest(""), principal)
            if self._is_expected(match, question)
        ]
        if question.scope:
            matches = [match for match in matches if self._matches_scope(tx, match, query, question)]
        ordered = self._sort_matches(tx, results, matches, question)
        start = _find_start(ordered, question)
        end = min(LISTED_MAX, start + (LISTED_MAX if question.limit is None else question.limit))
        return EntityListPage(
            self._read_summaries(tx, [urn for _, urn in ordered[start:end]], question.as_of),
            len(matches),
            truncated or len(ordered) > LISTED_MAX,
            start,
            _find_part_ends(ordered, end, question),
            {place[1]: place for place in ordered[start:end]},
        )

    def _is_expected(self, match: Match, question: EntityListRequest) -> bool:
        urn = Urn.parse(match.urn)
        if match.namespace in question.without or (question.namespaces and match.namespace not in question.namespaces):
            return False
        if not question.hidden and self.identity.get_short_name(urn).startswith("_"):
            return False
        if question.kinds:
            return get_kind(urn) in question.kinds
        return urn.type in _DEFAULT_TYPES or (question.custom and urn.type in IMPLICIT_TYPES)

    def _matches_scope(self, tx: TableContext, match: Match, query: Query, question: EntityListRequest) -> bool:
        """Return whether metadata of the requested scope matches; names belong to the scope SYSTEM."""
        registry = self.searcher.registry
        if question.as_of is None:
            present = aspects.read_present(tx, registry, match.type, match.urn)
        else:
            present = aspects.read_all_at(tx, registry, match.type, match.urn, question.as_of)
        type_ = registry.get_stored_type(match.type)
        rows = search_rows(descriptor for aspect in present.values() for descriptor in describe_aspect(type_, aspect))
        if query.matches_all:
            return question.scope == "SYSTEM" or any(row.scope == question.scope for row in rows)
        if any(row.scope == question.scope and fits(query, row) for row in rows):
            return True
        return question.scope == "SYSTEM" and not any(fits(query, row) for row in rows)

    def _sort_matches(
        self, tx: TableContext, results: SearchResults, matches: list[Match], question: EntityListRequest
    ) -> list[ListPosition]:
        """Return the matches with their sort keys, in order."""
        if not question.sort:
            best = results.select_best(matches, len(matches), by_type=False)
            return [(at, match.urn) for at, match in enumerate(best)]
        if question.sort == "entity-name":
            named = [(fold(self.identity.get_short_name(Urn.parse(match.urn))), match.urn) for match in matches]
            return sorted(named, reverse=question.descending)
        summaries = self._read_summaries(tx, [match.urn for match in matches], question.as_of)
        return sorted([(summary.created.time, summary.urn) for summary in summaries], reverse=question.descending)

    def _read_summaries(self, tx: TableContext, urns: Sequence[str], as_of: int | None) -> tuple[EntitySummary, ...]:
        summaries = aspects.read_summaries(tx, urns)
        if as_of is not None:
            registry = self.searcher.registry
            changed = [urn for urn in urns if urn not in summaries or summaries[urn].updated.time > as_of]
            then = {urn: aspects.read_summary_at(tx, registry, Urn.parse(urn), as_of) for urn in changed}
            summaries |= {urn: summary for urn, summary in then.items() if summary is not None}
        return tuple(summaries[urn] for urn in urns if urn in summaries)


def _require_kinds(tx: TableContext, kinds: Sequence[str]) -> None:
    """Raise InvalidQuery for a kind that is neither built-in nor used by any custom entity."""
    for kind in kinds:
        if kind not in _TYPES and kind not in _PREDEFINED_KINDS:
            prefix = f"urn:li:custom:({encode_text(kind)},"
            within = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
            if not list(tx.get_table("entities").scan(within, 1)):
                raise InvalidQuery(f"no such kind of entity: {kind!r}", "target")


def _find_start(ordered: list[ListPosition], question: EntityListRequest) -> int:
    """Return how many entities precede the requested part; relative to a sort key, so concurrent changes shift nothing."""
    if question.after is None:
        return question.offset
    after: Any = question.after
    return sum((position >= after if question.descending else position <= after) for position in ordered)


def _find_part_ends(ordered: list[ListPosition], end: int, question: EntityListRequest) -> tuple[ListPosition, ...]:
    """Return the sort keys at the ends of this part and of the next ones, if any."""
    if question.limit is None:
        return ()
    ends = range(end, min(len(ordered), LISTED_MAX), question.limit)
    return tuple(ordered[at - 1] for at in ends[: question.places])


def _split_question(question: EntityListRequest) -> list[SearchRequest]:
    """Split a question by namespace and type, so that none is crowded out when only the newest are ranked."""
    types = dict.fromkeys(_TYPES.get(kind, "custom") for kind in question.kinds)
    spaces = [[("namespace", space)] for space in question.namespaces] or [[]]
    kinds = [[("type", type_)] for type_ in types] or [[]]
    return [
        SearchRequest(question.text, (*space, *kind), as_of=question.as_of) for space, kind in product(spaces, kinds)
    ]
