"""Which columns are confidential, and what a profile may have of them: counts, but no values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: The tag or glossary term, in any letter case, of columns and datasets whose values are not published.
CONFIDENTIAL: Final = "confidential"
#: The aspect with statistics of columns.
PROFILE_ASPECT: Final = "datasetProfile"
#: The kinds of descriptors that mark something.
MARKING_KINDS: Final = ("tag", "term")
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
