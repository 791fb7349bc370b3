"""What a crawl comes upon: datasets, and what it had to leave out."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from jupyter_colophon.spark.plans.observation import DataRef


@dataclass(frozen=True, slots=True)
class File:
    """A file of a dataset. `path` is relative to the dataset's place."""

    path: str
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Found:
    """A dataset that can be read.

    `name` is what reports call it: a path below the crawled folder, or a table. `state` changes when the data does; None
    where nobody can tell, and the data is read each time. What has no `place` is a table, read by its `table` name.
    `first` is a file of it that is not empty, from which the way to read a text is told. `bytes` is None where nobody knows.
    """

    name: str
    ref: DataRef
    state: str | None
    place: str = ""
    table: str = ""
    first: str = ""
    bytes: int | None = None
    files: int = 0
    #: What is known without reading, of a view or a table whose rows are left alone.
    schema_only: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that was met and cannot be profiled. `is_failure` where that is no choice of ours."""

    name: str
    reason: str
    is_failure: bool = True


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which datasets are meant, by globs on their names; `*` goes across folders."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __call__(self, name: str) -> bool:
        """Whether this one is."""
        return (not self.include or _fits(name, self.include)) and not self.excludes(name)

    def excludes(self, name: str) -> bool:
        """Whether it is left out, and what is below it too."""
        return _fits(name, self.exclude)


def _fits(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


Met = Found | Trouble
