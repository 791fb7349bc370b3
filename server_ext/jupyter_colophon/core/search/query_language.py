"""Parse the query language of search.

Terms are alternatives: any may match, and more matches rank higher.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison

TERMS_MAX: Final = 50
CHARACTERS_MAX: Final = 4000

_TERM = re.compile(r'(?:"[^"]*"?|[^\s"])+')
_SEPARATOR = re.compile(r"[:=]")

Kind = Literal["exact", "prefix", "any"]


@dataclass(frozen=True, slots=True)
class SearchPattern:
    """A condition on a value: `text` itself (folded), a value that begins with it, or any value."""

    text: str
    kind: Kind

    def matches_folded_text(self, folded: str) -> bool:
        """Return whether a folded token or value matches."""
        if self.kind == "exact":
            return folded == self.text
        return folded.startswith(self.text)


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """An alternative of a query.

    `key` is folded, None for a bare pattern. `plain` is the whole term as text, which is tried as well (spec SEARCH-6);
    for a bare pattern it is `pattern` itself. `phrase` is true for quoted words. `raw` is the original text.
    """

    key: str | None
    pattern: SearchPattern
    plain: SearchPattern
    phrase: bool
    raw: str


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A parsed query with at least one term."""

    terms: tuple[SearchTerm, ...]

    def may_match_folded_text(self, folded: str) -> bool:
        """Return whether a term may match a part of a folded text."""
        return any(term.pattern.text in folded or term.plain.text in folded for term in self.terms)

    @property
    def matches_all(self) -> bool:
        """Return whether a lone `*` makes every entity match."""
        return any(term.key is None and term.pattern.kind == "any" for term in self.terms)


def parse_search_query(text: str) -> SearchQuery:
    """Parse a query of at most 4,000 characters and 50 terms.

    Double quotes keep words together; an unclosed quote extends to the end. Raises InvalidQuery if there is no term,
    and for `*` or `?` anywhere but in a closing `*`.
    """
    if len(text) > CHARACTERS_MAX:
        raise InvalidQuery(f"it is longer than {CHARACTERS_MAX} characters", "query")
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidQuery("it contains U+0000 or a lone surrogate", "query")
    raws = [raw for raw in _TERM.findall(text) if raw.replace('"', "").strip()]
    if not raws:
        raise InvalidQuery("the query has no words; use * to find everything", "query")
    if len(raws) > TERMS_MAX:
        raise InvalidQuery(f"it has more than {TERMS_MAX} terms", "query")
    return SearchQuery(tuple(_parse_search_term(raw) for raw in raws))


def _parse_search_term(raw: str) -> SearchTerm:
    text = raw.replace('"', "").strip()
    phrase = '"' in raw
    separator = _SEPARATOR.search(text)
    if separator is None or not text[: separator.start()].strip():
        pattern = _parse_search_pattern(text)
        return SearchTerm(None, pattern, pattern, phrase, raw)
    key, value = text[: separator.start()].strip(), text[separator.end() :].strip()
    if not value:
        raise InvalidQuery(
            f"{key}{separator.group()} is not followed by a value; use {key}:* to find any value", "query"
        )
    if "*" in key or "?" in key:
        raise InvalidQuery("* and ? are not allowed in a key", "query")
    return SearchTerm(
        fold_text_for_comparison(key), _parse_search_pattern(value), _parse_search_pattern(text), phrase, raw
    )


def _parse_search_pattern(text: str) -> SearchPattern:
    is_prefix = text.endswith("*")
    stem = text[:-1] if is_prefix else text
    if "*" in stem or "?" in stem:
        raise InvalidQuery("* is only allowed at the end of a word, and ? is not supported", "query")
    if not stem:
        return SearchPattern("", "any")
    return SearchPattern(fold_text_for_comparison(stem), "prefix" if is_prefix else "exact")
