"""The query language of search: a person's line, read into values.

Terms are alternatives: any may match, and more matches rank higher.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import fold

TERMS_MAX: Final = 50
CHARACTERS_MAX: Final = 4000

_TERM = re.compile(r'(?:"[^"]*"?|[^\s"])+')
_SEPARATOR = re.compile(r"[:=]")

Kind = Literal["exact", "prefix", "any"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a value must look like: `text` itself (folded), something that begins with it, or anything."""

    text: str
    kind: Kind

    def matches(self, folded: str) -> bool:
        """Whether a folded token or value fits."""
        if self.kind == "exact":
            return folded == self.text
        return folded.startswith(self.text)


@dataclass(frozen=True, slots=True)
class Term:
    """One alternative of a query.

    `key` is folded, None for a bare pattern. `plain` is the whole term as text, which is tried as well
    (spec SEARCH-6); for a bare pattern it is `pattern` itself. `phrase` says that quotes held words together.
    `raw` is what was typed.
    """

    key: str | None
    pattern: Pattern
    plain: Pattern
    phrase: bool
    raw: str


@dataclass(frozen=True, slots=True)
class Query:
    """What a person looks for; at least one term."""

    terms: tuple[Term, ...]

    @property
    def matches_all(self) -> bool:
        """Whether a lone `*` makes every entity match."""
        return any(term.key is None and term.pattern.kind == "any" for term in self.terms)


def parse_query(text: str) -> Query:
    """Read a query of at most 4,000 characters and 50 terms.

    Double quotes keep words together, and one that is never closed does so to the end. Raises
    `InvalidQuery` when there is no term, and for `*` or `?` anywhere but in a closing `*`.
    """
    if len(text) > CHARACTERS_MAX:
        raise InvalidQuery(f"it is longer than {CHARACTERS_MAX} characters", "query")
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidQuery("it holds U+0000 or half of a surrogate pair", "query")
    raws = [raw for raw in _TERM.findall(text) if raw.replace('"', "").strip()]
    if not raws:
        raise InvalidQuery("the query has no words; use * to find everything", "query")
    if len(raws) > TERMS_MAX:
        raise InvalidQuery(f"it has more than {TERMS_MAX} terms", "query")
    return Query(tuple(_term(raw) for raw in raws))


def _term(raw: str) -> Term:
    whole = raw.replace('"', "").strip()
    phrase = '"' in raw
    separator = _SEPARATOR.search(whole)
    if separator is None or not whole[: separator.start()].strip():
        pattern = _pattern(whole)
        return Term(None, pattern, pattern, phrase, raw)
    key, wanted = whole[: separator.start()].strip(), whole[separator.end() :].strip()
    if not wanted:
        raise InvalidQuery(f"{key}{separator.group()} is not followed by a value; {key}:* finds any", "query")
    if "*" in key or "?" in key:
        raise InvalidQuery("* and ? cannot stand in a key", "query")
    return Term(fold(key), _pattern(wanted), _pattern(whole), phrase, raw)


def _pattern(text: str) -> Pattern:
    is_prefix = text.endswith("*")
    stem = text[:-1] if is_prefix else text
    if "*" in stem or "?" in stem:
        raise InvalidQuery("* can only stand at the end of a word, and ? nowhere", "query")
    if not stem:
        return Pattern("", "any")
    return Pattern(fold(stem), "prefix" if is_prefix else "exact")
