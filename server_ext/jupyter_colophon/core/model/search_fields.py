"""Index the texts of an aspect that its model marks as searchable, as words of the full-text engine (spec SEARCH-19)."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.relationships import list_values_at_path
from jupyter_colophon.core.model.search_index_terms import WORD_BYTES_MAX, encode_index_word, split_search_tokens

#: Marked paths of large aspects whose texts the vocabulary contributes already: they are not read twice.
_CONTRIBUTED: Final[Mapping[str, frozenset[str]]] = {
    "datasetProperties": frozenset({"/customProperties/*", "/description", "/name"}),
    "schemaMetadata": frozenset({"/fields/*/description", "/fields/*/fieldPath"}),
    "editableSchemaMetadata": frozenset(
        f"/editableSchemaFieldInfo/*/{path}"
        for path in ("description", "globalTags/tags/*/tag", "glossaryTerms/terms/*/urn")
    ),
}
#: The most texts of an aspect, characters of each, and words of an entity that are indexed.
_TEXTS, _CHARACTERS, _WORDS = 200, 2_000, 1_000


def is_text_searchable(spec: AspectSpec) -> bool:
    """Return whether search finds entities by texts of this aspect, besides keys and values."""
    return bool(_list_searchable_paths(spec)) and not spec.key


def collect_encoded_search_words(values: Mapping[str, tuple[AspectSpec, Any]]) -> frozenset[str]:
    """Return the encoded words of the searchable texts in these aspects."""
    words = (encode_index_word(word) for spec, value in values.values() for word in _list_encoded_words(spec, value))
    return frozenset(islice(words, _WORDS))


def _list_searchable_paths(spec: AspectSpec) -> list[str]:
    if not spec.searchable_paths:
        return []
    contributed = _CONTRIBUTED.get(spec.name, frozenset())
    return [path for path in spec.searchable_paths if path not in contributed]


def _list_encoded_words(spec: AspectSpec, value: Any) -> Iterator[str]:
    texts = (
        text for path in _list_searchable_paths(spec) for text in list_values_at_path(value, tuple(path.split("/")[1:]))
    )
    for text in islice((item for item in texts if isinstance(item, str)), _TEXTS):
        for word in split_search_tokens(text[:_CHARACTERS]):
            if len(word.encode("utf-8", "surrogatepass")) <= WORD_BYTES_MAX:
                yield word
