"""Texts of an aspect that its model marks for search, as words of the full-text engine (spec SEARCH-19)."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.relationships import at
from jupyter_colophon.core.model.search_index_terms import WORD_BYTES_MAX, fts_word, tokens

#: Marked paths of large aspects whose texts the vocabulary contributes already: they are not read twice.
_CONTRIBUTED: Final[Mapping[str, frozenset[str]]] = {
    "datasetProperties": frozenset({"/customProperties/*", "/description", "/name"}),
    "schemaMetadata": frozenset({"/fields/*/description", "/fields/*/fieldPath"}),
    "editableSchemaMetadata": frozenset(
        f"/editableSchemaFieldInfo/*/{path}"
        for path in ("description", "globalTags/tags/*/tag", "glossaryTerms/terms/*/urn")
    ),
}
#: How many texts of an aspect are searched, how many characters of each, and how many words of an entity.
_TEXTS, _CHARACTERS, _WORDS = 200, 2_000, 1_000


def is_marked(spec: AspectSpec) -> bool:
    """Return whether search finds entities by texts of this aspect, besides keys and values."""
    return bool(_paths(spec)) and not spec.key


def marked_words(values: Mapping[str, tuple[AspectSpec, Any]]) -> frozenset[str]:
    """The encoded words of the texts that these aspects hold."""
    words = (fts_word(word) for spec, value in values.values() for word in _words(spec, value))
    return frozenset(islice(words, _WORDS))


def _paths(spec: AspectSpec) -> list[str]:
    contributed = _CONTRIBUTED.get(spec.name, frozenset())
    return [path for path in spec.searched if path not in contributed]


def _words(spec: AspectSpec, value: Any) -> Iterator[str]:
    texts = (text for path in _paths(spec) for text in at(value, tuple(path.split("/")[1:])))
    for text in islice((one for one in texts if isinstance(one, str)), _TEXTS):
        for word in tokens(text[:_CHARACTERS]):
            if len(word.encode("utf-8", "surrogatepass")) <= WORD_BYTES_MAX:
                yield word
