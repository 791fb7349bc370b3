"""What an aspect contributes to search, and how words reach the full-text engine."""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from jupyter_colophon.core.model.search_filters import FILTER_OF_KIND
from jupyter_colophon.core.model.vocabulary import SCHEMA_KEY, TAGS_KEY, Contribution, Descriptor, Scope, describe

__all__ = ["SCHEMA_KEY", "TAGS_KEY"]
Kind = Literal["property", "tag", "field"]

WORD_BYTES_MAX: Final = 256
NAME_KEY: Final = "name"
#: The key of words for the parts of a name, which distinguishes them from a whole name.
PART_KEY: Final = f"{NAME_KEY}/"

#: Names of entity types in other APIs, which users also search for.
_TYPE_WORDS: Final = {"dataFlow": ("application", "app"), "dataJob": ("program",), "schemaField": ("field",)}
#: Texts up to this length are worth remembering, and so many of them: a few megabytes at most.
_KEPT_LENGTH, _KEPT = 64, 4_096
_SEPARATORS = re.compile(r"[-_,;.\s]+")
#: Between the parts of a name that is a path or an address.
_PARTING = re.compile(r"[/\\:]+")
_RESTS_MAX = 16


class _Codes(dict[int, str]):
    """For `str.translate`: what a character becomes in a word of the full-text engine."""

    def __missing__(self, code: int) -> str:
        units = chr(code).encode("utf-16-be", "surrogatepass")
        return "".join(chr(0xF0000 + (units[at] << 8) + units[at + 1]) for at in range(0, len(units), 2))


_PLAIN = string.ascii_letters + string.digits
_CODES = _Codes({ord(letter): letter for letter in _PLAIN})
_CODES |= {code: _CODES[code] for code in range(128) if chr(code) not in _PLAIN}


class ValueRow(NamedTuple):
    """One searchable value of an entity.

    `key` is as written: a property's name, `tags` for a tag, `schema` for a field. `value` is folded, for
    comparison; `shown` is what a person wrote. A field is `path` or `path:type`. `facet` names the filter for it, if any;
    `urn` is the entity that a reference refers to.
    """

    key: str
    value: str
    shown: str
    kind: Kind
    scope: Scope
    facet: str = ""
    urn: str = ""


def fold(text: str) -> str:
    """The form in which texts are compared: case-folded and NFC (spec SEARCH-2)."""
    if text.isascii():
        return text.lower()
    # Folding a composed letter may give one that can be composed again, so decompose it first.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def tokens(text: str) -> list[str]:
    """The folded words of a text, and the whole of it, each once (spec SEARCH-7)."""
    whole = fold(text).strip()
    return list(dict.fromkeys(word for word in (*_SEPARATORS.split(whole), whole) if word))


def name_tokens(name: str) -> list[str]:
    """The tokens of a name; of a path also those of each part, and what is left of it from each of its last parts on.

    People look for `orders` or `raw/orders`, and mean `s3a://bucket/raw/orders`.
    """
    found = tokens(name)
    if pieces := path_pieces(name):
        found += [token for part in _PARTING.split(name) for token in tokens(part)] + pieces
    return list(dict.fromkeys(found))


def path_pieces(name: str) -> list[str]:
    """Each part of a name that is a path, and what is left of it from each of its last parts on, folded; else nothing."""
    ends = [parting.end() for parting in _PARTING.finditer(name)]
    if not ends:
        return []
    pieces = (*_PARTING.split(name), *(name[end:] for end in ends[-_RESTS_MAX:]))
    return list(dict.fromkeys(whole for piece in pieces if (whole := fold(piece).strip())))


def fts_word(token: str) -> str:
    """A folded token as one word of the full-text engine (spec SEARCH-10).

    Each UTF-16 unit that is no ASCII letter or digit becomes a private character, which every Unicode
    tokenizer leaves inside a word. What begins with a token is encoded as what begins with its word.
    """
    return token if token.isascii() and token.isalnum() else token.translate(_CODES)


def filter_term(kind: str, value: str) -> str:
    """A filter, such as `type` and `dataset`, as one word of the full-text engine."""
    return (_term_kept if len(value) <= _KEPT_LENGTH else _term)(kind, value)


def _term(kind: str, value: str) -> str:
    return fts_word(f"{kind}:{fold(value)}")


_term_kept = lru_cache(maxsize=_KEPT)(_term)


def type_words(type_: str, kind: str = "") -> tuple[str, ...]:
    """Return the words for an entity type and its kind (core/entities/entity_kinds.py), folded, in all APIs."""
    words = (fold(type_), *_TYPE_WORDS.get(type_, ()))
    return words if kind in ("", type_) else (*words, fold(kind))


def value_rows(aspect: str, scope: Scope, value: object, annotated: tuple[Contribution, ...] = ()) -> list[ValueRow]:
    """Return the searchable values of an aspect; none for an aspect that contributes nothing, or for no value."""
    return search_rows(describe(aspect, scope, value, annotated))


def search_rows(descriptors: Iterable[Descriptor]) -> list[ValueRow]:
    """Return what search knows of these descriptors, each once."""
    return list(dict.fromkeys(row for one in descriptors for row in _rows(one)))


def _rows(one: Descriptor) -> Iterator[ValueRow]:
    if one.kind == "field":
        for shown in (one.text, f"{one.text}:{one.detail}" if one.detail else one.text):
            yield ValueRow(one.key, fold(shown), shown, "field", one.scope)
        return
    kind: Kind = "tag" if one.kind == "tag" else "property"
    facet = FILTER_OF_KIND.get(one.kind, "")
    yield ValueRow(one.key, fold(one.text), one.text, kind, one.scope, facet, one.urn)
    if one.kind == "link" and one.detail:
        yield ValueRow(one.key, fold(one.detail), one.detail, kind, one.scope)


def index_words(
    name: str, namespace: str, type_: str, rows: Iterable[ValueRow], *, kind: str = "", keyed: bool = False
) -> set[str]:
    """The encoded words under which one entity is found by a bare pattern (spec SEARCH-4); with `keyed`, also by `key:pattern`.

    `name` is the short name; together with its namespace it is one word more. Words over 256 bytes are left
    to the table of values.
    """
    found = {*name_tokens(name), fold(f"{namespace}.{name}"), *type_words(type_, kind)}
    words = {fts_word(word) for word in found if _fits(word)}
    for row in rows:
        # Entities say the same things over and over, as long as they are short.
        words_of = _words_kept if len(row.value) <= _KEPT_LENGTH else _words_of
        words |= words_of(row.key, row.value, row.kind == "property", keyed)
    return words


def _words_of(key: str, value: str, is_property: bool, keyed: bool) -> frozenset[str]:
    """The encoded words of one row."""
    words = set(_behind(f"{fold(key)}:" if keyed else "", tokens(value)))
    if is_property:
        words.update(_behind("properties:" if keyed else "", tokens(key)))
    return frozenset(words)


_words_kept = lru_cache(maxsize=_KEPT)(_words_of)


def _behind(key: str, values: Iterable[str]) -> Iterator[str]:
    """Each value as a word, and behind its key; encoding goes letter by letter, so each part is encoded once."""
    coded_key, taken = fts_word(key), len(key.encode())
    for value in values:
        if _fits(value):
            coded = fts_word(value)
            yield coded
            if key and _fits(value, taken):
                yield coded_key + coded


def _fits(word: str, taken: int = 0) -> bool:
    return len(word if word.isascii() else word.encode()) + taken <= WORD_BYTES_MAX
