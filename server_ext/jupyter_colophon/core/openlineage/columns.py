"""The facet `columnLineage`: which columns were made of which, and how."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast, get_args

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Transformation

#: A source column (what OpenLineage calls its dataset, that dataset, field) and a target field, and how it was made.
Pair = tuple[tuple[str, str], Urn, str, str]
Columns = Mapping[Pair, Transformation]
#: What a filter or a join says of the whole dataset is said of each of its columns, where that makes no more edges.
_EXPANDED_MOST: Final = 10_000
#: Of several ways in which a column was made of another, the last counts: what flows over what only steers.
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


def columns_of(facet: Mapping[str, Any] | None, dataset: Callable[[str, str], Urn]) -> Columns:
    """What the facet says; `dataset` finds what OpenLineage calls so. Raises InvalidName."""
    if not facet or facet.get("_deleted") is True:
        return {}
    found: dict[Pair, Transformation] = {}
    for told, target, how in _told(facet):
        key = ((told["namespace"], told["name"]), dataset(told["namespace"], told["name"]), told["field"], target)
        found[key] = max(found.get(key, how), how, key=_RANKS.index)
    return found


def _told(facet: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, Transformation]]:
    fields, whole = facet.get("fields") or {}, facet.get("dataset") or ()
    for target, made in fields.items():
        older = made.get("transformationType")
        for one in made.get("inputFields") or ():
            yield one, target, _how(one.get("transformations") or (), older)
    if len(fields) * len(whole) <= _EXPANDED_MOST:
        for one in whole:
            for target in fields:
                yield one, target, _how(one.get("transformations") or ({"type": "INDIRECT"},), None)


def _how(told: Sequence[Mapping[str, Any]], older: str | None) -> Transformation:
    """The strongest of the ways that are told; `older` is how releases before 1.2 of the facet tell it."""
    if not told:
        return "identity" if (older or "").upper() == "IDENTITY" else "transformation"
    return max((_one(one) for one in told), key=_RANKS.index)


def _one(told: Mapping[str, Any]) -> Transformation:
    is_direct = (told.get("type") or "DIRECT").upper() != "INDIRECT"
    word = (told.get("subtype") or "").lower()
    known = word in get_args(Transformation) and is_direct == (word in ("identity", "transformation", "aggregation"))
    return cast("Transformation", word) if known else "transformation" if is_direct else "indirect"
