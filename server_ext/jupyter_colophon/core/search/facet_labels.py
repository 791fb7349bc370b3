"""The values by which found entities are counted, besides their namespace and type, as one text for each entity (spec SEARCH-14).

A store keeps all values of an entity in one column: a label is the name of a facet, a mark, and a value.
"""

from collections.abc import Iterable, Mapping
from typing import Final

#: Between labels where they are one text, and between the facet and the value of one.
APART: Final = "\x1f"
_MARK: Final = "\x1e"
#: What is longer is nothing to choose by.
_CHARACTERS_MAX: Final = 256


def labels(values: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the labels for these pairs of a facet and a value, in order; values that no text can hold have none."""
    return tuple(sorted({f"{facet}{_MARK}{value}" for facet, value in values if value and _is_plain(value)}))


def _is_plain(value: str) -> bool:
    return len(value) <= _CHARACTERS_MAX and APART not in value and _MARK not in value


def counts_of(facet: str, counted: Mapping[str, int]) -> dict[str, int]:
    """Return how many have each value of a facet, of labels that were counted."""
    prefix = f"{facet}{_MARK}"
    return {label[len(prefix) :]: count for label, count in counted.items() if label.startswith(prefix)}
