"""Full text on PostgreSQL: a GIN index of the words of each document, which are stored once, compressed.

Nothing is parsed: words and terms are encoded (`core/model/search_index_terms.py`) and used unchanged. A term has a
mark before it, so that no word can be taken for a term, and both are quoted, so that none can be read as an operator
(spec SEARCH-10). Ranking is the same as on other stores (`storage/search/ranking.py`), over the newest matches only.

A GIN index returns all rows that match, in no order. So entries are numbered in blocks, and each token begins with the
block of its entry: a search reads block after block, newest first, until it has enough matches. A word that no entry of
a block has costs one descent of the index (decision 61).

The index computes the tokens from the stored words (decision 62).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from jupyter_colophon.core.search.search import CountedMatches, MatchGroups
from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import Execute
from jupyter_colophon.storage.postgresql.facets import COLUMN as FACETS
from jupyter_colophon.storage.postgresql.facets import FORMER_CREATION as FORMER_FACETS
from jupyter_colophon.storage.postgresql.facets import FORMER_VALUES, PostgresFacets, decode_facets, encode_facets
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
#: `search_entries` has what a list of hits needs and is small. The other tables are replaced by `search_words`.
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
GROWTH = [*FORMER_FACETS, "ALTER TABLE search_entries DROP COLUMN tags"]
BLOCKS_GROWTH = [
    "DROP TABLE search_tokens",
    """CREATE TABLE search_block_tokens (id bigint NOT NULL, part integer NOT NULL, tokens tsvector NOT NULL,
        filler text NOT NULL DEFAULT repeat(' ', 2100), PRIMARY KEY (id, part)) WITH (toast_tuple_target = 128)""",
    "ALTER TABLE search_block_tokens ALTER COLUMN tokens SET STORAGE EXTERNAL, ALTER COLUMN tokens SET STATISTICS 0",
    "CREATE INDEX search_block_tokens_by_token ON search_block_tokens USING gin (tokens) WITH (fastupdate = off)",
]
#: The number of the binary digits of an entry that number it within its block: 32,768 entries are a block.
_BLOCK_BITS = 15
#: A document has one row of words, or several if it has more than fit into a `tsvector`; each row has all terms, so it can
#: match alone. `long_tokens` are those of which the words have a hash only. A migration moves the texts of older documents
#: from `search_texts`, and their facet values from `search_facets`; newer stores have nothing in these tables.
WORDS_GROWTH = [
    "DROP TABLE search_block_tokens",
    f"ALTER TABLE search_entries ADD COLUMN {FACETS}",
    # Each token begins with the block of its entry.
    f"""CREATE OR REPLACE FUNCTION build_tokens(bigint, text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
        SELECT array_to_tsvector(string_to_array(to_hex($1 >> {_BLOCK_BITS}) || ':'
            || replace($2, ' ', ' ' || to_hex($1 >> {_BLOCK_BITS}) || ':'), ' ')) $$""",
    # A search reads the row of each match, but not its words. PostgreSQL compresses words, and moves them out of the row,
    # in rows of more than 2 kB only, which the filler makes of each row; it is compressed, too. So a page has 75 rows.
    """CREATE TABLE search_words (id bigint NOT NULL, part integer NOT NULL, words text NOT NULL, long_tokens text,
        filler text NOT NULL DEFAULT repeat(' ', 2100), PRIMARY KEY (id, part)) WITH (toast_tuple_target = 128)""",
    # Without a pending list, which every search would have to read.
    """CREATE INDEX search_words_by_token ON search_words USING gin (build_tokens(id, words))
        WITH (fastupdate = off)""",
    # The planner is to assume a few matches in each block, and to use the index.
    "ALTER INDEX search_words_by_token ALTER COLUMN 1 SET STATISTICS 0",
]
_OLD = f"SELECT id FROM search_entries WHERE {_URN} = {_REQUESTED}"
# In their order, since the newest are found first.
_ADD_ALL = """INSERT INTO search_entries (urn, namespace, type, length, facets)
    SELECT urn, namespace, type, length, facets::text[]
    FROM unnest(%s::text[], %s::text[], %s::text[], %s::integer[], %s::text[]) WITH ORDINALITY
        AS new (urn, namespace, type, length, facets, at) ORDER BY at RETURNING id, urn"""
_KNOWN = f"""SELECT e.urn, e.id, e.namespace, e.type, e.length, e.facets,
        ARRAY(SELECT words FROM search_words AS w WHERE w.id = e.id ORDER BY part)
    FROM search_entries AS e WHERE {_URN} = ANY(ARRAY(SELECT {DIALECT.build_comparable_term("u", "string")} FROM unnest(%s::text[]) AS u))"""
_ADD_WORDS = """INSERT INTO search_words (id, part, words, long_tokens)
    SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::text[], %s::text[])"""
_CHANGE = "UPDATE search_entries SET namespace = %s, type = %s, length = %s, facets = %s::text::text[] WHERE id = %s"
_FORGET = "DELETE FROM search_entries WHERE id = %s"
_FORGET_WORDS = "DELETE FROM search_words WHERE id = ANY(%s::bigint[])"
#: Where a query has the block. No encoded word has this character.
_BLOCK = "\ue002"
# The ordinal makes the order of blocks known, so that no block is read after the limit.
_MATCHING = f"""SELECT m.id FROM generate_series((SELECT COALESCE(MAX(id), 0) FROM search_entries) >> {_BLOCK_BITS}, 0, -1)
        WITH ORDINALITY AS b (block, at),
    LATERAL (SELECT DISTINCT id FROM search_words
        WHERE build_tokens(id, words) @@ replace(%s, '{_BLOCK}', to_hex(b.block) || ':')::tsquery) AS m
    ORDER BY b.at, m.id DESC LIMIT %s"""
# Ranking everything that a common word matches costs seconds at a million entities: rank the newest only. `OFFSET 0` has
# each entry looked up: the planner expects as many matches as the limit, and would read all entries.
_MATCH = f"""SELECT e.id, e.namespace, e.type, e.urn, e.length FROM ({_MATCHING}) AS n,
    LATERAL (SELECT * FROM search_entries WHERE id = n.id OFFSET 0) AS e ORDER BY e.id DESC"""
_COUNT = f"SELECT COUNT(*) FROM ({_MATCHING}) AS n"
_NEWEST = "SELECT COALESCE(MAX(id), 0) FROM search_entries"
_WHOLE = """SELECT e.urn, e.namespace, e.type, e.id, e.facets,
        (SELECT string_agg(concat_ws(' ', words, long_tokens), ' ') FROM search_words AS w WHERE w.id = e.id)
    FROM search_entries AS e"""
_DOCUMENTS = f"{_WHOLE} WHERE {_URN} = ANY(ARRAY(SELECT {DIALECT.build_comparable_term('u', 'string')} FROM unnest(%s::text[]) AS u))"
_AFTER = f"{_WHOLE} WHERE {_URN} > {_REQUESTED} ORDER BY {_URN} LIMIT %s"
#: Texts before schema version 5, without those of documents that were written or removed since.
_FORMER_TEXTS = """SELECT t.id, t.words FROM search_texts AS t JOIN search_entries AS e ON e.id = t.id
    WHERE t.id > %s AND NOT EXISTS (SELECT FROM search_words AS w WHERE w.id = t.id) ORDER BY t.id LIMIT 100"""
_FORMER_FACETS = f"UPDATE search_entries AS e SET facets = {FORMER_VALUES} WHERE id = ANY(%s::bigint[])"
_FORGET_FORMER = "TRUNCATE search_texts, search_facets"
#: No encoded word begins with these: encoding uses characters of plane 15 only (`core/model/search_index_terms.py`).
_TERM, _HASHED = "\ue000", "\ue001"
_HASHES = (_HASHED, _TERM + _HASHED)
#: The number of bytes that a `tsvector` takes for one token, and for all of them, with a margin, and for a block.
_TOKEN_BYTES, _TOKENS_BYTES, _BLOCK_BYTES = 2_000, 900_000, 14
#: The words of a row, and its long tokens.
_WordRow = tuple[str, str | None]


class PostgresSearch:
    """Full text in one transaction (`spi.SearchIndex`)."""

    def __init__(self, execute: Execute) -> None:
        self._execute, self._facets = execute, PostgresFacets(execute)

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents, with one statement of each kind for all of them."""
        new = {document.urn: (document, _build_word_rows(_list_tokens(document))) for document in documents}
        changed: list[tuple[int, list[_WordRow]]] = []
        for urn, entry, *hit_values, facets, old_words in self._execute(_KNOWN, (list(new),)):
            document, rows = new.pop(urn)
            if (*hit_values, decode_facets(facets)) != (*_build_hit_values(document), document.facet_values):
                self._execute(_CHANGE, (*_build_hit_values(document), encode_facets(document.facet_values), entry))
            if [words for words, _ in rows] != old_words:
                changed.append((entry, rows))
        if changed:
            self._execute(_FORGET_WORDS, ([entry for entry, _ in changed],))
        if new:
            entries = self._insert_entries([document for document, _ in new.values()])
            changed += [(entries[urn], rows) for urn, (_, rows) in new.items()]
        self._insert_words(changed)

    def _insert_entries(self, documents: Sequence[Document]) -> dict[str, int]:
        """Insert the entries of new documents; return their numbers by URN."""
        rows = [(item.urn, *_build_hit_values(item), encode_facets(item.facet_values)) for item in documents]
        added = self._execute(_ADD_ALL, tuple(map(list, zip(*rows, strict=True))))
        return {urn: entry for entry, urn in added}

    def _insert_words(self, documents: Sequence[tuple[int, list[_WordRow]]]) -> None:
        """Insert the words of these entries, which have none."""
        rows = [(entry, part, *row) for entry, word_rows in documents for part, row in enumerate(word_rows)]
        if rows:
            self._execute(_ADD_WORDS, tuple(map(list, zip(*rows, strict=True))))

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        old = self._execute(_OLD, (urn,)).fetchone()
        if old is not None:
            self._execute(_FORGET_WORDS, (list(old),))
            self._execute(_FORGET, old)

    def rewrite_some_documents(self, version: int, place: str) -> str | None:
        """Move the words and facet values of some entries after a number, for version 5."""
        if version != 5:
            return None
        texts = list(self._execute(_FORMER_TEXTS, (int(place or 0),)))
        if not texts:
            self._execute(_FORGET_FORMER)
            return None
        self._insert_words([(entry, _build_word_rows(words.split(" "))) for entry, words in texts])
        self._execute(_FORMER_FACETS, ([entry for entry, _ in texts],))
        return str(texts[-1][0])

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
        return [
            Match(urn, space, kind, number, 0.0, _parse_stored_tokens(text)[1])
            for urn, space, kind, number, _, text in self._execute(_DOCUMENTS, (list(urns),))
        ]

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        return self._facets.count_facet_values(numbers, facets)

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one."""
        return [
            Document(urn, space, kind, decode_facets(facets), *_parse_stored_tokens(text))
            for urn, space, kind, _, facets, text in self._execute(_AFTER, (urn, limit))
        ]

    def _count_matches_up_to(self, expression: str, cap: int) -> int:
        return int(self._execute(_COUNT, (expression, cap), prepare=False).fetchone()[0])


def _list_tokens(document: Document) -> list[str]:
    """Return the words of a document, and its terms with their mark."""
    return [*sorted(document.words), *sorted(_TERM + term for term in document.terms)]


def _build_hit_values(document: Document) -> tuple[str, str, int]:
    """Return what a list of hits needs."""
    return document.namespace, document.type, len(document.words)


def _build_word_rows(tokens: Sequence[str]) -> list[_WordRow]:
    """Return the rows of a document with these tokens, in order."""
    hashed = list(map(_hash_if_too_long, tokens))
    long_tokens = " ".join([token for token, short in zip(tokens, hashed, strict=True) if token != short]) or None
    return [(words, None if part else long_tokens) for part, words in enumerate(_split_tokens_for_tsvectors(hashed))]


def _split_tokens_for_tsvectors(tokens: Sequence[str]) -> Iterator[str]:
    """Yield tokens as texts that fit into a `tsvector`, each with all terms."""
    if sum(map(len, tokens)) * 4 + len(tokens) * _BLOCK_BYTES <= _TOKENS_BYTES:
        yield " ".join(filter(None, tokens))
        return
    terms = [token for token in tokens if token.startswith(_TERM)]
    part, room = list[str](), _TOKENS_BYTES
    for token in tokens:
        if not token or token.startswith(_TERM):
            continue
        if (room := room - len(token.encode()) - _BLOCK_BYTES) < 0:
            yield " ".join(part + terms)
            part, room = [], _TOKENS_BYTES
        part.append(token)
    yield " ".join(part + terms)


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


def _parse_stored_tokens(text: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words and the terms in a stored text; None for a missing one."""
    tokens = [token for token in (text or "").split(" ") if not token.startswith(_HASHES)]
    terms = frozenset(token[len(_TERM) :] for token in tokens if token.startswith(_TERM))
    return frozenset(token for token in tokens if token and not token.startswith(_TERM)), terms
