"""Full text on structured tables (`spi.SearchIndex`): for each word the documents that have it, the newest first."""

import heapq
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.search.facet_labels import APART
from jupyter_colophon.core.search.search import Group
from jupyter_colophon.storage.portable.tables import DOCUMENTS, NUMBERS, TOKENS
from jupyter_colophon.storage.search import ranking
from jupyter_colophon.storage.search.grouping import grouped, surveyed
from jupyter_colophon.storage.spi import Document, Match, Range, Row, StructuredTable, Words

_NUMBER = ("documents",)
#: No encoded word begins with this (`core/terms.fts_word`), and none has the other.
_TERM, _LAST = "\ue000", "\U0010ffff"
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
                "tags": json.dumps(document.labels),
                "length": len(document.words),
                "words": " ".join(sorted(document.words)),
                "terms": " ".join(sorted(document.terms)),
            }
        )

    def remove(self, urn: str) -> None:
        """Forget an entity."""
        table = self._table(DOCUMENTS.id)
        if (old := table.read((urn,))) is not None:
            self._index((old["place"], urn), _tokens(old), set())
            table.delete((urn,))

    def match(self, words: Words, cap: int) -> list[Match]:
        """The newest `cap` matches, best first."""
        places = list(islice(self._matching(words), cap))
        if not places:
            return []
        rows = self._table(DOCUMENTS.id).multi_read([(urn,) for _, urn in places])
        rarity = self._rarity(words, len(places), cap)
        rows.sort(key=lambda row: (row["length"], row["place"]))
        return [_match(row, rarity * ranking.weight(row["length"]), frozenset()) for row in rows]

    def survey(self, words: Words, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
        """The newest `cap` matches, best first; where there are more, the newest `counted` in groups."""
        return surveyed(self, words, cap, counted)

    def groups(self, words: Words, cap: int) -> list[Group]:
        """The newest `cap` matches, those that are alike counted together."""
        urns = [(urn,) for _, urn in islice(self._matching(words), cap)]
        rows = self._table(DOCUMENTS.id).multi_read(urns)
        return grouped((row["namespace"], row["type"], APART.join(stored(row["tags"]))) for row in rows)

    def documents(self, urns: Sequence[str]) -> list[Match]:
        """These documents, unranked."""
        rows = self._table(DOCUMENTS.id).multi_read([(urn,) for urn in dict.fromkeys(urns)])
        return [_match(row, 0.0, _split(row["terms"])) for row in rows]

    def after(self, urn: str, limit: int) -> list[Document]:
        """What is known, whole, by URN from the first after this one on."""
        rows = self._table(DOCUMENTS.id).scan(Range((urn,), begin_inclusive=False), limit)
        return [
            Document(
                row["urn"],
                row["namespace"],
                row["type"],
                tuple(stored(row["tags"])),
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
        matching = found if found < cap else sum(1 for _ in islice(self._matching(words), ranking.COMMON))
        return ranking.rarity(matching, row["last"] if row else 0)


def _match(row: Row, score: float, terms: frozenset[str]) -> Match:
    return Match(row["urn"], row["namespace"], row["type"], APART.join(stored(row["tags"])), score, terms)


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split(" ")) if text else frozenset()


def _tokens_of(document: Document) -> set[str]:
    return set(document.words) | {_TERM + term for term in document.terms}


def _tokens(row: Row) -> set[str]:
    return set(_split(row["words"]) | {_TERM + term for term in _split(row["terms"])})
