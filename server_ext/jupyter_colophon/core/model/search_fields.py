"""Index the texts of an aspect that its model marks as searchable, as words of the full-text engine (spec SEARCH-19)."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.relationships import ANY, list_values_at_path
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


def may_have_searchable_texts(spec: AspectSpec, text: str) -> bool:
    """Return whether search may find entities by texts in this stored value, besides keys and values.

    Most values have none of the members that their model marks: they need not be parsed.
    """
    paths = () if spec.key else _list_searchable_paths(spec.name, spec.searchable_paths)
    return any(path[0] == ANY or f'"{path[0]}"' in text for path in paths)


def collect_encoded_search_words(values: Mapping[str, tuple[AspectSpec, Any]]) -> frozenset[str]:
    """Return the encoded words of the searchable texts in these aspects."""
    words = (encode_index_word(word) for spec, value in values.values() for word in _list_encoded_words(spec, value))
    return frozenset(islice(words, _WORDS))


@lru_cache(maxsize=512)
def _list_searchable_paths(aspect: str, paths: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the steps of those of these paths of an aspect that the vocabulary does not contribute."""
    contributed = _CONTRIBUTED.get(aspect, frozenset())
    return [tuple(path.split("/")[1:]) for path in paths if path not in contributed]


def _list_encoded_words(spec: AspectSpec, value: Any) -> Iterator[str]:
    paths = _list_searchable_paths(spec.name, spec.searchable_paths)
    texts = (text for path in paths for text in list_values_at_path(value, path))
    for text in islice((item for item in texts if isinstance(item, str)), _TEXTS):
        for word in split_search_tokens(text[:_CHARACTERS]):
            if len(word.encode("utf-8", "surrogatepass")) <= WORD_BYTES_MAX:
                yield word
