"""Extract the texts of an instance for search: its tags, and its strings with the names of their members."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

#: The only member of the object that replaces a secret (spec SEC-14).
PLACEHOLDER: Final = "$secret"
#: The most texts of an instance that are searched, and the most characters of each.
TEXTS_MAX: Final = 200
CHARACTERS_MAX: Final = 10_000


def list_instance_tags(value: Mapping[str, Any]) -> list[str]:
    """Return the tags of an instance without duplicates, whatever else the member holds."""
    metadata = value.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
    if not isinstance(tags, list):
        return []
    return list(dict.fromkeys(tag for tag in tags if isinstance(tag, str) and tag))


def list_instance_texts(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (key, text) for the names of an instance, and for the texts of its metadata with the name of the nearest
    member.
    """
    for key in ("display_name", "schema_name"):
        if isinstance(text := value.get(key), str) and text:
            yield key, text
    metadata = value.get("metadata")
    if isinstance(metadata, Mapping):
        inside = (
            pair for name, item in metadata.items() if name != "tags" for pair in _list_texts_of_value(name, item)
        )
        yield from ((key, text[:CHARACTERS_MAX]) for key, text in islice(inside, TEXTS_MAX))


def _list_texts_of_value(key: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the texts of a value. The lines of a list are one text, such as the code of a snippet."""
    if isinstance(value, str) and key and value.strip():
        yield key, value
    if isinstance(value, Mapping) and PLACEHOLDER not in value:
        for name, item in value.items():
            yield from _list_texts_of_value(name, item)
    if isinstance(value, list):
        yield from _list_texts_of_value(key, "\n".join(item for item in value if isinstance(item, str)))
        for item in value:
            yield from _list_texts_of_value("" if isinstance(item, str) else key, item)
