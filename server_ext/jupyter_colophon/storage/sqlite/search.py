"""Full text on SQLite's FTS5 with external content.

Words and terms come encoded, so the tokenizer sees letters and digits only; every one of them is put in
double quotes, so no word can be read as an operator (spec SEARCH-10). A term has a mark before it, so that no
word can be taken for one.

A document says each of its words once, so of BM25 only the rarity of a word and the length of a document remain.
We reckon that ourselves, and the index keeps neither positions nor columns: `bm25()` would read all matches of a
word, and the length of each from another table (spec SEARCH-12).
"""

import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from jupyter_colophon.core.search.search import Group
from jupyter_colophon.storage.search import ranking
from jupyter_colophon.storage.search.grouping import grouped
from jupyter_colophon.storage.spi import Document, Match, Words
from jupyter_colophon.storage.sqlite import facets
from jupyter_colophon.storage.sqlite.guarded import Guarded

#: `search_entries` is what a list of hits needs and is small; `search_texts` is what FTS5 needs to forget a document.
CREATION = [
    """CREATE TABLE IF NOT EXISTS search_entries (
        id INTEGER PRIMARY KEY, urn TEXT NOT NULL UNIQUE, namespace TEXT NOT NULL, type TEXT NOT NULL,
        length INTEGER NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS search_texts (id INTEGER PRIMARY KEY, words TEXT NOT NULL)",
    """CREATE VIRTUAL TABLE IF NOT EXISTS search_tokens USING fts5 (
        words, content = 'search_texts', content_rowid = 'id', prefix = '2 3', detail = none,
        tokenize = 'unicode61 remove_diacritics 0')""",
    *facets.CREATION,
]
LOST = frozenset({"tags"})
_OLD = "SELECT e.id, t.words FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id WHERE e.urn = ?"
_KNOWN = """SELECT e.urn, e.id, t.words FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id
    WHERE e.urn IN (SELECT value FROM json_each(?))"""
_UNINDEX = "INSERT INTO search_tokens (search_tokens, rowid, words) VALUES ('delete', ?, ?)"
_INDEX = "INSERT INTO search_tokens (rowid, words) VALUES (?, ?)"
_ADD = "INSERT INTO search_entries (urn, namespace, type, length) VALUES (?, ?, ?, ?)"
_PUT_TEXT = """INSERT INTO search_texts (id, words) VALUES (?, ?)
    ON CONFLICT (id) DO UPDATE SET words = excluded.words"""
_CHANGE = "UPDATE search_entries SET namespace = ?, type = ?, length = ? WHERE id = ?"
_FORGET = "DELETE FROM search_entries WHERE id = ?"
_FORGET_TEXT = "DELETE FROM search_texts WHERE id = ?"
# Ranking everything that a common word matches costs seconds at a million entities: rank the newest only.
_MATCH = """SELECT e.id, e.namespace, e.type, e.urn, e.length FROM (
        SELECT rowid FROM search_tokens WHERE search_tokens MATCH ? ORDER BY rowid DESC LIMIT ?) AS m
    JOIN search_entries AS e ON e.id = m.rowid"""
_COUNT = "SELECT COUNT(*) FROM (SELECT 1 FROM search_tokens WHERE search_tokens MATCH ? LIMIT ?)"
_GROUPS = """SELECT e.id, e.namespace, e.type FROM (
        SELECT rowid FROM search_tokens WHERE search_tokens MATCH ? ORDER BY rowid DESC LIMIT ?) AS m
    JOIN search_entries AS e ON e.id = m.rowid"""
_NEWEST = "SELECT COALESCE(MAX(id), 0) FROM search_entries"
_DOCUMENTS = """SELECT e.urn, e.namespace, e.type, e.id, t.words
    FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id
    WHERE e.urn IN (SELECT value FROM json_each(?))"""
_AFTER = """SELECT e.urn, e.namespace, e.type, e.id, t.words
    FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id WHERE e.urn > ? ORDER BY e.urn LIMIT ?"""
#: No encoded word begins with this: encoding makes characters of plane 15 only (`core/terms.fts_word`).
_TERM = "\ue000"
_ALIKE, _LENGTH = itemgetter(0, 1, 2), itemgetter(4)


class SqliteSearch:
    """Full text on one connection (`spi.SearchIndex`)."""

    def __init__(self, connection: Guarded) -> None:
        self._connection, self._facets = connection, facets.SqliteFacets(connection)
        #: The number of the newest document, where it was asked for and none came since.
        self._newest: int | None = None

    def put(self, *documents: Document) -> None:
        """Add or replace documents."""
        execute, many = self._connection.execute, self._connection.executemany
        entries, gone, texts, values = [], [], [], {}
        self._newest = None
        urns = json.dumps([one.urn for one in documents])
        known = {urn: (number, words) for urn, number, words in execute(_KNOWN, (urns,))}
        for one in documents:
            words = " ".join([*sorted(one.words), *sorted(_TERM + term for term in one.terms)])
            shown = (one.namespace, one.type, len(one.words))
            old = known.get(one.urn)
            if old is None:
                number: Any = execute(_ADD, (one.urn, *shown)).lastrowid
                texts.append((number, words))
                values[number] = one.facet_values
                continue
            values[old[0]] = one.facet_values
            entries.append((*shown, old[0]))
            if words != old[1]:
                gone.append(old)
                texts.append((old[0], words))
        if entries:
            many(_CHANGE, entries)
            many(_UNINDEX, gone)
        many(_PUT_TEXT, texts)
        many(_INDEX, texts)
        self._facets.write(self._facets.read([number for number, _ in known.values()]) if known else {}, values)

    def remove(self, urn: str) -> None:
        """Forget an entity."""
        execute = self._connection.execute
        old = execute(_OLD, (urn,)).fetchone()
        if old is not None:
            execute(_UNINDEX, old)
            execute(_FORGET, old[:1])
            execute(_FORGET_TEXT, old[:1])
            self._facets.forget(old[0])

    def match(self, words: Words, cap: int) -> list[Match]:
        """The newest `cap` matches, best first."""
        return self.survey(words, cap, cap)[0]

    def survey(self, words: Words, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
        """The newest `cap` matches, best first; where there are more, the newest `counted` in groups."""
        expression = _expression(words)
        limit = max(cap, counted)
        found = self._connection.execute(_MATCH, (expression, limit)).fetchall()
        if not found:
            return [], []
        groups = grouped(map(_ALIKE, found)) if len(found) > cap else []
        rarity = self._rarity(expression, len(found), limit)
        return _ranked(found[:cap], rarity), groups

    def groups(self, words: Words, cap: int) -> list[Group]:
        """The newest `cap` matches, those that are alike counted together."""
        found = self._connection.execute(_GROUPS, (_expression(words), cap))
        return grouped(found)

    def documents(self, urns: Sequence[str]) -> list[Match]:
        """These documents, unranked."""
        found = self._connection.execute(_DOCUMENTS, (json.dumps(list(urns)),))
        return [Match(urn, space, kind, number, 0.0, _terms(words)) for urn, space, kind, number, words in found]

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """How many of these documents have each value, by facet."""
        return self._facets.count(numbers, facets)

    def after(self, urn: str, limit: int) -> list[Document]:
        """What is known, whole, by URN from the first after this one on."""
        found = self._connection.execute(_AFTER, (urn, limit)).fetchall()
        values = self._facets.read([number for *_, number, _ in found])
        return [
            Document(urn, space, kind, values[number], _plain(words), _terms(words))
            for urn, space, kind, number, words in found
        ]

    def _counted(self, expression: str, cap: int) -> int:
        return int(self._connection.execute(_COUNT, (expression, cap)).fetchone()[0])

    def _rarity(self, expression: str, found: int, cap: int) -> float:
        """BM25's inverse document frequency of what was found."""
        matching = found if found < cap or cap >= ranking.COMMON else self._counted(expression, ranking.COMMON)
        if self._newest is None:
            self._newest = int(self._connection.execute(_NEWEST).fetchone()[0])
        return ranking.rarity(matching, self._newest)


def _expression(words: Words) -> str:
    any_of = [f'"{word}"' for word in words.exact] + [f'"{word}"*' for word in words.prefixes]
    parts = [f"({' OR '.join(any_of)})"] if any_of else []
    parts += [f'"{_TERM}{term}"' for term in words.terms]
    return " AND ".join(parts)


def _ranked(found: list[Any], rarity: float) -> list[Match]:
    found.sort(key=_LENGTH)
    scores = {length: rarity * ranking.weight(length) for length in set(map(_LENGTH, found))}
    return [Match(urn, space, kind, number, scores[length]) for number, space, kind, urn, length in found]


def _terms(words: str) -> frozenset[str]:
    return frozenset(word[1:] for word in words.split(" ") if word.startswith(_TERM))


def _plain(words: str) -> frozenset[str]:
    return frozenset(word for word in words.split(" ") if word and not word.startswith(_TERM))
