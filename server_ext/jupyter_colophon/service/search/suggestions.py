"""Suggest queries for a query without results: existing names that are similar to a mistyped one."""

from collections.abc import Iterable, Iterator

from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.model.search_index_terms import (
    NAME_KEY,
    encode_index_word,
    list_name_tokens,
    split_search_tokens,
)
from jupyter_colophon.core.search.query_language import SearchQuery, SearchTerm
from jupyter_colophon.core.similar_names import find_similar_names
from jupyter_colophon.storage.search.index import NOT_REMOVED
from jupyter_colophon.storage.spi import Match, TableContext, TextQuery

#: How many of the newest entities each lookup finds: the work does not grow with the catalog (spec SEARCH-23).
CANDIDATES_MAX = 100
_SUGGESTIONS_MAX = 3
#: Several similar names may belong to one entity.
_COMPARED_MAX = 3 * _SUGGESTIONS_MAX
#: Names in one namespace have letters in common.
_SIMILARITY = 0.7
#: The first letters of a word by which candidates are found, and how many words of a query are looked up.
_START, _WORDS_MAX = 3, 6
#: Characters that have a meaning in a query.
_OPERATORS = frozenset('*?"')
#: Characters of paths and addresses, which have no namespace in front.
_ADDRESS = frozenset("/:\\")


def find_candidates(tx: TableContext, query: SearchQuery) -> list[Match]:
    """Return the newest entities that share a word with the query, or have one that begins almost like one of it."""
    words = [word for term in _select_terms(query) for word in split_search_tokens(term.pattern.text)][:_WORDS_MAX]
    starts = [start for word in words for start in _list_start_variants(word)]
    lookups = (
        TextQuery(exact=_encode_distinct_words(words), terms=(NOT_REMOVED,)),
        TextQuery(
            prefixes=_encode_distinct_words(word[: len(word) // 2] for word in words if len(word) > 2 * _START),
            terms=(NOT_REMOVED,),
        ),
        TextQuery(prefixes=_encode_distinct_words(starts), terms=(NOT_REMOVED,)),
    )
    matches = (
        match
        for lookup in lookups
        if lookup.exact or lookup.prefixes
        for match in tx.search.find_matches(lookup, CANDIDATES_MAX)
    )
    return list({match.urn: match for match in matches}.values())


def _encode_distinct_words(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(encode_index_word, words)))


def suggest_queries(query: SearchQuery, candidates: Iterable[EntitySummary]) -> tuple[str, ...]:
    """Return queries for the candidates whose name, or a word of it, is similar to a term of the query."""
    names: dict[str, str] = {}
    for summary in candidates:
        qualified = _format_qualified_name(summary)
        for text in (qualified, *list_name_tokens(summary.name)):
            names.setdefault(text, qualified)
    similar = (
        name
        for term in _select_terms(query)
        for name in find_similar_names(term.pattern.text, names, _COMPARED_MAX, similarity=_SIMILARITY)
    )
    suggested = dict.fromkeys(names[name] for name in similar)
    return tuple(_quote_name_if_needed(name) for name in suggested if not _OPERATORS.intersection(name))[
        :_SUGGESTIONS_MAX
    ]


def _select_terms(query: SearchQuery) -> list[SearchTerm]:
    """Return the terms that may be mistyped names."""
    return [term for term in query.terms if term.key in (None, NAME_KEY) and term.pattern.kind != "any"]


def _list_start_variants(word: str) -> Iterator[str]:
    """Yield the first letters of a word as typed, with two of them exchanged, and without one of them."""
    start, longer = word[:_START], word[: _START + 1]
    if len(word) < _START:
        return
    yield from (start, start[1] + start[0] + start[2], start[0] + start[2] + start[1])
    if len(longer) > _START:
        yield from (longer[1:], longer[0] + longer[2:], start[:2] + longer[3:])


def _format_qualified_name(summary: EntitySummary) -> str:
    """Return the name of a table with its namespace, and any other name as it is."""
    is_table = summary.type == "dataset" and not _ADDRESS.intersection(summary.name)
    return f"{summary.namespace}.{summary.name}" if is_table else summary.name


def _quote_name_if_needed(name: str) -> str:
    return f'"{name}"' if " " in name else name
