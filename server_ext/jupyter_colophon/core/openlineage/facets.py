"""Facets of one thing, of which events tell in any order: each is as the newest event said (docs/openlineage.md).

What is kept of a set of events is the same in whatever order they came, and however often: of two events of the same
time the one with the greater text counts.
"""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import compact

Facets = Mapping[str, Any]
#: The time of the event that set each facet, in µs since 1970.
Stamps = Mapping[str, int]
#: A facet with a longer text is stored as omitted; of more facets the first by name are stored.
FACET_CHARACTERS: Final = 1_048_576
FACETS_MOST: Final = 100
#: The member of a facet that says how long it was.
OMITTED: Final = "_omittedCharacters"
_KEPT_OF_OMITTED: Final = ("_producer", "_schemaURL")
_WORD_MOST: Final = 4_096


def merge_facets(have: Facets, stamps: Stamps, new: Facets | None, time: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the facets and their times after an event of this time."""
    facets, times = dict(have), {name: stamps[name] for name in have if name in stamps}
    for name, value in (new or {}).items():
        if value is None:
            continue
        facet = _bounded(value)
        if name in facets and (times.get(name, -1), compact(facets[name])) >= (time, compact(facet)):
            continue
        facets[name], times[name] = facet, time
    kept = sorted(facets)[:FACETS_MOST]
    return {name: facets[name] for name in kept}, {name: times[name] for name in kept if name in times}


def standing(facets: Facets) -> dict[str, Any]:
    """Those that no event has taken away (`_deleted`)."""
    return {name: facet for name, facet in facets.items() if facet.get("_deleted") is not True}


def _bounded(value: Any) -> Any:
    size = len(compact(value))
    if size <= FACET_CHARACTERS:
        return value
    told = {name: str(value[name])[:_WORD_MOST] for name in _KEPT_OF_OMITTED if name in value}
    return told | {OMITTED: size}
