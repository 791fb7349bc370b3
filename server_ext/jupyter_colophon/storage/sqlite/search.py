"""Full text on SQLite's FTS5 with external content.

Words and terms are encoded, so the tokenizer sees letters and digits only; each is in double quotes, so that no word
can be read as an operator (spec SEARCH-10). A term has a mark before it, so that no word can be taken for a term.

A document has each of its words once, so only the rarity of a word and the length of a document remain of BM25. Both
are computed here, and the index has neither positions, columns nor lengths: `bm25()` would read all matches of a word,
and the length of each from another table (spec SEARCH-12).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from jupyter_colophon.core.search.query_language import SearchPattern
from jupyter_colophon.core.search.search import CountedMatches, MatchGroups
from jupyter_colophon.storage.search import ranking
from jupyter_colophon.storage.search.match_urns import MatchUrns
from jupyter_colophon.storage.spi import (
    Clause,
    Document,
    Match,
    MatchColumns,
    RequiredTerm,
    TextQuery,
    list_absent_terms,
    list_alternatives,
    list_required_terms,
)
from jupyter_colophon.storage.sqlite import facets
from jupyter_colophon.storage.sqlite.compressed_texts import decode_compressed_text, encode_compressed_text
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection
from jupyter_colophon.storage.sqlite.name_bits import compute_bits_of_pattern, compute_name_bits

#: The bits of the words in the name (`name_bits.py`).
_NAME_BITS = "name_bits INTEGER NOT NULL DEFAULT 0"
#: `search_entries` has what a list of hits needs and is small; `search_texts` has what FTS5 needs to delete a document,
#: compressed (`compressed_texts.py`). FTS5 itself reads it only where `upkeep.py` has stored the texts as they are.
CREATION = [
    f"""CREATE TABLE IF NOT EXISTS search_entries (
        id INTEGER PRIMARY KEY, urn TEXT NOT NULL UNIQUE, namespace TEXT NOT NULL, type TEXT NOT NULL,
        length INTEGER NOT NULL, {facets.COLUMN}, {facets.GROUP_COLUMN}, {_NAME_BITS})""",
    "CREATE TABLE IF NOT EXISTS search_texts (id INTEGER PRIMARY KEY, words BLOB NOT NULL)",
    """CREATE VIRTUAL TABLE IF NOT EXISTS search_tokens USING fts5 (
        words, content = 'search_texts', content_rowid = 'id', prefix = '2 3', detail = none, columnsize = 0,
        tokenize = 'unicode61 remove_diacritics 0')""",
    *facets.CREATION,
]
ADDED_COLUMNS = {"facet_values": facets.COLUMN, "group_number": facets.GROUP_COLUMN, "name_bits": _NAME_BITS}
#: What ranking, groups and facets need of a match, without the long columns: a third of the pages, most of them cached.
INDEXES = [
    """CREATE INDEX IF NOT EXISTS search_entries_for_matches
        ON search_entries (id, group_number, length, name_bits, facet_values)""",
]
REMOVED_COLUMNS = frozenset({"tags"})
MOVED_TABLES = {facets.FORMER_TABLE: facets.MOVES}
_OLD = "SELECT e.id, t.words FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id WHERE e.urn = ?"
_KNOWN = """SELECT e.urn, e.id, t.words FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id
    WHERE e.urn IN (SELECT value FROM json_each(?))"""
_UNINDEX = "INSERT INTO search_tokens (search_tokens, rowid, words) VALUES ('delete', ?, ?)"
_INDEX = "INSERT INTO search_tokens (rowid, words) VALUES (?, ?)"
_ADD = """INSERT INTO search_entries (namespace, type, length, group_number, facet_values, name_bits, id, urn)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_PUT_TEXT = """INSERT INTO search_texts (id, words) VALUES (?, ?)
    ON CONFLICT (id) DO UPDATE SET words = excluded.words"""
_CHANGE = """UPDATE search_entries
    SET namespace = ?, type = ?, length = ?, group_number = ?, facet_values = ?, name_bits = ? WHERE id = ?"""
_FORGET = "DELETE FROM search_entries WHERE id = ?"
_FORGET_TEXT = "DELETE FROM search_texts WHERE id = ?"
# Ranking everything that a common word matches costs seconds at a million entities: rank the newest only.
_MATCHING = "(SELECT rowid FROM search_tokens WHERE search_tokens MATCH ?1 ORDER BY rowid DESC LIMIT ?2) AS m"
# Columns as lists are read faster than thousands of rows.
_FIND_COLUMNS = f"""SELECT {{facet_values}}, {{named}}, json_group_array(e.id), json_group_array(e.group_number),
        json_group_array(e.length)
    FROM {_MATCHING} CROSS JOIN search_entries AS e INDEXED BY search_entries_for_matches ON e.id = m.rowid"""
_NAMED = "json_group_array(e.id) FILTER (WHERE {})"
#: The most patterns of names that one statement compares; with more, all matches may have such a name.
_NAMES_MAX = 4
_FIND_MATCHES = f"""SELECT e.urn, e.namespace, e.type, e.id, e.length
    FROM {_MATCHING} CROSS JOIN search_entries AS e ON e.id = m.rowid"""
_URNS = "SELECT id, urn FROM search_entries WHERE id IN (SELECT value FROM json_each(?))"
_ENTRIES = "SELECT id, urn, namespace, type FROM search_entries WHERE id IN (SELECT value FROM json_each(?))"
#: The largest number of matches whose URNs are read at once.
_FEW = 200
_COUNT = "SELECT COUNT(*) FROM (SELECT 1 FROM search_tokens WHERE search_tokens MATCH ? LIMIT ?)"
_NEWEST = "SELECT COALESCE(MAX(id), 0) FROM search_entries"
_DOCUMENTS = """SELECT e.urn, e.namespace, e.type, e.id, t.words
    FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id
    WHERE e.urn IN (SELECT value FROM json_each(?))"""
_AFTER = """SELECT e.urn, e.namespace, e.type, e.facet_values, t.words
    FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id WHERE e.urn > ? ORDER BY e.urn LIMIT ?"""
#: No encoded word begins with this: encoding uses characters of plane 15 only (`core/model/search_index_terms.py`).
_TERM = "\ue000"
_SCORE = attrgetter("score")
#: The number of documents and of entries that an upgrade rewrites in one transaction, which blocks all other writers.
_REWRITTEN_AT_ONCE, _ENTRIES_AT_ONCE = 100, 2_000
_NEXT_ENTRIES = "SELECT id, urn, namespace, type FROM search_entries WHERE id > ? ORDER BY id LIMIT ?"
_WRITE_GROUP_AND_NAME = "UPDATE search_entries SET group_number = ?, name_bits = ? WHERE id = ?"


class SqliteSearch:
    """Full text on one connection (`spi.SearchIndex`)."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._connection, self._facets = connection, facets.SqliteFacets(connection)
        #: The number of the newest document, once it was read.
        self._newest: int | None = None
        #: The numbers of the documents that were found last to be counted, and their gathered facet values.
        self._found: tuple[list[int], str] = [], ""

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents."""
        added, entries, removed, texts, uncompressed = [], [], [], [], []
        self._found = [], ""
        existing = self._find_stored_texts([document.urn for document in documents])
        for document, columns in zip(documents, self._build_entries(documents), strict=True):
            words = _join_words_and_terms(document)
            old = existing.get(document.urn)
            if old is None:
                self._newest = number = self._get_newest_number() + 1
                added.append((*columns, number, document.urn))
                texts.append((number, words))
                continue
            entries.append((*columns, old[0]))
            old_words = decode_compressed_text(old[1])
            if words != old_words:
                removed.append((old[0], old_words))
                texts.append((old[0], words))
            elif isinstance(old[1], str):
                uncompressed.append((old[0], words))
        self._connection.insert_many(_ADD, added)
        self._write_rows(_CHANGE, entries)
        self._write_rows(_UNINDEX, removed)
        self._write_texts(texts, uncompressed)

    def _build_entries(self, documents: Sequence[Document]) -> Iterator[tuple[Any, ...]]:
        """Yield the columns of each entry except its number and its URN."""
        encoded = self._facets.encode_facet_values(documents)
        for document, (group, facet_values) in zip(documents, encoded, strict=True):
            identity = document.namespace, document.type
            bits = compute_name_bits(document.urn, *identity)
            yield *identity, len(document.words), group, facet_values, bits

    def _write_texts(self, changed: list[tuple[int, str]], uncompressed: list[tuple[int, str]]) -> None:
        """Write new and changed texts, index them, and compress those that are stored without compression."""
        # SQLite merges half-empty pages when rows are deleted, not when they become smaller.
        self._write_rows(_FORGET_TEXT, [(number,) for number, _ in uncompressed])
        texts = [(number, encode_compressed_text(words)) for number, words in changed + uncompressed]
        self._write_rows(_PUT_TEXT, texts)
        self._connection.insert_many(_INDEX, changed)

    def _write_rows(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self._connection.execute_many(statement, rows)

    def _find_stored_texts(self, urns: Sequence[str]) -> Mapping[str, tuple[int, str | bytes]]:
        """Return number and stored text of the stored ones of these documents, by URN."""
        execute = self._connection.execute
        if len(urns) == 1:
            # Most writes change one entity, and this statement is three times as fast.
            return dict(zip(urns, execute(_OLD, urns), strict=False))
        return {urn: (number, words) for urn, number, words in execute(_KNOWN, (json.dumps(urns),))}

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        execute = self._connection.execute
        old = execute(_OLD, (urn,)).fetchone()
        self._found = [], ""
        if old is not None:
            execute(_UNINDEX, (old[0], decode_compressed_text(old[1])))
            execute(_FORGET, old[:1])
            execute(_FORGET_TEXT, old[:1])

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` matches, best first."""
        expression = _build_fts_expression(query)
        rows = self._connection.execute(_FIND_MATCHES, (expression, cap)).fetchall()
        rarity = self._compute_rarity(expression, len(rows), cap) if rows else 0.0
        scores = ranking.compute_scores([length for *_, length in rows], rarity)
        matches = [
            Match(urn, namespace, type_, number, score)
            for (urn, namespace, type_, number, _), score in zip(rows, scores, strict=True)
        ]
        return sorted(matches, key=_SCORE, reverse=True)

    def find_match_columns(self, query: TextQuery, cap: int, counted: int) -> MatchColumns:
        """Return the newest `counted` matches, at least `cap`, of which the newest `cap` are ranked."""
        expression, limit = _build_fts_expression(query), max(cap, counted)
        bits = _compute_bits_of_names(query.names)
        facet_values = facets.GATHERED if counted > cap else "''"
        statement = _FIND_COLUMNS.format(facet_values=facet_values, named=_select_named(bits))
        facet_texts, *columns = self._connection.execute(statement, (expression, limit, *(bits or ()))).fetchone()
        named, numbers, groups, lengths = map(json.loads, columns)
        if counted > cap:
            self._found = numbers, facet_texts or ""
        urns: Sequence[str]
        if len(numbers) <= _FEW:
            urns, found_groups = self._read_urns_and_groups(numbers)
            urns = urns[:cap]
        else:
            urns, found_groups = MatchUrns(numbers[:cap], named, self._read_urns), self._read_groups(groups)
        matches = CountedMatches(numbers, found_groups)
        if not urns:
            return MatchColumns(counted=matches)
        scores = ranking.compute_scores(lengths[:cap], self._compute_rarity(expression, len(numbers), limit))
        return MatchColumns(urns, scores, matches)

    def _read_urns_and_groups(self, numbers: Sequence[int]) -> tuple[list[str], MatchGroups]:
        rows = self._connection.execute(_ENTRIES, (json.dumps(numbers),)) if numbers else ()
        entries = {number: columns for number, *columns in rows}
        found = [entries[number] for number in numbers]
        return [urn for urn, _, _ in found], MatchGroups((namespace, type_) for _, namespace, type_ in found)

    def _read_urns(self, numbers: Sequence[int]) -> list[str]:
        urns = dict(self._connection.execute(_URNS, (json.dumps(numbers),)).fetchall())
        return [urns[number] for number in numbers]

    def _read_groups(self, numbers: Sequence[int]) -> MatchGroups:
        distinct = list(dict.fromkeys(numbers))
        positions = dict(zip(distinct, range(len(distinct)), strict=True))
        return MatchGroups.from_positions(self._facets.read_groups(distinct), list(map(positions.__getitem__, numbers)))

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return these documents, unranked."""
        rows = self._connection.execute(_DOCUMENTS, (json.dumps(list(urns)),))
        return [
            Match(urn, space, kind, number, 0.0, _parse_stored_terms(words)) for urn, space, kind, number, words in rows
        ]

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        found, texts = self._found
        if numbers != found:
            texts = self._facets.read_joined_texts(numbers)
        return self._facets.count_facet_values(texts, facets)

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one."""
        rows = self._connection.execute(_AFTER, (urn, limit)).fetchall()
        values = self._facets.decode_facet_values([text for *_, text, _ in rows])
        return [
            Document(urn, space, kind, facet_values, _parse_stored_words(words), _parse_stored_terms(words))
            for (urn, space, kind, _, words), facet_values in zip(rows, values, strict=True)
        ]

    def rewrite_some_documents(self, version: int, place: str) -> str | None:
        """Compress the texts of some documents after a URN, for version 3; write the groups and the bits of names of some
        entries after a number, for version 6.
        """
        if version == 3:
            documents = self.read_documents_after(place, _REWRITTEN_AT_ONCE)
            self.put_documents(*documents)
            return documents[-1].urn if documents else None
        return self._write_groups_and_name_bits(int(place or 0)) if version == 6 else None

    def _write_groups_and_name_bits(self, after: int) -> str | None:
        entries = self._connection.execute(_NEXT_ENTRIES, (after, _ENTRIES_AT_ONCE)).fetchall()
        groups = self._facets.encode_groups([(namespace, type_) for *_, namespace, type_ in entries])
        rows = [
            (group, compute_name_bits(urn, namespace, type_), number)
            for group, (number, urn, namespace, type_) in zip(groups, entries, strict=True)
        ]
        self._write_rows(_WRITE_GROUP_AND_NAME, rows)
        return str(rows[-1][-1]) if rows else None

    def _count_matches_up_to(self, expression: str, cap: int) -> int:
        return int(self._connection.execute(_COUNT, (expression, cap)).fetchone()[0])

    def _compute_rarity(self, expression: str, match_count: int, cap: int) -> float:
        """Return BM25's inverse document frequency of the matches."""
        matching = (
            match_count
            if match_count < cap or cap >= ranking.COMMON
            else self._count_matches_up_to(expression, ranking.COMMON)
        )
        return ranking.compute_rarity(matching, self._get_newest_number())

    def _get_newest_number(self) -> int:
        if self._newest is None:
            self._newest = int(self._connection.execute(_NEWEST).fetchone()[0])
        return self._newest


def _compute_bits_of_names(names: Sequence[SearchPattern]) -> list[int] | None:
    """Return the bits of each pattern of a name; None if any name may match one of them."""
    bits = [compute_bits_of_pattern(name) for name in names]
    return bits if all(bits) and len(bits) <= _NAMES_MAX else None


def _select_named(bits: Sequence[int] | None) -> str:
    """Return the expression for the numbers of the matches whose names have the bits of a pattern; null for any."""
    if not bits:
        return "'null'" if bits is None else "'[]'"
    # The first two parameters are those of the matches.
    conditions = [f"(e.name_bits & ?{at}) = ?{at}" for at in range(3, 3 + len(bits))]
    return _NAMED.format(" OR ".join(conditions))


def _build_fts_expression(query: TextQuery) -> str:
    any_of = [f'"{word}"' for word in query.exact] + [f'"{word}"*' for word in query.prefixes]
    parts = [f"({' OR '.join(any_of)})"] if any_of else []
    parts += map(_build_term_expression, list_required_terms(query.terms))
    if query.filter.any_of is not None:
        clauses = [*map(_build_clause, query.filter.any_of), _build_term_expression(query.filter.exempt)]
        parts.append(f"({' OR '.join(clauses)})")
    expression = " AND ".join(parts)
    if absent := list_absent_terms(query.terms):
        expression = f"({expression}) NOT {_build_term_expression(tuple(absent))}"
    if query.filter.none_of:
        excluded = f"({' OR '.join(map(_build_clause, query.filter.none_of))})"
        # The index looks up each term of a query, even if no document has it.
        if query.filter.exempt:
            excluded = f"({excluded} NOT {_build_term_expression(query.filter.exempt)})"
        expression = f"({expression}) NOT {excluded}"
    return expression


def _build_clause(clause: Clause) -> str:
    return f"({' AND '.join(map(_build_term_expression, clause))})"


def _build_term_expression(required: RequiredTerm) -> str:
    # No document has the term without a text.
    alternatives = " OR ".join(f'"{_TERM}{term}"' for term in list_alternatives(required) or ("",))
    return f"({alternatives})"


def _join_words_and_terms(document: Document) -> str:
    """Return the text of a document: its words, and its terms with their mark, both sorted."""
    terms = f" {_TERM}".join(["", *sorted(document.terms)])
    return f"{' '.join(sorted(document.words))}{terms}".lstrip()


def _parse_stored_terms(stored_text: str | bytes) -> frozenset[str]:
    # Terms come after all words.
    _, mark, terms = decode_compressed_text(stored_text).partition(_TERM)
    return frozenset(terms.split(f" {_TERM}")) if mark else frozenset()


def _parse_stored_words(stored_text: str | bytes) -> frozenset[str]:
    return frozenset(
        word for word in decode_compressed_text(stored_text).split(" ") if word and not word.startswith(_TERM)
    )
