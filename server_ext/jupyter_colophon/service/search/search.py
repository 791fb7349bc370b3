"""Search: full text and `key:value` combined, ranked, with highlights and facets."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.entities.descriptors_of import list_entity_descriptors
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.errors import InvalidQuery, quote_and_truncate_text
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.model.certification import Certification, is_certification_valid
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import (
    NAME_KEY,
    ValueRow,
    build_distinct_value_rows,
    encode_filter_term,
    encode_index_word,
    fold_text_for_comparison,
    split_search_tokens,
)
from jupyter_colophon.core.model.vocabulary import NEVER, Descriptor, format_reference_text
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.core.search.highlights import find_match_reasons
from jupyter_colophon.core.search.query_language import SearchPattern, SearchQuery, SearchTerm, parse_search_query
from jupyter_colophon.core.search.search import CountedMatches, Hit, MatchGroups, SearchRequest, SearchResult
from jupyter_colophon.service.entities.display_names import DisplayNameReader
from jupyter_colophon.service.entities.point_in_time import PointInTimeView
from jupyter_colophon.service.entities.reference_names import ReferenceNameResolver
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.search.facet_counts import count_most_frequent_facet_values
from jupyter_colophon.service.search.filter_terms import FilterTermResolver
from jupyter_colophon.service.search.name_words import find_name_words
from jupyter_colophon.service.search.search_as_of import PointInTimeSearch
from jupyter_colophon.service.search.search_results import MatchCollector, MatchKey, get_match_key
from jupyter_colophon.service.search.suggestions import find_candidates, suggest_queries
from jupyter_colophon.service.search.system_property_search import (
    find_datasets_written_by_program,
    find_matches_in_partial_hours,
)
from jupyter_colophon.service.search.term_lookup import (
    PROGRAM_KEY,
    ResolvedTerm,
    combine_terms_to_text_query,
    resolve_terms,
)
from jupyter_colophon.service.search.visible_search import filter_visible_matches, restrict_search
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.deleting_namespaces import filter_namespaces_not_being_deleted
from jupyter_colophon.storage.entities.retention import require_history_kept_at
from jupyter_colophon.storage.search import values
from jupyter_colophon.storage.search.index import NOT_REMOVED
from jupyter_colophon.storage.spi import (
    Match,
    StorageProvider,
    TableContext,
    TermCondition,
    TextQuery,
    matches_term_conditions,
)

#: How many of the newest matches are ranked; ranking more takes seconds (spec SEARCH-12).
RANKED_MAX = 5_000
#: The largest exact total and facet count (spec SEARCH-14).
COUNTED_MAX = 10_000
#: An exact `key:value` match scores like a rare word.
_VALUE_SCORE = 2.0
#: The kinds of descriptors that a hit contains in full, and the approximate size of the rest of a hit.
_FULL_KINDS = frozenset({"description", "tag", "term", "domain", "owner", "certification", "quality"})
_HIT_BYTES = 1_000
#: In how many namespaces the tags of a facet are looked up: the work must not grow with the catalog.
_TAG_NAMESPACES_MAX = 100
#: The types whose entities have titles besides the names in their URNs.
_TITLED_TYPES: Final = frozenset({"dataJob", "dataFlow"})
#: The prefix of URNs of saved searches.
_SAVED_SEARCHES = "urn:li:instance:(saved-searches,"


@dataclass(frozen=True, slots=True)
class _VisibleMatches:
    """All matches, and the positions of those that the principal may see; `counted` are to be counted."""

    found: MatchCollector
    visible: Sequence[int]
    counted: CountedMatches

    @property
    def total(self) -> int:
        return max(len(self.counted.numbers), len(self.visible))

    @property
    def at_least(self) -> bool:
        counted = len(self.found.counted.numbers)
        return counted >= COUNTED_MAX or (self.found.capped and not counted)


@dataclass(frozen=True, slots=True)
class CatalogSearcher:
    """Searches one catalog."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    cursors: CursorCodec

    @audit_reads_of_method("search", lambda answer: (hit.summary.urn for hit in answer.hits))
    def search_page_of_hits(self, request: SearchRequest, principal: Principal) -> SearchResult:
        """Return a page of hits that the principal may see. Raises InvalidQuery."""
        query = self._parse_and_check_query(request)
        if request.as_of is not None and request.sort != "relevance":
            raise InvalidQuery("must be relevance with asOf", "sort")
        request_key: list[Any] = [
            request.text,
            [list(pair) for pair in request.filters],
            request.removed,
            request.sort,
        ]
        offset = 0
        if request.cursor:
            # A time such as `now-1d` resolves differently for the next page: use that of the first page.
            *same, as_of, offset = self.cursors.decode_cursor("search", request.cursor)
            if same != request_key or (as_of is None) != (request.as_of is None):
                raise InvalidQuery("does not belong to this search: repeat the request without a cursor", "cursor")
            request = replace(request, as_of=as_of)
        return self.provider.tx_runner.run(
            lambda tx: self._build_search_result(
                restrict_search(tx, self.read_policy, principal),
                request,
                query,
                principal,
                ([*request_key, request.as_of], offset),
            ),
            read_only=True,
        )

    def find_urns_of_first_hits(
        self, request: SearchRequest, principal: Principal
    ) -> tuple[tuple[str, ...], int, bool]:
        """Return the URNs of the first hits, the total, and whether the total is a lower bound. Raises InvalidQuery."""
        query = self._parse_and_check_query(request)

        def match_urns(whole: TableContext) -> tuple[tuple[str, ...], int, bool]:
            tx = restrict_search(whole, self.read_policy, principal)
            matched = self._find_visible_matches(tx, request, query, principal)
            best = matched.found.select_best_matches(matched.visible, request.limit, by_type=query.matches_all)
            return tuple(match.urn for match in best), matched.total, matched.at_least

        return self.provider.tx_runner.run(match_urns, read_only=True)

    def _parse_and_check_query(self, request: SearchRequest) -> SearchQuery:
        kind = request.get_filter("type")
        if kind and not self.registry.has_type(kind):
            raise InvalidQuery(f"no such entity type: {quote_and_truncate_text(kind)}", "type")
        return parse_search_query(request.text)

    def list_searched_namespaces(
        self, tx: TableContext, namespace: str, principal: Principal, *, include_deleted: bool = False
    ) -> list[str]:
        """Return the namespace, or all that the principal may read; `ever` includes deleted ones."""
        spaces = (
            [namespace] if namespace else [NO_NAMESPACE, *aspects.list_namespaces(tx, include_deleted=include_deleted)]
        )
        return self.read_policy.filter_partly_readable_namespaces(
            principal, filter_namespaces_not_being_deleted(tx, spaces)
        )

    def _build_search_result(
        self,
        tx: TableContext,
        request: SearchRequest,
        query: SearchQuery,
        principal: Principal,
        position: tuple[list[Any], int],
    ) -> SearchResult:
        matched = self._find_visible_matches(tx, request, query, principal)
        results, visible = matched.found, matched.visible
        request_key, offset = position
        page = _select_page(tx, results, visible, request, query, offset)
        hits, described_count = self._build_hits_of_page(tx, page, query, request.as_of, principal)
        end = offset + described_count
        past = results.read_matches(visible) if results.past else ()
        facets = count_most_frequent_facet_values(tx.search, request.facets, matched.counted, past)
        return SearchResult(
            hits=tuple(hits),
            total=matched.total,
            at_least=matched.at_least,
            ranked=len(results.numbers) if results.capped else None,
            facets=facets,
            names=ReferenceNameResolver(tx, self.registry, self.read_policy, principal).read_names_of_facet_values(
                facets
            ),
            system_tags=self._find_system_tags(tx, facets, principal),
            cursor=self.cursors.encode_cursor("search", [*request_key, end]) if end < len(visible) else None,
            suggestions=() if visible else self._suggest(tx, request, query, principal),
        )

    def _find_system_tags(
        self, tx: TableContext, facets: Mapping[str, Sequence[tuple[str, int]]], principal: Principal
    ) -> frozenset[str]:
        """Return the tags among the facet values that only machines wrote; none if there are too many namespaces."""
        tags = {tag for tag, _ in facets.get("tag", ())}
        # Users' tags are found soon where the matches are.
        matched = [space for space, _ in facets.get("namespace", ())]
        tags -= values.filter_user_tags(tx, matched, tags)
        spaces = self.list_searched_namespaces(tx, "", principal) if tags else []
        if len(spaces) > _TAG_NAMESPACES_MAX:
            return frozenset()
        return frozenset(tags - values.filter_user_tags(tx, [space for space in spaces if space not in matched], tags))

    def _suggest(
        self, tx: TableContext, request: SearchRequest, query: SearchQuery, principal: Principal
    ) -> tuple[str, ...]:
        """Return queries for similar names that the principal may see."""
        if request.as_of is not None:
            return ()
        candidates = MatchCollector()
        candidates.add_matches_of_term(find_candidates(tx, query), 0)
        visible = self.find_visible_positions(tx, candidates, SearchRequest(""), principal)
        return suggest_queries(query, aspects.find_entity_summaries(tx, candidates.read_urns(visible)).values())

    def _find_visible_matches(
        self, tx: TableContext, request: SearchRequest, query: SearchQuery, principal: Principal
    ) -> _VisibleMatches:
        results = MatchCollector()
        self.add_all_matches(tx, request, query, principal, results)
        visible = self.find_visible_positions(tx, results, request, principal)
        counted = results.counted.select_positions(_filter_exactly(tx, results.counted.groups, request))
        if own := _find_saved_searches_of_query(tx, results, request.text):
            visible = [at for at in visible if at not in own]
            own_numbers = {results.numbers[at] for at in own}
            counted = counted.select_positions(
                [at for at, number in enumerate(counted.numbers) if number not in own_numbers]
            )
        if not counted.numbers:
            counted = CountedMatches(results.numbers, results.groups).select_positions(visible)
        return _VisibleMatches(results, visible, counted)

    def add_all_matches(
        self,
        tx: TableContext,
        request: SearchRequest,
        query: SearchQuery,
        principal: Principal,
        results: MatchCollector,
    ) -> None:
        """Add all matches to `found`, regardless of read access."""
        names = ReferenceNameResolver(tx, self.registry, self.read_policy, principal)
        now_ms = time.time_ns() // 1_000_000
        resolver = FilterTermResolver(
            tx, self.registry, names, principal, now_ms if request.as_of is None else request.as_of
        )
        terms: tuple[TermCondition, ...] = tuple(resolver.encode_filter(name, value) for name, value in request.filters)
        terms = terms if request.removed else (*terms, NOT_REMOVED)
        namespace = request.get_filter("namespace")
        if request.as_of is not None:
            spaces = self.list_searched_namespaces(tx, namespace, principal, include_deleted=True)
            require_history_kept_at(tx, request.as_of)
            PointInTimeSearch(PointInTimeView(tx, self.registry, request.as_of), spaces).add_matches_at_time(
                query, terms, results
            )
            return
        meanings = resolve_terms(query, names, now_ms)
        _add_full_text_matches(tx, query, meanings, terms, results)
        has_values = any(meaning.values for meaning in meanings)
        spaces = self.list_searched_namespaces(tx, namespace, principal) if has_values else []
        for at, meaning in enumerate(meanings):
            # Of more matches than can be ranked, full text has found enough.
            for key, pattern in () if results.capped else meaning.values:
                results.add_matches_of_term(
                    _find_entities_with_value(tx, (key, pattern), spaces, terms, results), at, _VALUE_SCORE
                )
            results.add_matches_of_term(find_matches_in_partial_hours(tx, meaning, terms, RANKED_MAX), at, _VALUE_SCORE)
            if meaning.term.key == PROGRAM_KEY:
                matches, are_all = find_datasets_written_by_program(
                    tx, meaning.term, terms, self.read_policy, principal
                )
                results.add_matches_of_term(matches, at, _VALUE_SCORE)
                results.capped = results.capped or not are_all

    def find_visible_positions(
        self, tx: TableContext, results: MatchCollector, request: SearchRequest, principal: Principal
    ) -> Sequence[int]:
        """Return the positions of the matches that may be seen and match the filters exactly, in order."""
        matching = _filter_exactly(tx, results.groups, request)
        # The index has found visible entities only; entities of another time have no number.
        if not results.past:
            return matching
        past = filter_visible_matches(tx, self.read_policy, principal, list(results.past.values()))
        visible = {match.urn for match in past}
        urns = results.read_urns(matching)
        return [at for at, urn in zip(matching, urns, strict=True) if results.numbers[at] or urn in visible]

    def _build_hits_of_page(
        self, tx: TableContext, page: Sequence[Match], query: SearchQuery, as_of: int | None, principal: Principal
    ) -> tuple[list[Hit], int]:
        """Return the hits of a page, which may end by its size, and how many matches are in it."""
        described = list(
            limit_items_to_page_bytes(self._iterate_described_entities(tx, page, as_of), _measure_hit_bytes)
        )
        described_entities = [(summary, descriptors) for summary, descriptors in described if summary is not None]
        named = DisplayNameReader(tx, self.registry, self.read_policy, principal).read_display_names(
            {
                urn
                for summary, descriptors in described_entities
                for urn in (summary.urn, *(descriptor.urn for descriptor in descriptors))
                if urn
            }
        )
        now_ms = time.time_ns() // 1_000_000 if as_of is None else as_of
        hits = [
            _create_search_hit(
                described_entity,
                self.registry.get_type_or_unregistered(described_entity[0].type).key_aspect,
                named,
                query,
                now_ms,
            )
            for described_entity in described_entities
        ]
        return hits, len(described)

    def _iterate_described_entities(
        self, tx: TableContext, page: Sequence[Match], as_of: int | None
    ) -> Iterator[tuple[EntitySummary | None, list[Descriptor]]]:
        """Yield the summary and the descriptors of each match."""
        summaries: Iterable[EntitySummary | None]
        if as_of is None:
            by_urn = aspects.find_entity_summaries(tx, [match.urn for match in page])
            summaries = [by_urn.get(match.urn) for match in page]
            aspects_of_page = aspects.iterate_described_aspects(
                tx, self.registry, [(match.urn, match.type) for match in page]
            )
        else:
            summaries = (
                aspects.find_entity_summary_at_time(tx, self.registry, Urn.parse(match.urn), as_of) for match in page
            )
            aspects_of_page = (
                aspects.read_aspects_at_time(tx, self.registry, match.type, match.urn, as_of) for match in page
            )
        for match, summary, aspects_by_name in zip(page, summaries, aspects_of_page, strict=True):
            kind = self.registry.get_type_or_unregistered(match.type)
            yield summary, list(list_entity_descriptors(kind, aspects_by_name, fields=True))


def _filter_exactly(tx: TableContext, groups: MatchGroups, request: SearchRequest) -> Sequence[int]:
    """Return the numbers of matches with a requested, present namespace and a requested type, in order.

    Full text compares names folded (spec ID-2).
    """
    space, kind, distinct = request.get_filter("namespace"), request.get_filter("type"), groups.list_distinct()
    requested = sorted({name for name, _ in distinct if space in ("", name)})
    present = set(filter_namespaces_not_being_deleted(tx, requested)) if requested else ()
    is_selected = [name in present and type_ in (kind or type_,) for name, type_ in distinct]
    if all(is_selected):
        return range(len(groups))
    return [at for at, position in enumerate(groups.positions) if is_selected[position]]


def _select_page(
    tx: TableContext,
    results: MatchCollector,
    visible: Sequence[int],
    request: SearchRequest,
    query: SearchQuery,
    offset: int,
) -> list[Match]:
    """Return a page of the matches, in the requested order."""
    end = offset + request.limit
    if request.sort == "relevance":
        words = find_name_words(query.terms)
        return results.select_best_matches(visible, end, by_type=query.matches_all, name_words=words)[offset:]
    positions = dict(zip(results.read_urns(visible), visible, strict=True))
    summaries = list(aspects.find_entity_summaries(tx, list(positions)).values())
    if request.sort == "name":
        best = nsmallest(end, summaries, key=lambda summary: (fold_text_for_comparison(summary.name), summary.urn))
    else:
        best = nsmallest(end, summaries, key=lambda summary: (-summary.updated.time, summary.urn))
    return results.read_matches([positions[summary.urn] for summary in best[offset:]])


def _measure_hit_bytes(described: tuple[EntitySummary | None, Sequence[Descriptor]]) -> int:
    """Return the approximate size of a hit in a response."""
    return _HIT_BYTES + sum(
        len(descriptor.text) for descriptor in described[1] if descriptor.kind in _FULL_KINDS and not descriptor.column
    )


def _find_entities_with_value(
    tx: TableContext,
    patterns: tuple[str, SearchPattern],
    spaces: Sequence[str],
    terms: tuple[TermCondition, ...],
    results: MatchCollector,
) -> list[Match]:
    """Return entities with a matching value of a key, from the ordered table (spec SEARCH-11)."""
    urns: dict[str, None] = {}
    for space in spaces:
        rows = values.iterate_entities_with_value(tx, space, *patterns, RANKED_MAX - len(urns))
        urns |= dict.fromkeys(row["urn"] for row in rows)
        if len(urns) >= RANKED_MAX:
            results.capped = True
            break
    # Full text has found almost all of them; the rest are values that are too long for it, or beyond its cap.
    positions = results.read_positions_by_urn() if urns else {}
    unknown = [urn for urn in urns if urn not in positions]
    return results.read_matches([positions[urn] for urn in urns if urn in positions]) + [
        match for match in tx.search.read_matches(unknown) if unknown and matches_term_conditions(match.terms, terms)
    ]


def _add_full_text_matches(
    tx: TableContext,
    query: SearchQuery,
    meanings: Sequence[ResolvedTerm],
    terms: tuple[TermCondition, ...],
    results: MatchCollector,
) -> None:
    """Add full-text matches, term by term; if not all can be ranked, add counted groups."""
    cut, counted, name_words = False, CountedMatches(), find_name_words(query.terms)
    names = () if name_words is None else name_words.patterns
    for at, term in enumerate(query.terms):
        words = combine_terms_to_text_query(meanings[at : at + 1], terms, all_of_them=SearchQuery((term,)).matches_all)
        limit = COUNTED_MAX if len(query.terms) == 1 else RANKED_MAX
        matches = tx.search.find_match_columns(replace(words, names=names), RANKED_MAX, limit)
        results.add_columns_of_term(matches, at)
        if limit == COUNTED_MAX:
            counted = matches.counted
        else:
            cut = cut or len(matches.urns) == RANKED_MAX
        # The words of a name are indexed as words, so without a match no entity has this name.
        if matches.urns and _may_be_complete_name(term):
            types = {type_ for _, type_ in matches.counted.groups.list_distinct()}
            _add_matches_by_name(tx, at, term, types, terms, results)
    if cut:
        # Count the matches of several terms together.
        words = combine_terms_to_text_query(meanings, terms, all_of_them=query.matches_all)
        counted = tx.search.find_match_columns(words, 0, COUNTED_MAX).counted
    if len(counted.numbers) > RANKED_MAX:
        results.capped = True
        results.counted = counted.join(results.counted)


def _add_matches_by_name(
    tx: TableContext,
    at: int,
    term: SearchTerm,
    types: set[str],
    terms: tuple[TermCondition, ...],
    results: MatchCollector,
) -> None:
    """Add the matches whose name, or a word of it, is this term; matches of the term have these types."""
    word = encode_index_word(f"{NAME_KEY}:{term.pattern.text}")
    named = tx.search.find_matches(TextQuery(exact=(word,), terms=terms), RANKED_MAX)
    results.add_matches_of_term(named, at, 0.0)
    results.named.update(_find_completely_named(tx, term.pattern.text, named, terms))
    results.partly_named.update(map(get_match_key, named))
    if term.pattern.kind == "prefix":
        results.partly_named.update(_find_programs_named_with_prefix(tx, word, types, terms))


def _find_completely_named(
    tx: TableContext, text: str, named: Sequence[Match], terms: tuple[TermCondition, ...]
) -> Iterable[MatchKey]:
    """Return the keys of those of these matches of `name:text` whose complete name is the text.

    One word may be a part of the name in an aspect, such as that of a glossary term. After its type, an entity has its
    complete name only.
    """
    if len(split_search_tokens(text)) > 1:
        return set(map(get_match_key, named))
    types = sorted({match.type for match in named})
    words = tuple(encode_index_word(f"{fold_text_for_comparison(type_)}:{text}") for type_ in types)
    return (
        {get_match_key(match) for match in tx.search.find_matches(TextQuery(exact=words, terms=terms), RANKED_MAX)}
        if words
        else ()
    )


def _find_programs_named_with_prefix(
    tx: TableContext, word: str, types: set[str], terms: tuple[TermCondition, ...]
) -> Iterable[MatchKey]:
    """Return the keys of programs with a title in which a word begins with this one; URNs do not contain titles."""
    return {
        get_match_key(match)
        for type_ in sorted(types & _TITLED_TYPES)
        for match in tx.search.find_matches(
            TextQuery(prefixes=(word,), terms=(encode_filter_term("type", type_), *terms)), RANKED_MAX
        )
    }


def _may_be_complete_name(term: SearchTerm) -> bool:
    """Return whether a term may be a complete name: for `orders*`, the name `orders` is the best match."""
    return term.key in (None, NAME_KEY) and term.pattern.kind != "any"


def _find_saved_searches_of_query(tx: TableContext, results: MatchCollector, text: str) -> set[int]:
    """Return the positions of saved searches of this very query: they are not results of their own search.

    While somebody types, the last word of the text is a prefix (`orders*`) of the query that was saved.
    """
    groups = results.groups.list_distinct()
    if all(type_ != INSTANCE for _, type_ in groups):
        return set()
    queries = (text, text.removesuffix("*"))
    instances = [at for at, group in enumerate(results.groups.positions) if groups[group][1] == INSTANCE]
    urns = zip(results.read_urns(instances), instances, strict=True)
    saved = {urn: at for urn, at in urns if urn.startswith(_SAVED_SEARCHES)}
    rows = tx.get_table("aspects").read_many([(urn, "instance") for urn in saved])
    return {
        saved[row["urn"]]
        for row in rows
        if row["value"] is not None and _get_query_of_saved_search(parse_stored_json(row["value"])) in queries
    }


def _get_query_of_saved_search(instance: Mapping[str, Any]) -> object:
    metadata = instance.get("metadata")
    return metadata.get("query") if isinstance(metadata, Mapping) else None


def _create_search_hit(
    described_entity: tuple[EntitySummary, Sequence[Descriptor]],
    key_aspect: str,
    names: Mapping[str, str],
    query: SearchQuery,
    now_ms: int,
) -> Hit:
    summary, descriptors = described_entity
    own = [descriptor for descriptor in descriptors if not descriptor.column]
    texts_by_kind: dict[str, list[str]] = defaultdict(list)
    user_tags = set()
    for descriptor in own:
        text = names.get(descriptor.urn, descriptor.text)
        texts_by_kind[descriptor.kind].append(text)
        if descriptor.kind == "tag" and descriptor.scope == "USER":
            user_tags.add(text)
    return Hit(
        summary=summary,
        display_name=names.get(summary.urn),
        description=next(iter(texts_by_kind["description"]), ""),
        tags=tuple(sorted(set(texts_by_kind["tag"]))),
        system_tags=tuple(sorted(set(texts_by_kind["tag"]) - user_tags)),
        terms=tuple(sorted(set(texts_by_kind["term"]))),
        domains=tuple(sorted(set(texts_by_kind["domain"]))),
        owner=next(iter(texts_by_kind["owner"]), None),
        certification=_find_certification(own, names, now_ms),
        quality=next(iter(texts_by_kind["quality"]), None),
        matches=find_match_reasons(query, summary, key_aspect, _group_rows_by_aspect(query, descriptors, names)),
    )


def _find_certification(
    descriptors: Iterable[Descriptor], names: Mapping[str, str], now_ms: int
) -> Certification | None:
    """Return the certification among the descriptors of an entity; None if there is none."""
    for descriptor in descriptors:
        if descriptor.kind == "certification":
            return Certification(
                by=names.get(descriptor.urn) or format_reference_text(descriptor.urn),
                until=None if descriptor.text == NEVER else descriptor.text,
                note=descriptor.detail,
                expired=not is_certification_valid(descriptor.text, now_ms),
            )
    return None


def _group_rows_by_aspect(
    query: SearchQuery, descriptors: Iterable[Descriptor], names: Mapping[str, str]
) -> dict[str, list[ValueRow]]:
    """Return the search rows of each aspect that the query may match, for highlights; references also by the name of
    their target.
    """
    rows: dict[str, list[ValueRow]] = defaultdict(list)
    for descriptor in descriptors:
        texts = f"{descriptor.key}\n{descriptor.text}:{descriptor.detail}\n{names.get(descriptor.urn, '')}"
        if not query.may_match_folded_text(fold_text_for_comparison(texts)):
            continue
        rows[descriptor.aspect] += build_distinct_value_rows([descriptor])
        if descriptor.urn in names:
            rows[descriptor.aspect] += build_distinct_value_rows([descriptor._replace(text=names[descriptor.urn])])
    return rows
