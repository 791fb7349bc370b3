"""Full text on PostgreSQL: sets of words in `tsvector`, found by a GIN index.

Nothing is parsed: words and terms are encoded (`core/model/search_index_terms.py`) and used unchanged. A term has a
mark before it, so that no word can be taken for a term, and both are quoted, so that none can be read as an operator
(spec SEARCH-10). Ranking is the same as on other stores (`storage/search/ranking.py`), over the newest matches only.

A GIN index returns all rows that match, in no order. So entries are numbered in blocks, and each token begins with the
block of its entry: a search reads block after block, newest first, until it has enough matches. A word that no entry of
a block has costs one descent of the index (decision 61).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.search.search import CountedMatches, FacetValues, MatchGroups
from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import Execute
from jupyter_colophon.storage.postgresql.facets import CREATION as FACETS
from jupyter_colophon.storage.postgresql.facets import PostgresFacets
from jupyter_colophon.storage.search import ranking
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

_URN, _REQUESTED = DIALECT.build_comparable_term("urn", "string"), DIALECT.build_comparable_term("%s", "string")
#: `search_entries` has what a list of hits needs and is small. `search_tokens`, which had tokens without blocks, is
#: replaced by `search_block_tokens`.
CREATION = [
    """CREATE TABLE search_entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        urn text COLLATE "C" NOT NULL, namespace text NOT NULL, type text NOT NULL, tags text NOT NULL,
        length integer NOT NULL)""",
    f"CREATE UNIQUE INDEX search_entries_by_urn ON search_entries ({_URN})",
    "CREATE TABLE search_texts (id bigint PRIMARY KEY, words text NOT NULL)",
    """CREATE TABLE search_tokens (id bigint NOT NULL, part integer NOT NULL, tokens tsvector NOT NULL,
        PRIMARY KEY (id, part))""",
    # Without a pending list, which every search would have to read.
    "CREATE INDEX search_tokens_by_token ON search_tokens USING gin (tokens) WITH (fastupdate = off)",
]
#: Later changes of the tables; each is applied once, in this order.
GROWTH = [*FACETS, "ALTER TABLE search_entries DROP COLUMN tags"]
#: A document has one row of tokens, or several if it has more than fit into a `tsvector`; each row has all terms, so it
#: can match alone. Documents that were indexed in `search_tokens` are indexed again by a migration.
LATEST_GROWTH = [
    "DROP TABLE search_tokens",
    # A search reads the row of each match, but not its tokens. PostgreSQL moves tokens out of rows of more than 2 kB only,
    # which the filler makes of each row; it is compressed. So 75 rows fit on a page instead of four.
    """CREATE TABLE search_block_tokens (id bigint NOT NULL, part integer NOT NULL, tokens tsvector NOT NULL,
        filler text NOT NULL DEFAULT repeat(' ', 2100), PRIMARY KEY (id, part)) WITH (toast_tuple_target = 128)""",
    # No statistics: the planner is to assume a few matches in each block, and to use the index.
    "ALTER TABLE search_block_tokens ALTER COLUMN tokens SET STORAGE EXTERNAL, ALTER COLUMN tokens SET STATISTICS 0",
    # Without a pending list, which every search would have to read.
    "CREATE INDEX search_block_tokens_by_token ON search_block_tokens USING gin (tokens) WITH (fastupdate = off)",
]
_OLD = (
    f"SELECT e.id, t.words FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id WHERE {_URN} = {_REQUESTED}"
)
# In their order, since the newest are found first.
_ADD_ALL = """INSERT INTO search_entries (urn, namespace, type, length)
    SELECT urn, namespace, type, length
    FROM unnest(%s::text[], %s::text[], %s::text[], %s::integer[]) WITH ORDINALITY
        AS new (urn, namespace, type, length, at) ORDER BY at RETURNING id, urn"""
#: Each document with its facet values, as pairs.
_KNOWN = f"""SELECT e.urn, e.id, e.namespace, e.type, e.length, t.words,
        EXISTS (SELECT FROM search_block_tokens AS i WHERE i.id = e.id),
        ARRAY(SELECT ARRAY[f.facet, f.value] FROM search_facets AS f WHERE f.entry = e.id)
    FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id WHERE {_URN} = ANY(ARRAY(SELECT {DIALECT.build_comparable_term("u", "string")} FROM unnest(%s::text[]) AS u))"""
_ADD_TEXTS = "INSERT INTO search_texts (id, words) SELECT * FROM unnest(%s::bigint[], %s::text[])"
_INDEX = """INSERT INTO search_block_tokens (id, part, tokens)
    SELECT id, part, array_to_tsvector(string_to_array(tokens, ' '))
    FROM unnest(%s::bigint[], %s::integer[], %s::text[]) AS new (id, part, tokens)"""
_CHANGE = "UPDATE search_entries SET namespace = %s, type = %s, length = %s WHERE id = %s"
_CHANGE_TEXT = "UPDATE search_texts SET words = %s WHERE id = %s"
_FORGET = "DELETE FROM search_entries WHERE id = %s"
_FORGET_TEXT = "DELETE FROM search_texts WHERE id = %s"
_UNINDEX = "DELETE FROM search_block_tokens WHERE id = ANY(%s::bigint[])"
#: The number of the binary digits of an entry that number it within its block: 32,768 entries are a block.
_BLOCK_BITS = 15
#: Where a query has the block. No encoded word has this character.
_BLOCK = "\ue002"
# The ordinal makes the order of blocks known, so that no block is read after the limit.
_MATCHING = f"""SELECT m.id FROM generate_series((SELECT COALESCE(MAX(id), 0) FROM search_entries) >> {_BLOCK_BITS}, 0, -1)
        WITH ORDINALITY AS b (block, at),
    LATERAL (SELECT DISTINCT id FROM search_block_tokens
        WHERE tokens @@ replace(%s, '{_BLOCK}', to_hex(b.block) || ':')::tsquery) AS m
    ORDER BY b.at, m.id DESC LIMIT %s"""
# Ranking everything that a common word matches costs seconds at a million entities: rank the newest only. `OFFSET 0` has
# each entry looked up: the planner expects as many matches as the limit, and would read all entries.
_MATCH = f"""SELECT e.id, e.namespace, e.type, e.urn, e.length FROM ({_MATCHING}) AS n,
    LATERAL (SELECT * FROM search_entries WHERE id = n.id OFFSET 0) AS e ORDER BY e.id DESC"""
_COUNT = f"SELECT COUNT(*) FROM ({_MATCHING}) AS n"
#: The entries whose tokens begin with the block of the entry.
IN_ITS_BLOCK = f"""SELECT id FROM search_block_tokens
    WHERE length(tokens) = 0 OR tokens @@ ('''' || to_hex(id >> {_BLOCK_BITS}) || ':'':*')::tsquery"""
_NEWEST = "SELECT COALESCE(MAX(id), 0) FROM search_entries"
_WHOLE = """SELECT e.urn, e.namespace, e.type, e.id, t.words
    FROM search_entries AS e JOIN search_texts AS t ON t.id = e.id"""
_DOCUMENTS = f"{_WHOLE} WHERE {_URN} = ANY(ARRAY(SELECT {DIALECT.build_comparable_term('u', 'string')} FROM unnest(%s::text[]) AS u))"
_AFTER = f"{_WHOLE} WHERE {_URN} > {_REQUESTED} ORDER BY {_URN} LIMIT %s"
_TEXTS = "SELECT id, words FROM search_texts WHERE id > %s ORDER BY id LIMIT 500"
#: No encoded word begins with these: encoding uses characters of plane 15 only (`core/model/search_index_terms.py`).
_TERM, _HASHED = "\ue000", "\ue001"
#: The number of bytes that a `tsvector` takes for one token, and for all of them, with a margin, and for a block.
_TOKEN_BYTES, _TOKENS_BYTES, _BLOCK_BYTES = 2_000, 900_000, 14


class PostgresSearch:
    """Full text in one transaction (`spi.SearchIndex`)."""

    #: Version 4 indexes words in blocks.
    rewritten_in = frozenset({4})

    def __init__(self, execute: Execute) -> None:
        self._execute, self._facets = execute, PostgresFacets(execute)

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents, with one statement of each kind for all of them."""
        by_urn = {document.urn: (document, _join_words_and_terms(document)) for document in documents}
        facets: dict[int, FacetValues] = {}
        existing: dict[str, int] = {}
        changed: list[tuple[int, str]] = []
        unindexed: list[tuple[int, str]] = []
        for urn, entry, *hit_values, old_words, is_indexed, pairs in self._execute(_KNOWN, (list(by_urn),)):
            existing[urn], facets[entry] = entry, frozenset(map(tuple, pairs))
            document, words = by_urn[urn]
            if (new_values := _build_hit_values(document)) != tuple(hit_values):
                self._execute(_CHANGE, (*new_values, entry))
            if words != old_words:
                changed.append((entry, words))
            elif not is_indexed:
                unindexed.append((entry, words))
        new = [(document, words) for urn, (document, words) in by_urn.items() if urn not in existing]
        texts = self._insert_documents(new) if new else []
        for entry, words in changed:
            self._execute(_CHANGE_TEXT, (words, entry))
        if changed:
            self._execute(_UNINDEX, ([entry for entry, _ in changed],))
        self._index_words_of_entries(texts + changed + unindexed)
        values = {entry: by_urn[urn][0].facet_values for urn, entry in existing.items()}
        values |= {entry: document.facet_values for (entry, _), (document, _) in zip(texts, new, strict=True)}
        self._facets.write_facet_differences(facets, values)

    def _insert_documents(self, new: Sequence[tuple[Document, str]]) -> list[tuple[int, str]]:
        """Insert entries and texts of new documents; return their numbers with the text to index."""
        urns = [document.urn for document, _ in new]
        columns = zip(*(_build_hit_values(document) for document, _ in new), strict=True)
        entries = {urn: entry for entry, urn in self._execute(_ADD_ALL, (urns, *map(list, columns)))}
        texts = [(entries[document.urn], words) for document, words in new]
        self._execute(_ADD_TEXTS, ([entry for entry, _ in texts], [words for _, words in texts]))
        return texts

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        old = self._execute(_OLD, (urn,)).fetchone()
        if old is not None:
            self._execute(_UNINDEX, (list(old[:1]),))
            for statement in (_FORGET, _FORGET_TEXT):
                self._execute(statement, old[:1])
            self._facets.delete_facet_values(old[0])

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` matches, best first."""
        return self.find_match_columns(query, cap, cap).list_best_matches()

    def find_match_columns(self, query: TextQuery, cap: int, counted: int) -> MatchColumns:
        """Return the newest `counted` matches, at least `cap`, of which the newest `cap` are ranked."""
        expression, limit = _build_tsquery(query), max(cap, counted)
        # A plan for any limit would read all blocks.
        rows = list(self._execute(_MATCH, (expression, limit), prepare=False)) if expression else []
        if not rows:
            return MatchColumns()
        numbers, spaces, types, urns, lengths = map(list, zip(*rows, strict=True))
        matches = CountedMatches(numbers, MatchGroups(zip(spaces, types, strict=True)))
        if not cap:
            return MatchColumns(counted=matches)
        is_all = len(rows) < limit or limit >= ranking.COMMON
        matching = len(rows) if is_all else self._count_matches_up_to(expression, ranking.COMMON)
        rarity = ranking.compute_rarity(matching, self._execute(_NEWEST).fetchone()[0])
        return MatchColumns(urns[:cap], ranking.compute_scores(lengths[:cap], rarity), matches)

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return these documents, unranked."""
        rows = self._execute(_DOCUMENTS, (list(urns),))
        return [
            Match(urn, space, kind, number, 0.0, _parse_stored_terms(words)) for urn, space, kind, number, words in rows
        ]

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        return self._facets.count_facet_values(numbers, facets)

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one."""
        rows = list(self._execute(_AFTER, (urn, limit)))
        values = self._facets.read_facet_values([number for *_, number, _ in rows])
        return [
            Document(urn, space, kind, values[number], _parse_stored_words(words), _parse_stored_terms(words))
            for urn, space, kind, number, words in rows
        ]

    def rebuild_full_text_index(self) -> None:
        """Rebuild the index from the texts."""
        last: Any = 0
        while texts := list(self._execute(_TEXTS, (last,))):
            self._execute(_UNINDEX, ([entry for entry, _ in texts],))
            self._index_words_of_entries(texts)
            last = texts[-1][0]

    def _index_words_of_entries(self, texts: Sequence[tuple[int, str]]) -> None:
        """Index the words of these entries, which are not indexed yet."""
        rows = [
            (entry, part, " ".join([block + token for token in tokens]))
            for entry, words in texts
            for block in [f"{entry >> _BLOCK_BITS:x}:"]
            for part, tokens in enumerate(
                _split_tokens_for_tsvectors([_hash_if_too_long(word) for word in words.split(" ") if word])
            )
        ]
        if rows:
            self._execute(_INDEX, tuple(map(list, zip(*rows, strict=True))))

    def _count_matches_up_to(self, expression: str, cap: int) -> int:
        return int(self._execute(_COUNT, (expression, cap), prepare=False).fetchone()[0])


def _join_words_and_terms(document: Document) -> str:
    """Join the words and terms of a document."""
    return " ".join([*sorted(document.words), *sorted(_TERM + term for term in document.terms)])


def _build_hit_values(document: Document) -> tuple[str, str, int]:
    """Return what a list of hits needs."""
    return document.namespace, document.type, len(document.words)


def _split_tokens_for_tsvectors(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Split tokens into lists that fit into a `tsvector`, each with all terms."""
    terms = [token for token in tokens if token.startswith(_TERM)]
    part, room = list(terms), _TOKENS_BYTES
    for token in tokens:
        if token.startswith(_TERM):
            continue
        if (room := room - len(token.encode()) - _BLOCK_BYTES) < 0:
            yield part
            part, room = list(terms), _TOKENS_BYTES
        part.append(token)
    yield part


def _hash_if_too_long(token: str) -> str:
    """Return a token, or a hash of one that is too long."""
    if len(token) * 4 <= _TOKEN_BYTES or len(raw := token.encode()) <= _TOKEN_BYTES:
        return token
    return f"{token[0] if token[0] == _TERM else ''}{_HASHED}{hashlib.sha256(raw).hexdigest()}"


def _build_tsquery(query: TextQuery) -> str:
    """Return the query as a `tsquery`; empty if nothing can match."""
    any_of = [_quote_lexeme(_hash_if_too_long(word)) for word in query.exact if word]
    # The length of words is limited, so a longer token cannot begin like this (`WORD_BYTES_MAX`).
    any_of += [f"{_quote_lexeme(word)}:*" for word in query.prefixes if word and _hash_if_too_long(word) == word]
    if not any_of and (query.exact or query.prefixes):
        return ""
    parts = [f"({' | '.join(any_of)})"] if any_of else []
    parts += map(_build_term_expression, list_required_terms(query.terms))
    parts += [f"!{_build_term_expression(term)}" for term in list_absent_terms(query.terms)]
    exempt = _build_term_expression(query.filter.exempt)
    if query.filter.any_of is not None:
        parts.append(f"({' | '.join([*map(_build_clause, query.filter.any_of), exempt])})")
    if query.filter.none_of:
        parts.append(f"({exempt} | !({' | '.join(map(_build_clause, query.filter.none_of))}))")
    return " & ".join(parts)


def _build_clause(clause: Clause) -> str:
    return f"({' & '.join(map(_build_term_expression, clause))})"


def _build_term_expression(required: RequiredTerm) -> str:
    # No document has the term without a text.
    alternatives = list_alternatives(required) or ("",)
    return f"({' | '.join(_quote_lexeme(_hash_if_too_long(_TERM + term)) for term in alternatives)})"


def _quote_lexeme(token: str) -> str:
    return f"'{_BLOCK}" + token.replace("\\", "\\\\").replace("'", "''") + "'"


def _parse_stored_terms(stored_text: str) -> frozenset[str]:
    # Terms come after all words.
    _, mark, terms = stored_text.partition(_TERM)
    return frozenset(terms.split(f" {_TERM}")) if mark else frozenset()


def _parse_stored_words(stored_text: str) -> frozenset[str]:
    return frozenset(word for word in stored_text.split(" ") if word and not word.startswith(_TERM))
