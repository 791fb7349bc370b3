"""Search: full text and `key:value` combined, ranked, with highlights and facets."""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.entities.descriptors_of import describe_entity
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.errors import InvalidQuery, shown
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import NAME_KEY, ValueRow, filter_term, fts_word, search_rows
from jupyter_colophon.core.model.vocabulary import Descriptor
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.highlights import reasons
from jupyter_colophon.core.search.query_language import Pattern, Query, Term, parse_query
from jupyter_colophon.core.search.search import Group, Hit, SearchAnswer, SearchQuestion
from jupyter_colophon.service.entities.point_in_time import PointInTimeView
from jupyter_colophon.service.entities.reference_names import ReferenceNames
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.service.search.facet_counts import count_facets
from jupyter_colophon.service.search.search_as_of import PastSearch
from jupyter_colophon.service.search.search_results import SearchResults
from jupyter_colophon.service.search.system_property_search import match_edges, match_program
from jupyter_colophon.service.search.term_lookup import PROGRAM_KEY, ResolvedTerm, resolve_terms, words_of
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.deleting_namespaces import lasting
from jupyter_colophon.storage.entities.retention import require_kept
from jupyter_colophon.storage.search import values
from jupyter_colophon.storage.search.index import NOT_REMOVED
from jupyter_colophon.storage.spi import Match, StorageProvider, TableContext, Words

#: Only so many of the newest matches are ranked; ranking more takes seconds (spec SEARCH-12).
RANKED_MAX = 5_000
#: Totals and facets are exact up to here (spec SEARCH-14).
COUNTED_MAX = 10_000
#: An exact `key:value` match scores like a rare word.
_VALUE_SCORE = 2.0
#: The kinds of descriptors that a hit contains in full, and the approximate size of the rest of a hit.
_FULL_KINDS = frozenset({"description", "tag", "term", "domain", "owner"})
_HIT_BYTES = 1_000
#: The prefix of URNs of saved searches.
_SAVED_SEARCHES = "urn:li:instance:(saved-searches,"
T = TypeVar("T", Match, Group)


@dataclass(frozen=True, slots=True)
class _Matched:
    """All matches, and those that the principal may see; `groups` count the matches if not all are ranked."""

    found: SearchResults
    visible: list[Match]
    groups: list[Group]

    @property
    def total(self) -> int:
        return max(sum(len(one.numbers) for one in self.groups), len(self.visible))

    @property
    def at_least(self) -> bool:
        counted = sum(len(one.numbers) for one in self.found.groups)
        return counted >= COUNTED_MAX or (self.found.capped and not self.found.groups)


@dataclass(frozen=True, slots=True)
class Searcher:
    """Searches one catalog."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    cursors: Cursors

    @audited("search", lambda answer: (hit.summary.urn for hit in answer.hits))
    def search(self, question: SearchQuestion, principal: Principal) -> SearchAnswer:
        """Return a page of hits that the principal may see. Raises InvalidQuery."""
        query = self._parse(question)
        request_key: list[Any] = [question.text, [list(pair) for pair in question.filters], question.removed]
        offset = 0
        if question.cursor:
            # A time such as `now-1d` resolves differently for the next page: use that of the first page.
            *same, as_of, offset = self.cursors.read("search", question.cursor)
            if same != request_key or (as_of is None) != (question.as_of is None):
                raise InvalidQuery("is not a cursor of this search", "cursor")
            question = replace(question, as_of=as_of)
        return self.provider.tx_runner.run(
            lambda tx: self._build_answer(tx, question, query, principal, ([*request_key, question.as_of], offset)),
            read_only=True,
        )

    def urns(self, question: SearchQuestion, principal: Principal) -> tuple[tuple[str, ...], int, bool]:
        """Return the URNs of the first hits, the total, and whether the total is a lower bound. Raises InvalidQuery."""
        query = self._parse(question)

        def work(tx: TableContext) -> tuple[tuple[str, ...], int, bool]:
            matched = self._match(tx, question, query, principal)
            best = matched.found.best(matched.visible, question.limit, by_type=query.matches_all)
            return tuple(one.urn for one in best), matched.total, matched.at_least

        return self.provider.tx_runner.run(work, read_only=True)

    def _parse(self, question: SearchQuestion) -> Query:
        kind = question.filter("type")
        if kind and not self.registry.knows(kind):
            raise InvalidQuery(f"no such entity type: {shown(kind)}", "type")
        return parse_query(question.text)

    def spaces(self, tx: TableContext, namespace: str, principal: Principal, *, ever: bool = False) -> list[str]:
        """Return the namespace, or all that the principal may read; `ever` includes deleted ones."""
        spaces = [namespace] if namespace else [NO_NAMESPACE, *aspects.namespaces(tx, ever=ever)]
        return [space for space in lasting(tx, spaces) if self.gate.may_read(principal, space)]

    def _build_answer(
        self,
        tx: TableContext,
        question: SearchQuestion,
        query: Query,
        principal: Principal,
        position: tuple[list[Any], int],
    ) -> SearchAnswer:
        matched = self._match(tx, question, query, principal)
        found, visible = matched.found, matched.visible
        request_key, offset = position
        page = found.best(visible, offset + question.limit, by_type=query.matches_all)[offset:]
        hits, taken = self._hits(tx, page, query, question.as_of, principal)
        end = offset + taken
        facets = count_facets(tx.search, question.facets, visible, matched.groups)
        return SearchAnswer(
            hits=tuple(hits),
            total=matched.total,
            at_least=matched.at_least,
            ranked=len(found.matches) if found.capped else None,
            facets=facets,
            names=ReferenceNames(tx, self.registry, self.gate, principal).names_of_facets(facets),
            cursor=self.cursors.write("search", [*request_key, end]) if end < len(visible) else None,
        )

    def _match(self, tx: TableContext, question: SearchQuestion, query: Query, principal: Principal) -> _Matched:
        found = SearchResults()
        self.gather(tx, question, query, principal, found)
        visible = self.visible(tx, list(found.matches.values()), question, principal)
        groups = self.visible(tx, found.groups, question, principal)
        if own := _find_own_saved_search(tx, visible, question.text):
            visible = [one for one in visible if one not in own]
            groups = [_remove_numbers(group, {one.number for one in own}) for group in groups]
        return _Matched(found, visible, groups)

    def gather(
        self, tx: TableContext, question: SearchQuestion, query: Query, principal: Principal, found: SearchResults
    ) -> None:
        """Add all matches to `found`, regardless of read access."""
        names = ReferenceNames(tx, self.registry, self.gate, principal)
        terms = tuple(filter_term(name, names.filter_value(name, value)) for name, value in question.filters)
        terms = terms if question.removed else (*terms, NOT_REMOVED)
        spaces = self.spaces(tx, question.filter("namespace"), principal, ever=question.as_of is not None)
        if question.as_of is not None:
            require_kept(tx, question.as_of)
            PastSearch(PointInTimeView(tx, self.registry, question.as_of), spaces).gather(query, terms, found)
            return
        meanings = resolve_terms(query, names, time.time_ns() // 1_000_000)
        _match_words(tx, query, meanings, terms, found)
        for at, one in enumerate(meanings):
            for key, pattern in one.values:
                found.add(_match_value(tx, (key, pattern), spaces, terms, found), at, _VALUE_SCORE)
            found.add(match_edges(tx, one, terms, RANKED_MAX), at, _VALUE_SCORE)
            if one.term.key == PROGRAM_KEY:
                matches, are_all = match_program(tx, one.term, terms, self.gate, principal)
                found.add(matches, at, _VALUE_SCORE)
                found.capped = found.capped or not are_all

    def visible(self, tx: TableContext, matches: list[T], question: SearchQuestion, principal: Principal) -> list[T]:
        """Return the matches that may be seen and match the filters exactly; full text compares names folded (spec ID-2)."""
        space, kind = question.filter("namespace"), question.filter("type")
        pairs = {(one.namespace, one.type) for one in matches}
        requested = {name for name, _ in pairs if space in ("", name)}
        readable = {name for name in lasting(tx, sorted(requested)) if self.gate.may_read(principal, name)}
        known = {name for _, name in pairs if kind in ("", name)}
        if not all(space in readable and name in known for space, name in pairs):
            matches = [one for one in matches if one.namespace in readable and one.type in known]
        return self._without_hidden(tx, matches, principal) if self.gate.has_policy else matches

    def _without_hidden(self, tx: TableContext, matches: list[T], principal: Principal) -> list[T]:
        """Drop instances whose own namespace may not be read; groups of instances are dropped entirely."""
        return [
            one
            for one in matches
            if one.type != INSTANCE or (isinstance(one, Match) and self.gate.may_see(tx, principal, Urn.parse(one.urn)))
        ]

    def _hits(
        self, tx: TableContext, page: Sequence[Match], query: Query, as_of: int | None, principal: Principal
    ) -> tuple[list[Hit], int]:
        """Return the hits of a page, which may end by its size, and how many matches are in it."""
        summaries = {} if as_of is not None else aspects.summaries(tx, [one.urn for one in page])

        def describe(one: Match) -> tuple[EntitySummary | None, list[Descriptor]]:
            if as_of is None:
                summary, aspects_by_name = summaries.get(one.urn), aspects.present(tx, self.registry, one.type, one.urn)
            else:
                summary = aspects.summary_at(tx, self.registry, Urn.parse(one.urn), as_of)
                aspects_by_name = aspects.at(tx, self.registry, one.type, one.urn, as_of)
            return summary, list(describe_entity(self.registry.stored_type(one.type), aspects_by_name, fields=True))

        described = list(take_page(map(describe, page), _measure))
        found = [(summary, descriptors) for summary, descriptors in described if summary is not None]
        names = ReferenceNames(tx, self.registry, self.gate, principal)
        named = names.names_of({one.urn for *_, descriptors in found for one in descriptors if one.urn})
        hits = [_hit(one, self.registry.stored_type(one[0].type).key_aspect, named, query) for one in found]
        return hits, len(described)


def _measure(found: tuple[EntitySummary | None, Sequence[Descriptor]]) -> int:
    """Return about how many bytes a hit takes in an answer."""
    return _HIT_BYTES + sum(len(one.text) for one in found[1] if one.kind in _FULL_KINDS and not one.column)


def _match_value(
    tx: TableContext, wanted: tuple[str, Pattern], spaces: Sequence[str], terms: tuple[str, ...], found: SearchResults
) -> list[Match]:
    """Return entities with a matching value of a key, from the ordered table (spec SEARCH-11)."""
    urns: dict[str, None] = {}
    for space in spaces:
        rows = values.entities_with(tx, space, *wanted, RANKED_MAX - len(urns))
        urns |= dict.fromkeys(row["urn"] for row in rows)
        if len(urns) >= RANKED_MAX:
            found.capped = True
            break
    # Full text has found almost all of them; the rest are values that are too long for it, or beyond its cap.
    unknown = [urn for urn in urns if urn not in found.matches]
    known = [found.matches[urn] for urn in urns if urn in found.matches]
    return known + [one for one in tx.search.documents(unknown) if unknown and one.terms.issuperset(terms)]


def _match_words(
    tx: TableContext, query: Query, meanings: Sequence[ResolvedTerm], terms: tuple[str, ...], found: SearchResults
) -> None:
    """Add full-text matches, term by term; if not all can be ranked, add counted groups."""
    cut, groups = False, list[Group]()
    for at, term in enumerate(query.terms):
        words = words_of(meanings[at : at + 1], terms, all_of_them=Query((term,)).matches_all)
        if len(query.terms) == 1:
            matches, groups = tx.search.survey(words, RANKED_MAX, COUNTED_MAX)
        else:
            matches, groups = tx.search.match(words, RANKED_MAX), []
            cut = cut or len(matches) == RANKED_MAX
        found.add(matches, at)
        # The words of a name are indexed as words, so without a match no entity has this name.
        if matches and _may_be_a_name(term):
            word = fts_word(f"{NAME_KEY}:{term.pattern.text}")
            named = tx.search.match(Words(exact=(word,), terms=terms), RANKED_MAX)
            found.add(named, at, 0.0)
            found.named.update(one.urn for one in named)
    if cut:
        # Count the matches of several terms together.
        groups = tx.search.groups(words_of(meanings, terms, all_of_them=query.matches_all), COUNTED_MAX)
    if sum(len(one.numbers) for one in groups) > RANKED_MAX:
        found.capped = True
        found.groups += groups


def _may_be_a_name(term: Term) -> bool:
    """Return whether a term may be a complete name: for `orders*`, the name `orders` is the best match."""
    return term.key in (None, NAME_KEY) and term.pattern.kind != "any"


def _find_own_saved_search(tx: TableContext, matches: Iterable[Match], text: str) -> list[Match]:
    """Return the matches that are saved searches of this very query: they are not results of their own search.

    While somebody types, the last word of the text is a prefix (`orders*`) of the query that was saved.
    """
    queries = (text, text.removesuffix("*"))
    saved = {one.urn: one for one in matches if one.type == INSTANCE and one.urn.startswith(_SAVED_SEARCHES)}
    rows = tx.table("aspects").multi_read([(urn, "instance") for urn in saved])
    return [
        saved[row["urn"]] for row in rows if row["value"] is not None and _query_of(stored(row["value"])) in queries
    ]


def _query_of(instance: Mapping[str, Any]) -> object:
    metadata = instance.get("metadata")
    return metadata.get("query") if isinstance(metadata, Mapping) else None


def _remove_numbers(group: Group, numbers: Collection[int]) -> Group:
    return group._replace(numbers=[one for one in group.numbers if one not in numbers])


def _hit(
    found: tuple[EntitySummary, Sequence[Descriptor]], key_aspect: str, names: Mapping[str, str], query: Query
) -> Hit:
    summary, descriptors = found
    own = [one for one in descriptors if not one.column]
    shown: dict[str, list[str]] = defaultdict(list)
    for one in own:
        shown[one.kind].append(names.get(one.urn, one.text))
    return Hit(
        summary=summary,
        description=next(iter(shown["description"]), ""),
        tags=tuple(sorted(set(shown["tag"]))),
        terms=tuple(sorted(set(shown["term"]))),
        domains=tuple(sorted(set(shown["domain"]))),
        owner=next(iter(shown["owner"]), None),
        matches=reasons(query, summary, key_aspect, _rows_by_aspect(descriptors, names)),
    )


def _rows_by_aspect(descriptors: Iterable[Descriptor], names: Mapping[str, str]) -> dict[str, list[ValueRow]]:
    """Return the search rows of each aspect, for highlights; references also by the name of their target."""
    rows: dict[str, list[ValueRow]] = defaultdict(list)
    for one in descriptors:
        rows[one.aspect] += search_rows([one])
        if one.urn in names:
            rows[one.aspect] += search_rows([one._replace(text=names[one.urn])])
    return rows
