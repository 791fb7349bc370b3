"""Lineage between fields as a map, so that a patch names one upstream of one field.

`/fineGrainedLineages/<operation or NONE>/<downstream>/<query or NONE>/<upstream>` holds what is said of that one upstream.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

FIELD: Final = "fineGrainedLineages"
_NONE = "NONE"
#: What a group of upstreams has in common.
_SHARED = ("transformOperation", "query", "upstreams", "downstreams")
#: Where lineages wait that no path can name.
_REST = "\u241f"
#: How many names lead to the upstreams.
_NAMES = 3


class FineGrained:
    """The lineages of an aspect as a map, and back (core/datahub/keyed_arrays.py does so with other arrays)."""

    def to_maps(self, document: Any) -> None:
        """Make the array a map. A lineage of several downstreams becomes one of each."""
        there = document.get(FIELD) if isinstance(document, dict) else None
        if not isinstance(there, list):
            return
        made: dict[str, Any] = {}
        for lineage in there:
            if not _is_nameable(lineage):
                made.setdefault(_REST, []).append(lineage)
                continue
            said = {name: value for name, value in lineage.items() if name not in _SHARED}
            for downstream in lineage["downstreams"]:
                by_query = made.setdefault(lineage.get("transformOperation") or _NONE, {}).setdefault(downstream, {})
                group = by_query.setdefault(lineage.get("query") or _NONE, {})
                group.update({upstream: dict(said) for upstream in lineage["upstreams"]})
        document[FIELD] = made

    def to_arrays(self, document: Any) -> None:
        """Make the map an array again: a lineage for each operation, downstream and query."""
        there = document.get(FIELD) if isinstance(document, dict) else None
        if isinstance(there, dict):
            rest = there.pop(_REST, [])
            document[FIELD] = [*rest, *_lineages(there)]
        elif there is None and isinstance(document, dict) and FIELD in document:
            document[FIELD] = []


def _is_nameable(lineage: Any) -> bool:
    if not isinstance(lineage, Mapping):
        return False
    ends = [lineage.get(name) for name in ("downstreams", "upstreams")]
    return all(isinstance(one, list) and one and all(isinstance(urn, str) for urn in one) for one in ends)


def _lineages(level: Any, names: tuple[str, ...] = ()) -> Iterator[Any]:
    """Lineages below three names: operation, downstream and query."""
    if not isinstance(level, Mapping):
        # What is no map is no lineage either: the aspect's schema says so.
        yield level
    elif len(names) < _NAMES:
        for name, inner in level.items():
            yield from _lineages(inner, (*names, name))
    elif level:
        yield _lineage(names, level)


def _lineage(names: tuple[str, ...], upstreams: Mapping[str, Any]) -> dict[str, Any]:
    """One lineage of all these upstreams; it is as certain as the least certain of them."""
    operation, downstream, query = names
    said: dict[str, Any] = {}
    for one in reversed(list(upstreams.values())):
        said |= {name: value for name, value in one.items() if value is not None} if isinstance(one, dict) else {}
    fields = next(iter(upstreams)).startswith("urn:li:schemaField:")
    made = {"upstreamType": "FIELD_SET" if fields else "DATASET", "downstreamType": "FIELD"}
    made |= said | {"upstreams": list(upstreams), "downstreams": [downstream]}
    scores = [one["confidenceScore"] for one in upstreams.values() if _is_scored(one)]
    if scores:
        made["confidenceScore"] = min(scores)
    if operation != _NONE:
        made["transformOperation"] = operation
    if query != _NONE:
        made["query"] = query
    return made


def _is_scored(said: Any) -> bool:
    return isinstance(said, Mapping) and isinstance(said.get("confidenceScore"), int | float)
