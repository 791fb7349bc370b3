"""Full text on structured tables (`spi.SearchIndex`): the documents of each word, newest first."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice

from jupyter_colophon.core.search.search import FacetValues
from jupyter_colophon.storage.portable.tables import DOCUMENTS, FACETS, NUMBERS, TOKENS
from jupyter_colophon.storage.search import ranking
from jupyter_colophon.storage.spi import (
    Document,
    Match,
    MatchColumns,
    Range,
    Row,
    StructuredTable,
    TermFilter,
    TextQuery,
    list_absent_terms,
    list_alternatives,
    list_required_terms,
)

_NUMBER = ("documents",)
#: No encoded word begins with the first (`core/model/search_index_terms.py`), and none contains the second.
_TERM, _LAST = "\ue000", "\U0010ffff"
#: How many consecutive documents are read as one range, and how many others are read at once.
_RUN, _RANGES = 20, 200
#: The position of a document among the others, and its URN.
_Place = tuple[int, str]
#: The position of a document, a facet, and a value.
_FacetRow = tuple[int, str, str]


class PortableSearch:
    """Full text inside one transaction."""

    def __init__(self, table: Callable[[str], StructuredTable]) -> None:
        self._table = table

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents."""
        for document in documents:
            self._put_document(document)

    def _put_document(self, document: Document) -> None:
        table = self._table(DOCUMENTS.id)
        old = table.read((document.urn,))
        place = old["place"] if old else -self._table(NUMBERS.id).increment(_NUMBER, "last", 1)
        self._update_token_rows(
            (place, document.urn), _parse_row_tokens(old) if old else set(), _collect_document_tokens(document)
        )
        table.upsert(
            {
                "urn": document.urn,
                "place": place,
                "namespace": document.namespace,
                "type": document.type,
                "length": len(document.words),
                "words": " ".join(sorted(document.words)),
                "terms": " ".join(sorted(document.terms)),
            }
        )
        self._put_facets(place, document.facet_values, is_new=old is None)

    def _put_facets(self, key: int, values: FacetValues, *, is_new: bool) -> None:
        table = self._table(FACETS.id)
        old = frozenset() if is_new else {(facet, value) for _, facet, value in self._iterate_facets([key])}
        table.delete_many([(key, *pair) for pair in sorted(old - values)])
        rows = [(key, *pair) for pair in sorted(values - old)]
        table.upsert_many([dict(zip(FACETS.primary_key, row, strict=True)) for row in rows])

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        table = self._table(DOCUMENTS.id)
        if (old := table.read((urn,))) is not None:
            self._update_token_rows((old["place"], urn), _parse_row_tokens(old), set())
            table.delete((urn,))
            self._table(FACETS.id).delete_range(Range.prefix(old["place"]))

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` matches, best first."""
        return self.find_match_columns(query, cap, cap).list_best_matches()

    def find_match_columns(self, query: TextQuery, cap: int, counted: int) -> MatchColumns:
        """Return the newest `counted` matches, at least `cap`, of which the newest `cap` are ranked."""
        limit = max(cap, counted)
        rows = sorted(self._find_newest_matching_rows(query, limit), key=lambda row: int(row["place"]))
        if not rows:
            return MatchColumns()
        rarity = self._compute_rarity(query, len(rows), limit)
        scores = ranking.compute_scores([row["length"] for row in rows], rarity)
        return MatchColumns.from_matches(
            [_build_match(row, score, frozenset()) for row, score in zip(rows, scores, strict=True)], cap
        )

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for _, facet, value in self._iterate_facets([-number for number in numbers]):
            if facet in facets:
                counts[facet][value] += 1
        return counts

    def _find_newest_matching_rows(self, query: TextQuery, cap: int) -> list[Row]:
        """Return the newest `cap` matching documents, unordered."""
        return self._table(DOCUMENTS.id).read_many(
            [(urn,) for _, urn in islice(self._iterate_matching_places(query), cap)]
        )

    def _iterate_facets(self, keys: Iterable[int]) -> Iterator[_FacetRow]:
        """Yield the facet values of documents; many consecutive ones are read at once."""
        table, single = self._table(FACETS.id), list[Range]()
        scans = list[Iterator[Row]]()
        for first, last in _iterate_sequences_of_positions(keys):
            if last - first < _RUN:
                single += [Range.prefix(place) for place in range(first, last + 1)]
            else:
                scans.append(table.scan(Range((first,), (last,))))
        scans += [table.scan_ranges(single[at : at + _RANGES]) for at in range(0, len(single), _RANGES)]
        return ((row["place"], row["facet"], row["value"]) for row in chain.from_iterable(scans))

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return these documents, unranked."""
        rows = self._table(DOCUMENTS.id).read_many([(urn,) for urn in dict.fromkeys(urns)])
        return [_build_match(row, 0.0, _split_words(row["terms"])) for row in rows]

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one."""
        rows = list(self._table(DOCUMENTS.id).scan(Range((urn,), begin_inclusive=False), limit))
        values = _collect_facet_values(self._iterate_facets([row["place"] for row in rows]))
        return [
            Document(
                row["urn"],
                row["namespace"],
                row["type"],
                values[row["place"]],
                _split_words(row["words"]),
                _split_words(row["terms"]),
            )
            for row in rows
        ]

    def rewrite_some_documents(self, version: int, place: str) -> str | None:
        """Return None: no version changed how documents are stored."""
        return None

    def _update_token_rows(self, key: _Place, old: set[str], new: set[str]) -> None:
        table, (number, urn) = self._table(TOKENS.id), key
        for token in old - new:
            table.delete((token, number))
        for token in new - old:
            table.upsert({"token": token, "place": number, "urn": urn})

    def _iterate_matching_places(self, query: TextQuery) -> Iterator[_Place]:
        """Yield the matching documents, newest first, each once."""
        terms = [
            [_TERM + term for term in list_alternatives(required)] for required in list_required_terms(query.terms)
        ]
        absent = [_TERM + term for term in list_absent_terms(query.terms)]
        sources = [self._iterate_places_with_token(word) for word in query.exact] + [
            self._iterate_places_with_prefix(word) for word in query.prefixes
        ]
        if not sources:
            sources, terms = [self._iterate_places_with_token(term) for first in terms[:1] for term in first], terms[1:]
        last = None
        for place in heapq.merge(*sources):
            if (
                place != last
                and self._has_all_terms(place, terms)
                and not self._has_any_term(place, absent)
                and self._matches_filter(place, query.filter)
            ):
                yield place
            last = place

    def _iterate_places_with_token(self, token: str) -> Iterator[_Place]:
        return ((row["place"], row["urn"]) for row in self._table(TOKENS.id).scan(Range.prefix(token)))

    def _iterate_places_with_prefix(self, prefix: str) -> Iterator[_Place]:
        rows = self._table(TOKENS.id).scan(Range((prefix,), (prefix + _LAST,)))
        return iter(sorted({(row["place"], row["urn"]) for row in rows}))

    def _has_all_terms(self, key: _Place, terms: Sequence[Sequence[str]]) -> bool:
        return all(self._has_any_term(key, required) for required in terms)

    def _has_any_term(self, key: _Place, terms: Sequence[str]) -> bool:
        table = self._table(TOKENS.id)
        return any(table.read((term, key[0])) is not None for term in terms)

    def _matches_filter(self, key: _Place, term_filter: TermFilter) -> bool:
        if term_filter == TermFilter():
            return True
        row = self._table(DOCUMENTS.id).read((key[1],))
        return row is not None and term_filter.matches_terms(_split_words(row["terms"]))

    def _compute_rarity(self, query: TextQuery, match_count: int, cap: int) -> float:
        row = self._table(NUMBERS.id).read(_NUMBER)
        is_all = match_count < cap or cap >= ranking.COMMON
        matching = (
            match_count if is_all else sum(1 for _ in islice(self._iterate_matching_places(query), ranking.COMMON))
        )
        return ranking.compute_rarity(matching, row["last"] if row else 0)


def _build_match(row: Row, score: float, terms: frozenset[str]) -> Match:
    return Match(row["urn"], row["namespace"], row["type"], -row["place"], score, terms)


def _iterate_sequences_of_positions(keys: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of consecutive positions."""
    for _, run in groupby(enumerate(sorted(keys)), key=lambda pair: pair[1] - pair[0]):
        (_, first), *rest = run
        yield first, rest[-1][1] if rest else first


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split(" ")) if text else frozenset()


def _collect_document_tokens(document: Document) -> set[str]:
    return set(document.words) | {_TERM + term for term in document.terms}


def _parse_row_tokens(row: Row) -> set[str]:
    return set(_split_words(row["words"]) | {_TERM + term for term in _split_words(row["terms"])})


def _collect_facet_values(rows: Iterable[_FacetRow]) -> Mapping[int, FacetValues]:
    """Return the values of each document; an empty set for one without rows."""
    values: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    for place, facet, value in rows:
        values[place].add((facet, value))
    return defaultdict(frozenset, {place: frozenset(pairs) for place, pairs in values.items()})
