"""How `%metadata` changes `businessMetadata` (USER): small pure functions from one value to the next."""

from collections.abc import Callable, Iterable
from typing import Any

Document = dict[str, Any]

BUSINESS = "businessMetadata"


def with_words(tags: Iterable[str], properties: Iterable[tuple[str, str]] = ()) -> Callable[[Document], Document]:
    """Adds tags, in the order given, and sets properties."""
    more, pairs = list(tags), dict(properties)

    def edit(value: Document) -> Document:
        return {
            **value,
            "tags": list(dict.fromkeys([*value.get("tags", []), *more])),
            "properties": {**value.get("properties", {}), **pairs},
        }

    return edit


def without_tags(tags: Iterable[str]) -> Callable[[Document], Document]:
    """Takes tags away; those that are not there do not matter."""
    gone = set(tags)

    def edit(value: Document) -> Document:
        kept = [tag for tag in value.get("tags", []) if tag not in gone]
        return {"properties": {}, **value, "tags": kept}

    return edit


def without_keys(keys: Iterable[str]) -> Callable[[Document], Document]:
    """Removes properties; those that are not there do not matter."""
    gone = set(keys)

    def edit(value: Document) -> Document:
        kept = {key: text for key, text in value.get("properties", {}).items() if key not in gone}
        return {"tags": [], **value, "properties": kept}

    return edit
