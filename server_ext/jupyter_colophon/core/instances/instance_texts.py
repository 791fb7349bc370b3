"""Extract the texts of an instance for search: its tags, and its strings with the names of their members."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

#: The only member of what stands where a secret is (spec SEC-14).
PLACEHOLDER: Final = "$secret"
#: How many texts of an instance are searched, and how many characters of each.
TEXTS_MAX: Final = 200
CHARACTERS_MAX: Final = 10_000


def tags_of(value: Mapping[str, Any]) -> list[str]:
    """The tags of an instance, each once, whatever else is in their place."""
    metadata = value.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
    if not isinstance(tags, list):
        return []
    return list(dict.fromkeys(tag for tag in tags if isinstance(tag, str) and tag))


def texts_of(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, text) of an instance: its names, and the texts of its metadata behind the nearest member's name."""
    for key in ("display_name", "schema_name"):
        if isinstance(text := value.get(key), str) and text:
            yield key, text
    metadata = value.get("metadata")
    if isinstance(metadata, Mapping):
        inside = (pair for name, item in metadata.items() if name != "tags" for pair in _texts(name, item))
        yield from ((key, text[:CHARACTERS_MAX]) for key, text in islice(inside, TEXTS_MAX))


def _texts(key: str, value: object) -> Iterator[tuple[str, str]]:
    """The lines of a list are one text: a snippet's are one piece of code."""
    if isinstance(value, str) and key and value.strip():
        yield key, value
    if isinstance(value, Mapping) and PLACEHOLDER not in value:
        for name, item in value.items():
            yield from _texts(name, item)
    if isinstance(value, list):
        yield from _texts(key, "\n".join(item for item in value if isinstance(item, str)))
        for item in value:
            yield from _texts("" if isinstance(item, str) else key, item)
