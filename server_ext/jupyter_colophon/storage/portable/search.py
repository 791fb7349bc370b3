"""Full text on structured tables (`spi.SearchIndex`): for each word the documents that have it, the newest first."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice

from jupyter_colophon.core.search.search import FacetValues, Group
from jupyter_colophon.storage.portable.tables import DOCUMENTS, FACETS, NUMBERS, TOKENS
from jupyter_colophon.storage.search import ranking
from jupyter_colophon.storage.search.facet_rows import FacetRow, collect_values, find_changes
from jupyter_colophon.storage.search.grouping import grouped
from jupyter_colophon.storage.spi import Document, Match, Range, Row, StructuredTable, Words

_NUMBER = ("documents",)
#: No encoded word begins with this (`core/terms.fts_word`), and none has the other.
_TERM, _LAST = "\ue000", "\U0010ffff"
#: How many documents have to follow each other to be read in one range, and how many others are asked for at once.
_RUN, _RANGES = 20, 200
#: Where a document is among the others, and whose it is.
_Place = tuple[int, str]


class PortableSearch:
    """Full text inside one transaction."""

    def __init__(self, table: Callable[[str], StructuredTable]) -> None:
        self._table = table

    def put(self, *documents: Document) -> None:
        """Add or replace documents."""
        for document in documents:
            self._put(document)

    def _put(self, document: Document) -> None:
        table = self._table(DOCUMENTS.id)
        old = table.read((document.urn,))
        place = old["place"] if old else -self._table(NUMBERS.id).increment(_NUMBER, "last", 1)
        self._index((place, document.urn), _tokens(old) if old else set(), _tokens_of(document))
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

    def _put_facets(self, place: int, values: FacetValues, *, is_new: bool) -> None:
        table = self._table(FACETS.id)
        old = {} if is_new else collect_values(self._facets([place]))
        removed, added = find_changes(old, {place: values})
        table.multi_delete(removed)
        table.upsert_all([dict(zip(FACETS.primary_key, row, strict=True)) for row in added])

    def remove(self, urn: str) -> None:
        """Forget an entity."""
        table = self._table(DOCUMENTS.id)
        if (old := table.read((urn,))) is not None:
            self._index((old["place"], urn), _tokens(old), set())
            table.delete((urn,))
            self._table(FACETS.id).delete_all(Range.prefix(old["place"]))

    def match(self, words: Words, cap: int) -> list[Match]:
        """The newest `cap` matches, best first."""
        return self.survey(words, cap, cap)[0]

    def survey(self, words: Words, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
        """The newest `cap` matches, best first; where there are more, the newest `counted` in groups."""
        limit = max(cap, counted)
        rows = self._newest(words, limit)
        if not rows:
            return [], []
        groups = _grouped(rows) if len(rows) > cap else []
        rarity = self._rarity(words, len(rows), limit)
        best = sorted(sorted(rows, key=lambda row: int(row["place"]))[:cap], key=lambda row: int(row["length"]))
        return [_match(row, rarity * ranking.weight(row["length"]), frozenset()) for row in best], groups

    def groups(self, words: Words, cap: int) -> list[Group]:
        """The newest `cap` matches by namespace and type."""
        return _grouped(self._newest(words, cap))

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """How many of these documents have each value, by facet."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for _, facet, value in self._facets([-number for number in numbers]):
            if facet in facets:
                found[facet][value] += 1
        return found

    def _newest(self, words: Words, cap: int) -> list[Row]:
        """The newest `cap` documents that match, in no order."""
        return self._table(DOCUMENTS.id).multi_read([(urn,) for _, urn in islice(self._matching(words), cap)])

    def _facets(self, places: Iterable[int]) -> Iterator[FacetRow]:
        """The facet values of documents. Many that follow each other are read at once."""
        table, single = self._table(FACETS.id), list[Range]()
        found = list[Iterator[Row]]()
        for first, last in _runs(places):
            if last - first < _RUN:
                single += [Range.prefix(place) for place in range(first, last + 1)]
            else:
                found.append(table.scan(Range((first,), (last,))))
        found += [table.multi_scan(single[at : at + _RANGES]) for at in range(0, len(single), _RANGES)]
        return ((row["place"], row["facet"], row["value"]) for row in chain.from_iterable(found))

    def documents(self, urns: Sequence[str]) -> list[Match]:
        """These documents, unranked."""
        rows = self._table(DOCUMENTS.id).multi_read([(urn,) for urn in dict.fromkeys(urns)])
        return [_match(row, 0.0, _split(row["terms"])) for row in rows]

    def after(self, urn: str, limit: int) -> list[Document]:
        """What is known, whole, by URN from the first after this one on."""
        rows = list(self._table(DOCUMENTS.id).scan(Range((urn,), begin_inclusive=False), limit))
        values = collect_values(self._facets([row["place"] for row in rows]))
        return [
            Document(
                row["urn"],
                row["namespace"],
                row["type"],
                values[row["place"]],
                _split(row["words"]),
                _split(row["terms"]),
            )
            for row in rows
        ]

    def _index(self, place: _Place, old: set[str], new: set[str]) -> None:
        table, (number, urn) = self._table(TOKENS.id), place
        for token in old - new:
            table.delete((token, number))
        for token in new - old:
            table.upsert({"token": token, "place": number, "urn": urn})

    def _matching(self, words: Words) -> Iterator[_Place]:
        """Documents that match, the newest first, each once."""
        terms = [_TERM + term for term in words.terms]
        sources = [self._having(word) for word in words.exact] + [self._beginning(word) for word in words.prefixes]
        if not sources:
            sources, terms = [self._having(term) for term in terms[:1]], terms[1:]
        last = None
        for place in heapq.merge(*sources):
            if place != last and self._has(place, terms):
                yield place
            last = place

    def _having(self, token: str) -> Iterator[_Place]:
        return ((row["place"], row["urn"]) for row in self._table(TOKENS.id).scan(Range.prefix(token)))

    def _beginning(self, prefix: str) -> Iterator[_Place]:
        rows = self._table(TOKENS.id).scan(Range((prefix,), (prefix + _LAST,)))
        return iter(sorted({(row["place"], row["urn"]) for row in rows}))

    def _has(self, place: _Place, terms: Sequence[str]) -> bool:
        table = self._table(TOKENS.id)
        return all(table.read((term, place[0])) is not None for term in terms)

    def _rarity(self, words: Words, found: int, cap: int) -> float:
        row = self._table(NUMBERS.id).read(_NUMBER)
        is_all = found < cap or cap >= ranking.COMMON
        matching = found if is_all else sum(1 for _ in islice(self._matching(words), ranking.COMMON))
        return ranking.rarity(matching, row["last"] if row else 0)


def _match(row: Row, score: float, terms: frozenset[str]) -> Match:
    return Match(row["urn"], row["namespace"], row["type"], -row["place"], score, terms)


def _grouped(rows: Iterable[Row]) -> list[Group]:
    return grouped((-row["place"], row["namespace"], row["type"]) for row in rows)


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of places that follow each other."""
    for _, run in groupby(enumerate(sorted(places)), key=lambda pair: pair[1] - pair[0]):
        (_, first), *rest = run
        yield first, rest[-1][1] if rest else first


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split(" ")) if text else frozenset()


def _tokens_of(document: Document) -> set[str]:
    return set(document.words) | {_TERM + term for term in document.terms}


def _tokens(row: Row) -> set[str]:
    return set(_split(row["words"]) | {_TERM + term for term in _split(row["terms"])})
