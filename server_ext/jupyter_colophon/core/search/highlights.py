"""Explain why a query finds an entity, and highlight the matches in its texts."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Final, Literal

from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.entities.entity_kinds import get_entity_kind_of_row
from jupyter_colophon.core.model.registry import Scope
from jupyter_colophon.core.model.search_index_terms import (
    ValueRow,
    fold_text_for_comparison,
    list_name_tokens,
    list_names_of_entity_type,
    split_search_tokens,
)
from jupyter_colophon.core.search.query_language import SearchPattern, SearchQuery, SearchTerm
from jupyter_colophon.core.search.search import Part, Reason

#: The most highlights of one entity.
REASONS_MAX: Final = 5
#: The length of an excerpt of a long text, and how much of it comes before the first match.
EXCERPT_MAX: Final = 160
_BEFORE = 40
_CUT = "…"
#: The pieces of a text that may match by themselves: its words, and of a path its parts, their words, and its end.
_PIECES = tuple(re.compile(piece) for piece in (r"[^-_,;.\s]+", r"[^/\\:]+", r"[^-_,;.\s/\\:]+"))
_PART = re.compile(r"(?<=[/\\:])[^/\\:]")
_NAMED: Final = "name"

Where = Literal["name", "type", "key", "value"]
#: Start and end of a match in a text.
Span = tuple[int, int]


def matches_value_row(query: SearchQuery, row: ValueRow) -> bool:
    """Return whether a value matches the query."""
    return any(_match_term_in_row(term, row) for term in query.terms)


def find_match_reasons(
    query: SearchQuery, summary: EntitySummary, key_aspect: str, values: Mapping[str, Sequence[ValueRow]]
) -> tuple[Reason, ...]:
    """Return why the query finds this entity: its name, its type, or `values` by aspect; a few for each term."""
    reasons = [islice(_find_term_reasons(term, summary, key_aspect, values), REASONS_MAX) for term in query.terms]
    in_turn = chain.from_iterable(zip_longest(*reasons))
    return tuple(islice(dict.fromkeys(reason for reason in in_turn if reason is not None), REASONS_MAX))


def _find_term_reasons(
    term: SearchTerm, summary: EntitySummary, key_aspect: str, values: Mapping[str, Sequence[ValueRow]]
) -> Iterator[Reason]:
    if term.pattern.kind == "any" and term.key is None:
        return
    words = list_names_of_entity_type(summary.type, get_entity_kind_of_row(summary.type, summary.urn))
    name = term.pattern if term.key in (_NAMED, *words) else term.plain
    qualified = fold_text_for_comparison(f"{summary.namespace}.{summary.name}")
    # Tokens are parts of it: most names need not be split.
    if name.text in qualified and (
        name.matches_folded_text(qualified)
        or any(name.matches_folded_text(token) for token in list_name_tokens(summary.name))
    ):
        yield _build_match_reason(_NAMED, summary.name, "SYSTEM", key_aspect, "name", name)
    if term.key is None and any(term.pattern.matches_folded_text(word) for word in words):
        yield _build_match_reason("type", summary.type, "SYSTEM", key_aspect, "type", term.pattern)
    for aspect, rows in values.items():
        for row in rows:
            if (place := _match_term_in_row(term, row)) is not None:
                yield _build_match_reason(row.key, row.shown, row.scope, aspect, *place)


def _match_term_in_row(term: SearchTerm, row: ValueRow) -> tuple[Where, SearchPattern] | None:
    """Return where a term matches a value, and which of its patterns matches; None if it does not match."""
    if term.key == "properties":
        return ("key", term.pattern) if row.kind == "property" and _matches_text(term.pattern, row.key) else None
    if (
        term.key is not None
        and term.key == fold_text_for_comparison(row.key)
        and (term.pattern.kind == "any" or _matches_text(term.pattern, row.value))
    ):
        return "value", term.pattern
    if term.plain.kind == "any":
        return None
    if _matches_text(term.plain, row.value):
        return "value", term.plain
    return ("key", term.plain) if row.kind == "property" and _matches_text(term.plain, row.key) else None


def _matches_text(pattern: SearchPattern, text: str) -> bool:
    # Tokens are parts of the folded text: most texts need not be split.
    return pattern.text in fold_text_for_comparison(text) and any(
        pattern.matches_folded_text(token) for token in split_search_tokens(text)
    )


def _build_match_reason(
    key: str, value: str, scope: Scope, aspect: str, where: Where, pattern: SearchPattern
) -> Reason:
    text = key if where == "key" else value
    return Reason(key, value, scope, aspect, where, build_excerpt(text, list(_find_matching_spans(pattern, text))))


def _find_matching_spans(pattern: SearchPattern, text: str) -> Iterator[Span]:
    """Return the matching words of a text, else the matching parts of a path and their words, else the whole text."""
    if pattern.kind == "any":
        return
    # Folding ASCII letters moves none of them.
    folded = text.lower() if text.isascii() else None
    fitting = (
        [
            (start, end)
            for start, end in some
            if pattern.matches_folded_text(
                fold_text_for_comparison(text[start:end]) if folded is None else folded[start:end]
            )
        ]
        for some in _iterate_divisions(text)
    )
    for start, end in next(filter(None, fitting), ()):
        yield start, end if pattern.kind == "exact" else start + _measure_unfolded_prefix(text[start:end], pattern.text)


def _iterate_divisions(text: str) -> Iterator[list[Span]]:
    """Yield the spans of the pieces of a text, one kind of piece after another, and of the whole text."""
    full = (len(text) - len(text.lstrip()), len(text.rstrip()))
    for piece in _PIECES:
        yield [match.span() for match in piece.finditer(text)]
    yield [(match.start(), full[1]) for match in _PART.finditer(text)]
    yield [full]


def _measure_unfolded_prefix(text: str, prefix: str) -> int:
    """Return the length of the prefix of a text whose folded form is `prefix`: folding may merge or split characters."""
    if text.isascii():
        return len(prefix)
    return bisect_left(range(len(text)), len(prefix), key=lambda count: len(fold_text_for_comparison(text[:count])))


def build_excerpt(text: str, spans: Sequence[Span]) -> tuple[Part, ...]:
    """Return a text in parts, with the matches marked; of a long text, the part around the first match."""
    first = min(spans, default=(0, 0))[0]
    start = max(0, first - _BEFORE) if len(text) > EXCERPT_MAX else 0
    end = min(len(text), start + EXCERPT_MAX)
    places = [(max(start, a), min(end, b)) for a, b in sorted(spans) if a < end and b > start]
    parts = list(_split_text_at_spans(text, start, end, places))
    if start > 0:
        parts.insert(0, Part(_CUT, False))
    if end < len(text):
        parts.append(Part(_CUT, False))
    return tuple(parts)


def _split_text_at_spans(text: str, start: int, end: int, spans: Iterable[Span]) -> Iterator[Part]:
    for begin, stop in spans:
        if begin > start:
            yield Part(text[start:begin], False)
        yield Part(text[begin:stop], True)
        start = stop
    if start < end:
        yield Part(text[start:end], False)
