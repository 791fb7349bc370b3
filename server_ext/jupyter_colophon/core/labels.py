"""What found entities are counted by, besides their namespace and type: tags, terms, domains, owners, platform.

A label is one text, so that a store keeps all of an entity in one: a tag as it is, the others behind a mark.
"""

from collections.abc import Iterable, Mapping
from typing import Final

#: Between labels where they are one text.
APART: Final = "\x1f"
_MARKS: Final = {"platform": "\x1e", "owner": "\x1d", "term": "\x1c", "domain": "\x1b"}
_KINDS: Final = {mark: name for name, mark in _MARKS.items()}
#: What is longer is nothing to choose by.
_CHARACTERS_MAX: Final = 256


def labels(said: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The labels for these pairs of a facet and a value, in order; values that cannot be told apart have none."""
    return tuple(sorted({_MARKS.get(name, "") + value for name, value in said if value and _is_plain(value)}))


def _is_plain(value: str) -> bool:
    return len(value) <= _CHARACTERS_MAX and not any(mark in value for mark in (APART, *_KINDS))


def counts_of(facet: str, counted: Mapping[str, int]) -> dict[str, int]:
    """How many have each value of a facet, of labels that were counted."""
    if facet in _MARKS:
        return {label[1:]: count for label, count in counted.items() if label[:1] == _MARKS[facet]}
    return {label: count for label, count in counted.items() if label[:1] not in _KINDS}
