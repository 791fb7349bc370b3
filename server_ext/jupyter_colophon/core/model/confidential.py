"""Which columns are confidential, and what a profile may have of them: counts, but no values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.quality.results import QUALITY, remove_values_from_result

#: The tag or glossary term, in any letter case, of columns and datasets whose values are not published.
CONFIDENTIAL: Final = "confidential"
#: The aspect with statistics of columns.
PROFILE_ASPECT: Final = "datasetProfile"
#: The kinds of descriptors that mark something.
MARKING_KINDS: Final = ("tag", "term")
#: The aspect with facets of OpenLineage, the facet that has statistics of columns, and its member with them.
_FACETS_ASPECT: Final = "openLineage"
_QUALITY_FACET: Final = "dataQualityMetrics"
_METRICS: Final = "columnMetrics"
#: The members of a column's metrics in OpenLineage that have no value of it.
_METRIC_COUNTS: Final = frozenset({"nullCount", "distinctCount", "count"})
#: The aspects that may have values of columns.
REVEALING_ASPECTS: Final = frozenset({PROFILE_ASPECT, _FACETS_ASPECT, QUALITY})
#: The members of a column's statistics that have no value of it.
_COUNTS: Final = frozenset({"fieldPath", "nullCount", "nullProportion", "uniqueCount", "uniqueProportion"})


@dataclass(frozen=True, slots=True)
class ConfidentialColumns:
    """The confidential columns of a dataset by their plain paths; with `all` every column is."""

    all: bool = False
    paths: frozenset[str] = frozenset()

    @classmethod
    def from_descriptors(cls, descriptors: Iterable[tuple[str, str, str]]) -> "ConfidentialColumns":
        """Create from descriptors, each given by kind, text and column ("" for the dataset itself)."""
        marked = {column for kind, text, column in descriptors if is_confidential_mark(kind, text)}
        return cls("" in marked, frozenset(marked - {""}))

    def has_column(self, path: str) -> bool:
        """Return whether a column is confidential, or is inside a confidential one."""
        return self.all or any(path == marked or path.startswith(f"{marked}.") for marked in self.paths)


def is_confidential_mark(kind: str, text: str) -> bool:
    """Return whether a descriptor marks what it describes as confidential."""
    return kind in MARKING_KINDS and text.casefold() == CONFIDENTIAL


def remove_values_from_aspect(
    aspect: str, value: Mapping[str, Any], is_confidential: Callable[[str], bool]
) -> Mapping[str, Any]:
    """Return a value of an aspect with only the counts of confidential columns."""
    if aspect == PROFILE_ASPECT:
        return remove_values_from_profile(value, is_confidential)
    if aspect == _FACETS_ASPECT:
        facets = remove_values_from_facets(value["facets"], is_confidential)
        return value if facets is value["facets"] else {**value, "facets": facets}
    if aspect == QUALITY:
        return _remove_values_from_quality(value, is_confidential)
    return value


def _remove_values_from_quality(
    quality: Mapping[str, Any], is_confidential: Callable[[str], bool]
) -> Mapping[str, Any]:
    """Return the results of checks without values of confidential columns."""
    results = {
        id_: remove_values_from_result(result) if "column" in result and is_confidential(result["column"]) else result
        for id_, result in quality["results"].items()
    }
    return {**quality, "results": results}


def remove_values_from_facets(facets: Mapping[str, Any], is_confidential: Callable[[str], bool]) -> Mapping[str, Any]:
    """Return facets of a dataset in OpenLineage with only the counts of confidential columns."""
    facet = facets.get(_QUALITY_FACET)
    metrics = facet.get(_METRICS) if isinstance(facet, Mapping) else None
    if not isinstance(facet, Mapping) or not isinstance(metrics, Mapping):
        return facets
    withheld = {column for column in metrics if is_confidential(column)}
    if not withheld:
        return facets
    columns = {column: _keep_counts(metric) if column in withheld else metric for column, metric in metrics.items()}
    return {**facets, _QUALITY_FACET: {**facet, _METRICS: columns}}


def _keep_counts(metric: Any) -> Any:
    if not isinstance(metric, Mapping):
        return {}
    return {name: value for name, value in metric.items() if name in _METRIC_COUNTS}


def list_withheld_columns(profile: Mapping[str, Any], is_confidential: Callable[[str], bool]) -> list[str]:
    """Return the paths of the confidential columns in a profile."""
    paths = (column.get("fieldPath") for column in profile.get("fieldProfiles") or ())
    return [path for path in paths if isinstance(path, str) and is_confidential(path)]


def remove_values_from_profile(profile: Mapping[str, Any], is_confidential: Callable[[str], bool]) -> Mapping[str, Any]:
    """Return a profile with only the counts of confidential columns."""
    withheld = set(list_withheld_columns(profile, is_confidential))
    if not withheld:
        return profile
    columns = [
        {name: value for name, value in column.items() if name in _COUNTS}
        if column.get("fieldPath") in withheld
        else column
        for column in profile["fieldProfiles"]
    ]
    return {**profile, "fieldProfiles": columns}
