"""Convert fine-grained lineage to a map, so that a patch can name one upstream of one field.

`/fineGrainedLineages/<operation or NONE>/<downstream>/<query or NONE>/<upstream>` has the members of that one
upstream.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

FIELD: Final = "fineGrainedLineages"
_NONE = "NONE"
#: The members shared by a group of upstreams.
_SHARED = ("transformOperation", "query", "upstreams", "downstreams")
#: The key of lineages that no path can name.
_REST = "\u241f"
#: The number of keys above the upstreams.
_NAMES = 3


class FineGrainedLineageForm:
    """Converts the lineages of an aspect to a map and back (core/datahub/keyed_arrays.py does so for other arrays)."""

    def replace_arrays_by_maps(self, document: Any) -> None:
        """Replace the array by a map; a lineage with several downstreams becomes one for each."""
        lineages = document.get(FIELD) if isinstance(document, dict) else None
        if not isinstance(lineages, list):
            return
        by_operation: dict[str, Any] = {}
        for lineage in lineages:
            if not _has_all_map_keys(lineage):
                by_operation.setdefault(_REST, []).append(lineage)
                continue
            members = {name: value for name, value in lineage.items() if name not in _SHARED}
            for downstream in lineage["downstreams"]:
                by_query = by_operation.setdefault(lineage.get("transformOperation") or _NONE, {}).setdefault(
                    downstream, {}
                )
                group = by_query.setdefault(lineage.get("query") or _NONE, {})
                group.update({upstream: dict(members) for upstream in lineage["upstreams"]})
        document[FIELD] = by_operation

    def replace_maps_by_arrays(self, document: Any) -> None:
        """Replace the map by an array: a lineage for each operation, downstream and query."""
        by_operation = document.get(FIELD) if isinstance(document, dict) else None
        if isinstance(by_operation, dict):
            rest = by_operation.pop(_REST, [])
            document[FIELD] = [*rest, *_list_lineages(by_operation)]
        elif by_operation is None and isinstance(document, dict) and FIELD in document:
            document[FIELD] = []


def _has_all_map_keys(lineage: Any) -> bool:
    if not isinstance(lineage, Mapping):
        return False
    ends = [lineage.get(name) for name in ("downstreams", "upstreams")]
    return all(isinstance(end, list) and end and all(isinstance(urn, str) for urn in end) for end in ends)


def _list_lineages(level: Any, names: tuple[str, ...] = ()) -> Iterator[Any]:
    """Yield the lineages below three keys: operation, downstream and query."""
    if not isinstance(level, Mapping):
        # Pass on anything that is not a map: the aspect's schema rejects it.
        yield level
    elif len(names) < _NAMES:
        for name, inner in level.items():
            yield from _list_lineages(inner, (*names, name))
    elif level:
        yield _merge_lineages_of_one_downstream(names, level)


def _merge_lineages_of_one_downstream(names: tuple[str, ...], upstreams: Mapping[str, Any]) -> dict[str, Any]:
    """Return one lineage of all these upstreams, with the lowest of their confidence scores."""
    operation, downstream, query = names
    members: dict[str, Any] = {}
    for upstream in reversed(list(upstreams.values())):
        members |= (
            {name: value for name, value in upstream.items() if value is not None} if isinstance(upstream, dict) else {}
        )
    fields = next(iter(upstreams)).startswith("urn:li:schemaField:")
    lineage = {"upstreamType": "FIELD_SET" if fields else "DATASET", "downstreamType": "FIELD"}
    lineage |= members | {"upstreams": list(upstreams), "downstreams": [downstream]}
    scores = [upstream["confidenceScore"] for upstream in upstreams.values() if _has_confidence_score(upstream)]
    if scores:
        lineage["confidenceScore"] = min(scores)
    if operation != _NONE:
        lineage["transformOperation"] = operation
    if query != _NONE:
        lineage["query"] = query
    return lineage


def _has_confidence_score(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("confidenceScore"), int | float)
