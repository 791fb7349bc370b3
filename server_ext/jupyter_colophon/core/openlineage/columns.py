"""Read the facet `columnLineage`: the source columns of each column and their transformations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast, get_args

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import VALUE_TRANSFORMATIONS, Transformation

#: A source column (OpenLineage's name of the dataset, its URN, the field) and a target field.
Pair = tuple[tuple[str, str], Urn, str, str]
Columns = Mapping[Pair, Transformation]
#: The most edges into which the lineage of a whole dataset, such as a filter or a join, is expanded by columns.
_EXPANDED_MAX: Final = 10_000
#: If a column has several transformations from another, the last in this order counts: direct over indirect.
_RANKS: Final[Sequence[Transformation]] = (
    "indirect",
    "conditional",
    "window",
    "sort",
    "group_by",
    "filter",
    "join",
    "identity",
    "transformation",
    "aggregation",
)


def parse_column_lineage_facet(facet: Mapping[str, Any] | None, make_dataset_urn: Callable[[str, str], Urn]) -> Columns:
    """Return the column edges in the facet; `dataset` returns the URN for an OpenLineage name. Raises InvalidName."""
    if not facet or facet.get("_deleted") is True:
        return {}
    edges: dict[Pair, Transformation] = {}
    for source, target, how in _list_edges_of_facet(facet):
        key = (
            (source["namespace"], source["name"]),
            make_dataset_urn(source["namespace"], source["name"]),
            source["field"],
            target,
        )
        edges[key] = how if key not in edges else max(edges[key], how, key=_RANKS.index)
    return edges


def _list_edges_of_facet(facet: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, Transformation]]:
    fields, dataset_columns = facet.get("fields") or {}, facet.get("dataset") or ()
    for target, field in fields.items():
        older = field.get("transformationType")
        for column in field.get("inputFields") or ():
            yield column, target, _find_strongest_transformation(column.get("transformations") or (), older)
    if len(fields) * len(dataset_columns) <= _EXPANDED_MAX:
        for column in dataset_columns:
            for target in fields:
                yield (
                    column,
                    target,
                    _find_strongest_transformation(column.get("transformations") or ({"type": "INDIRECT"},), None),
                )


def _find_strongest_transformation(transformations: Sequence[Mapping[str, Any]], older: str | None) -> Transformation:
    """Return the strongest of these transformations; `older` is the member of releases before 1.2 of the facet."""
    if not transformations:
        return "identity" if (older or "").upper() == "IDENTITY" else "transformation"
    mapped = [
        _map_facet_transformation(entry.get("type") or "", entry.get("subtype") or "") for entry in transformations
    ]
    return mapped[0] if len(mapped) == 1 else max(mapped, key=_RANKS.index)


@lru_cache(maxsize=256)
def _map_facet_transformation(type_: str, subtype: str) -> Transformation:
    is_direct = (type_ or "DIRECT").upper() != "INDIRECT"
    word = subtype.lower()
    is_known = word in get_args(Transformation) and is_direct == (word in VALUE_TRANSFORMATIONS)
    return cast("Transformation", word) if is_known else "transformation" if is_direct else "indirect"
