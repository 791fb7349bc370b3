"""The results of a walk: datasets, and places that cannot be profiled."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from jupyter_colophon.capture.observation import DataRef


@dataclass(frozen=True, slots=True)
class CrawledFile:
    """A file of a dataset. `path` is relative to the dataset's folder."""

    path: str
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class FoundDataset:
    """A dataset that can be read.

    `name` is used in reports: a path below the crawled folder, or a table. `state` changes when the data changes; if it is
    None, changes cannot be detected and the data is read each time. A dataset without `path` is a table, read by its `table`
    name. `first` is a non-empty file of it, from which text options are detected. `bytes` is None if unknown.
    """

    name: str
    ref: DataRef
    state: str | None
    path: str = ""
    table: str = ""
    first: str = ""
    bytes: int | None = None
    files: int = 0
    #: Whether only the schema is recorded, as for a view.
    schema_only: bool = False


@dataclass(frozen=True, slots=True)
class CrawlIssue:
    """A place that cannot be profiled. `is_failure` is False if it is skipped by design."""

    name: str
    reason: str
    is_failure: bool = True


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Selection of datasets by globs on their names; `*` also matches slashes."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __call__(self, name: str) -> bool:
        """Return whether a dataset is selected."""
        return (not self.include or _matches_any(name, self.include)) and not self.is_excluded(name)

    def is_excluded(self, name: str) -> bool:
        """Return whether a name, and everything below it, is excluded."""
        return _matches_any(name, self.exclude)


def _matches_any(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


Discovered = FoundDataset | CrawlIssue
