"""Extract what an aspect contributes to search, and encode words for the full-text engine."""

import re
import string
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from jupyter_colophon.core.model.search_filters import FILTER_OF_KIND
from jupyter_colophon.core.model.vocabulary import (
    SCHEMA_KEY,
    TAGS_KEY,
    Contribution,
    Descriptor,
    Scope,
    list_descriptors_of_value,
)

__all__ = ["SCHEMA_KEY", "TAGS_KEY"]
Kind = Literal["property", "tag", "field"]

WORD_BYTES_MAX: Final = 256
NAME_KEY: Final = "name"
#: The key of words for the parts of a name, which distinguishes them from a whole name.
PART_KEY: Final = f"{NAME_KEY}/"

#: Names of entity types in other APIs, which users also search for.
_TYPE_WORDS: Final = {"dataFlow": ("application", "app"), "dataJob": ("program",), "schemaField": ("field",)}
#: Texts up to this length are cached, and at most this number of them: a few megabytes.
_KEPT_LENGTH, _KEPT = 64, 4_096
_SEPARATORS = re.compile(r"[-_,;.\s]+")
#: The separators of the parts of a name that is a path or an address.
_PARTING = re.compile(r"[/\\:]+")
_RESTS_MAX = 16


class _CharacterEncodings(dict[int, str]):
    """A table for `str.translate`: the encoding of each character in a word of the full-text engine."""

    def __missing__(self, code: int) -> str:
        units = chr(code).encode("utf-16-be", "surrogatepass")
        return "".join(chr(0xF0000 + (units[at] << 8) + units[at + 1]) for at in range(0, len(units), 2))


_PLAIN = string.ascii_letters + string.digits
_CODES = _CharacterEncodings({ord(letter): letter for letter in _PLAIN})
_CODES |= {code: _CODES[code] for code in range(128) if chr(code) not in _PLAIN}


class ValueRow(NamedTuple):
    """A searchable value of an entity.

    `key` is as written: a property's name, `tags` for a tag, `schema` for a field. `value` is folded, for comparison;
    `shown` is the original text. A field is `path` or `path:type`. `facet` names the filter for it, if any; `urn` is
    the entity that a reference refers to.
    """

    key: str
    value: str
    shown: str
    kind: Kind
    scope: Scope
    facet: str = ""
    urn: str = ""


def fold_text_for_comparison(text: str) -> str:
    """Return the form in which texts are compared: case-folded and NFC (spec SEARCH-2)."""
    if text.isascii():
        return text.lower()
    # Folding a composed letter may give one that can be composed again, so decompose it first.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def split_search_tokens(text: str) -> list[str]:
    """Return the folded words of a text and the whole text, without duplicates (spec SEARCH-7)."""
    folded = fold_text_for_comparison(text).strip()
    return [word for word in dict.fromkeys((*_SEPARATORS.split(folded), folded)) if word]


def list_name_tokens(name: str) -> list[str]:
    """Return the tokens of a name; of a path also those of each part, and its suffixes.

    Users search for `orders` or `raw/orders` and mean `s3a://bucket/raw/orders`.
    """
    tokens = split_search_tokens(name)
    if pieces := list_path_parts_and_suffixes(name):
        tokens += [token for part in _PARTING.split(name) for token in split_search_tokens(part)] + pieces
    return list(dict.fromkeys(tokens))


def list_path_parts_and_suffixes(name: str) -> list[str]:
    """Return the parts and the suffixes of a name that is a path, folded; an empty list for other names."""
    if _PARTING.search(name) is None:
        return []
    ends = [parting.end() for parting in _PARTING.finditer(name)]
    pieces = (*_PARTING.split(name), *(name[end:] for end in ends[-_RESTS_MAX:]))
    return list(dict.fromkeys(folded for piece in pieces if (folded := fold_text_for_comparison(piece).strip())))


# Names of types, keys and times recur in every document.
@lru_cache(maxsize=4_096)
def encode_index_word(token: str) -> str:
    """Encode a folded token as one word of the full-text engine (spec SEARCH-10).

    Each UTF-16 unit other than an ASCII letter or digit becomes a private-use character, which every Unicode tokenizer
    leaves inside a word. Prefixes of tokens are encoded as prefixes of words.
    """
    return token if token.isascii() and token.isalnum() else token.translate(_CODES)


def encode_filter_term(kind: str, value: str) -> str:
    """Encode a filter, such as `type` and `dataset`, as one word of the full-text engine."""
    return (_term_kept if len(value) <= _KEPT_LENGTH else _encode_term_of_kind)(kind, value)


def _encode_term_of_kind(kind: str, value: str) -> str:
    return encode_index_word(f"{kind}:{fold_text_for_comparison(value)}")


_term_kept = lru_cache(maxsize=_KEPT)(_encode_term_of_kind)


def list_names_of_entity_type(type_: str, kind: str = "") -> tuple[str, ...]:
    """Return the names of an entity type and its kind (core/entities/entity_kinds.py) in all APIs, folded."""
    words = (fold_text_for_comparison(type_), *_TYPE_WORDS.get(type_, ()))
    return words if kind in ("", type_) else (*words, fold_text_for_comparison(kind))


def build_value_rows(
    aspect: str, scope: Scope, value: object, annotated: tuple[Contribution, ...] = ()
) -> list[ValueRow]:
    """Return the searchable values of an aspect; none for an aspect that contributes nothing, or without a value."""
    return build_distinct_value_rows(list_descriptors_of_value(aspect, scope, value, annotated))


def build_distinct_value_rows(descriptors: Iterable[Descriptor]) -> list[ValueRow]:
    """Return the search rows of these descriptors, without duplicates."""
    return list(dict.fromkeys(chain.from_iterable(map(_build_descriptor_rows, descriptors))))


def _build_descriptor_rows(descriptor: Descriptor) -> list[ValueRow]:
    kind, key, text, _, scope, urn, _, detail = descriptor
    if kind == "field":
        texts = (text, f"{text}:{detail}" if detail else text)
        return [ValueRow(key, fold_text_for_comparison(item), item, "field", scope) for item in texts]
    row_kind: Kind = "tag" if kind == "tag" else "property"
    row = ValueRow(key, fold_text_for_comparison(text), text, row_kind, scope, FILTER_OF_KIND.get(kind, ""), urn)
    if kind != "link" or not detail:
        return [row]
    return [row, ValueRow(key, fold_text_for_comparison(detail), detail, row_kind, scope)]


def collect_name_index_words(name: str, namespace: str, type_: str, kind: str = "") -> frozenset[str]:
    """Return the encoded words of a name and a type by which a bare pattern finds an entity (spec SEARCH-4).

    `name` is the short name; together with its namespace it is one more word. Words over 256 bytes are only in the
    table of values.
    """
    tokens = (*list_name_tokens(name), fold_text_for_comparison(f"{namespace}.{name}"))
    return _encode_type_words(type_, kind).union([encode_index_word(word) for word in tokens if _fits_word_limit(word)])


@lru_cache(maxsize=1_024)
def _encode_type_words(type_: str, kind: str) -> frozenset[str]:
    return frozenset(
        encode_index_word(word) for word in list_names_of_entity_type(type_, kind) if _fits_word_limit(word)
    )


def encode_words_of_value(row: ValueRow) -> frozenset[str]:
    """Return the encoded words of one value, by which a bare pattern and `key:pattern` find its entity."""
    words = _encode_words_after_key(f"{fold_text_for_comparison(row.key)}:", split_search_tokens(row.value))
    return frozenset(words).union(_encode_words_of_property(row.key)) if row.kind == "property" else frozenset(words)


# The same properties recur in many entities.
@lru_cache(maxsize=512)
def _encode_words_of_property(key: str) -> frozenset[str]:
    """Return the encoded words of a property's key."""
    return frozenset(_encode_words_after_key("properties:", split_search_tokens(key)))


def _encode_words_after_key(key: str, values: Iterable[str]) -> list[str]:
    """Return each value as a word, alone and after its key; parts are encoded separately, so each is encoded once."""
    sizes = [(value, _count_bytes(value)) for value in values]
    coded = [(encode_index_word(value), size) for value, size in sizes if size <= WORD_BYTES_MAX]
    coded_key, room = encode_index_word(key), WORD_BYTES_MAX - _count_bytes(key)
    return [word for word, _ in coded] + [coded_key + word for word, size in coded if size <= room]


def _fits_word_limit(word: str) -> bool:
    return _count_bytes(word) <= WORD_BYTES_MAX


def _count_bytes(text: str) -> int:
    return len(text if text.isascii() else text.encode())
