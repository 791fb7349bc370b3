"""Resolve query terms to full-text words, exact values of a key, and times."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import (
    NAME_KEY,
    PART_KEY,
    encode_index_word,
    fold_text_for_comparison,
)
from jupyter_colophon.core.model.vocabulary import KEY_OF, REFERRED, Kind
from jupyter_colophon.core.search.query_language import SearchPattern, SearchQuery, SearchTerm, parse_search_query
from jupyter_colophon.core.search.time_words import (
    RANGES_MAX,
    TIME_KEYS,
    TimeInterval,
    cover_interval_by_words,
    parse_time_interval,
)
from jupyter_colophon.service.entities.reference_names import KIND_OF_KEY, ReferenceNameResolver
from jupyter_colophon.storage.search.index import CREATED_BY_KEY, EVERYTHING, UPDATED_BY_KEY
from jupyter_colophon.storage.spi import TermCondition, TextQuery

PROGRAM_KEY: Final = "last-updated-by-program"
#: The system properties of entities, which have no history.
STAMP_KEYS: Final = frozenset({*TIME_KEYS, CREATED_BY_KEY, UPDATED_BY_KEY, PROGRAM_KEY})


@dataclass(frozen=True, slots=True)
class ResolvedTerm:
    """A resolved term: it matches any of these words and prefixes, or any of these exact values by key.

    `interval` is that of a time term, and `edges` are the words of hours that it covers only partly.
    """

    term: SearchTerm
    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    values: tuple[tuple[str, SearchPattern], ...] = ()
    interval: TimeInterval | None = None
    edges: tuple[str, ...] = ()


def require_searchable_query(text: str, now_ms: int) -> None:
    """Raise InvalidQuery if a search for this text would be refused."""
    _require_few_intervals(
        sum(_parse_interval_of_time_key(term, now_ms) is not None for term in parse_search_query(text).terms)
    )


def resolve_terms(query: SearchQuery, names: ReferenceNameResolver, now_ms: int) -> tuple[ResolvedTerm, ...]:
    """Return the meaning of each term, in order. Raises InvalidQuery."""
    meanings = tuple(_resolve_term(term, names, now_ms) for term in query.terms)
    _require_few_intervals(sum(meaning.interval is not None for meaning in meanings))
    return meanings


def combine_terms_to_text_query(
    meanings: Sequence[ResolvedTerm], terms: tuple[TermCondition, ...], *, all_of_them: bool
) -> TextQuery:
    """Return the words for the full-text engine; with `all_of_them`, match every document that has the filter terms."""
    if all_of_them:
        return TextQuery(terms=(EVERYTHING, *terms))
    exact = dict.fromkeys(word for meaning in meanings for word in meaning.exact)
    return TextQuery(
        tuple(exact), tuple(dict.fromkeys(word for meaning in meanings for word in meaning.prefixes)), terms
    )


def _require_few_intervals(intervals: int) -> None:
    if intervals > RANGES_MAX:
        raise InvalidQuery(f"the query has more than {RANGES_MAX} times", "query")


def _parse_interval_of_time_key(term: SearchTerm, now_ms: int) -> TimeInterval | None:
    """Return the interval of a term with a time key; None for other terms. Raises InvalidQuery."""
    if term.key in TIME_KEYS and term.pattern.kind == "exact":
        return parse_time_interval(term.pattern.text, now_ms)
    return None


def _resolve_term(term: SearchTerm, names: ReferenceNameResolver, now_ms: int) -> ResolvedTerm:
    interval = _parse_interval_of_time_key(term, now_ms)
    if interval is not None:
        covered = cover_interval_by_words(str(term.key), interval)
        # As plain text, a property of this key is found as well.
        inner, edges = (
            (encode_index_word(word) for word in words) for words in (covered.full_periods, covered.partial_hours)
        )
        return ResolvedTerm(term, (*inner, encode_index_word(term.plain.text)), interval=interval, edges=tuple(edges))
    kinds: tuple[Kind, ...] = tuple(REFERRED) if term.key is None else _list_kinds_of_key(term.key)
    pattern = term.pattern if term.key is not None else term.plain
    references = names.find_references_by_name(pattern, kinds)
    if term.plain.text.startswith("urn:"):
        references += names.find_references_by_name(term.plain, tuple(REFERRED))
    alternatives = _list_search_texts_of_term(term)
    values = [] if term.key is None else [(term.key, term.pattern)]
    for kind, key in references:
        alternatives.append((f"{KEY_OF[kind]}:{fold_text_for_comparison(key)}", "exact"))
        values.append((KEY_OF[kind], SearchPattern(fold_text_for_comparison(key), "exact")))
    exact = dict.fromkeys(encode_index_word(text) for text, kind in alternatives if kind == "exact")
    prefixes = dict.fromkeys(encode_index_word(text) for text, kind in alternatives if kind != "exact")
    return ResolvedTerm(term, tuple(exact), tuple(prefixes), tuple(dict.fromkeys(values)))


def _list_kinds_of_key(key: str) -> tuple[Kind, ...]:
    return (KIND_OF_KEY[key],) if key in KIND_OF_KEY else ()


def _list_search_texts_of_term(term: SearchTerm) -> list[tuple[str, str]]:
    """Return the texts to search for: a term with a key is searched with its key, and as plain text."""
    if term.key is None:
        return [(term.pattern.text, term.pattern.kind)]
    keyed = f"{term.key}:{term.pattern.text}"
    kind = "exact" if term.pattern.kind == "exact" else "prefix"
    alternatives = [(keyed, kind), (term.plain.text, term.plain.kind)]
    if term.key == NAME_KEY and term.pattern.kind != "any":
        alternatives.append((f"{PART_KEY}:{term.pattern.text}", kind))
    return list(dict.fromkeys(alternatives))
