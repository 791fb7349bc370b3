"""Bits for the words of a name, by which thousands of matches are searched for a name with a word, without their URNs.

Each word sets a bit for itself and one for its first two characters. Other words may have the same bits: names that have
the bits of a word may have it, and the others do not.
"""

from typing import Final
from zlib import crc32

from jupyter_colophon.core.search.names_in_urns import get_folded_name, split_name_words
from jupyter_colophon.core.search.query_language import SearchPattern

#: SQLite stores a number with as many bits in six bytes.
_BITS: Final = 47
#: The number of characters at the start of a word that have a bit of their own.
_START: Final = 2
#: The first value of the checksum of starts, so that a word of two characters has two bits.
_SALT: Final = 1


def compute_name_bits(urn: str, namespace: str, type_: str) -> int:
    """Return the bits of the name in a URN."""
    bits = 0
    for word in split_name_words(get_folded_name(urn, namespace, type_)):
        bits |= _compute_bits_of_word(word)
    return bits


def compute_bits_of_pattern(pattern: SearchPattern) -> int:
    """Return the bits that a name has if this pattern matches words of it; 0 if any name may have them."""
    *words, last = split_name_words(pattern.text)
    bits = _compute_bits_of_start(last) if pattern.kind == "prefix" else _compute_bits_of_word(last)
    for word in words:
        bits |= _compute_bits_of_word(word)
    return bits


def _compute_bits_of_word(word: str) -> int:
    return 1 << crc32(word.encode()) % _BITS | _compute_bits_of_start(word) if word else 0


def _compute_bits_of_start(word: str) -> int:
    return 1 << crc32(word[:_START].encode(), _SALT) % _BITS if len(word) >= _START else 0
