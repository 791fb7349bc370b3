"""Texts of an aspect that its model marks for search, as words of the full-text engine (spec SEARCH-19)."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.registry import AspectSpec
from jupyter_colophon.core.relationships import at
from jupyter_colophon.core.terms import WORD_BYTES_MAX, fts_word, tokens

#: Aspects whose searchable texts are all indexed by key and value.
_WHOLLY_DESCRIBED: Final = frozenset({"datasetProperties", "schemaMetadata", "editableSchemaMetadata"})
#: How many texts of an aspect are searched, how many characters of each, and how many words of an entity.
_TEXTS, _CHARACTERS, _WORDS = 200, 2_000, 1_000


def is_marked(spec: AspectSpec) -> bool:
    """Whether people find an entity by texts of this aspect, beyond what is told by key and value."""
    return bool(spec.searched) and not spec.key and spec.name not in _WHOLLY_DESCRIBED


def marked_words(said: Mapping[str, tuple[AspectSpec, Any]]) -> frozenset[str]:
    """The encoded words of the texts that these aspects hold."""
    words = (fts_word(word) for spec, value in said.values() for word in _words(spec, value))
    return frozenset(islice(words, _WORDS))


def _words(spec: AspectSpec, value: Any) -> Iterator[str]:
    texts = (text for path in spec.searched for text in at(value, tuple(path.split("/")[1:])))
    for text in islice((one for one in texts if isinstance(one, str)), _TEXTS):
        for word in tokens(text[:_CHARACTERS]):
            if len(word.encode("utf-8", "surrogatepass")) <= WORD_BYTES_MAX:
                yield word
