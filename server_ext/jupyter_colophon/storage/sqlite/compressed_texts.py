"""Compress the words of a document, of which the full-text index needs the text only to delete it.

The words of a document are a third of a catalog's file otherwise: each word also follows its key, and characters other
than letters and digits take four bytes.
"""

import zlib
from typing import Final

from jupyter_colophon.core.model.search_index_terms import encode_index_word

#: What most documents have in common. It is part of the format, so it never changes.
_COMMON: Final = " ".join(
    encode_index_word(word)
    for word in (
        *("referenced:any", "schema:", "field", "column", "properties:source", "properties:owner", "description"),
        *("properties:description", "description:", "owner:", "tags:", "name:", "dataset:", "dataset"),
        *("created-by:", "creation-time:20", "last-updated-by:", "last-update-time:20", "namespace:", "entity:any"),
        *("domain:", "platform:spark", "removed:false", "scope:system", "scope:user", "tag:", "type:"),
    )
).encode()
# A small window and little memory, since most texts have less than 4 kB: larger ones take three times as long.
_WINDOW: Final = -12
#: Copied for each text, which is faster than to read what texts have in common again.
_COMPRESSOR: Final = zlib.compressobj(1, zlib.DEFLATED, _WINDOW, 5, zlib.Z_DEFAULT_STRATEGY, _COMMON)


def encode_compressed_text(text: str) -> bytes:
    """Return a compressed text."""
    compressor = _COMPRESSOR.copy()
    return compressor.compress(text.encode()) + compressor.flush()


def decode_compressed_text(stored: str | bytes) -> str:
    """Return the text of a stored value, "" for a damaged one. Before schema version 3, texts were not compressed."""
    if isinstance(stored, str):
        return stored
    decompressor = zlib.decompressobj(_WINDOW, zdict=_COMMON)
    try:
        return (decompressor.decompress(stored) + decompressor.flush()).decode()
    except (zlib.error, UnicodeDecodeError):
        return ""
