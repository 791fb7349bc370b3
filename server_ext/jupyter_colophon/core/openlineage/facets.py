"""Merge the facets of many events in any order: each facet has its newest value (docs/openlineage.md).

The result is the same for any order and repetition of events: of two events at the same time, the one with the greater
text wins.
"""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json

Facets = Mapping[str, Any]
#: The time of the event that set each facet, in µs since 1970.
Stamps = Mapping[str, int]
#: Longer facets are stored as omitted; of more facets the first by name are stored.
FACET_CHARACTERS: Final = 1_048_576
FACETS_MOST: Final = 100
#: The member of an omitted facet with its original length.
OMITTED: Final = "_omittedCharacters"
_KEPT_OF_OMITTED: Final = ("_producer", "_schemaURL")
_WORD_MOST: Final = 4_096


def merge_facets_and_times(
    old_facets: Facets, stamps: Stamps, new_facets: Facets | None, time: int
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the facets and their times after an event of this time."""
    facets, times = dict(old_facets), {name: stamps[name] for name in old_facets if name in stamps}
    for name, value in (new_facets or {}).items():
        if value is None:
            continue
        # Encoding a facet to measure it takes longer than comparing it with one that is stored.
        facet = value if facets.get(name) == value else _truncate_large_facet(value)
        if name not in facets or _is_newer_facet(facet, time, facets[name], times.get(name, -1)):
            facets[name], times[name] = facet, time
    names = sorted(facets)[:FACETS_MOST]
    return {name: facets[name] for name in names}, {name: times[name] for name in names if name in times}


def drop_deleted_facets(facets: Facets) -> dict[str, Any]:
    """Return the facets that no event has deleted (`_deleted`), without those that are null."""
    return {name: facet for name, facet in facets.items() if facet is not None and facet.get("_deleted") is not True}


def _is_newer_facet(facet: Any, time: int, old: Any, old_time: int) -> bool:
    """Return whether a facet replaces another one; their texts are compared only if their times are equal."""
    return time > old_time or (time == old_time and encode_canonical_json(facet) > encode_canonical_json(old))


def _truncate_large_facet(value: Any) -> Any:
    size = len(encode_canonical_json(value))
    if size <= FACET_CHARACTERS:
        return value
    summary = {name: str(value[name])[:_WORD_MOST] for name in _KEPT_OF_OMITTED if name in value}
    return summary | {OMITTED: size}
