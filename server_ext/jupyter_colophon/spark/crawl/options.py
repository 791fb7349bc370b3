"""The options of a crawl."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE

#: Maximum number of datasets that are read in parallel.
MAX_JOBS = 64


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options of a crawl. `place` is a folder or file, or a catalog, database or table; `options` are for Spark's readers.

    Raises ValueError, whose message begins with the name of the invalid option.
    """

    place: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    #: Whether minima, maxima, means and quantiles are recorded.
    statistics: bool = True
    #: Approximate number of rows to read; None for all.
    sample: int | None = None
    #: Whether the rows of views are read.
    views: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    #: Whether unchanged datasets are read too.
    force: bool = False
    #: Whether datasets are only compared, and nothing is read or recorded.
    dry: bool = False
    #: Whether the expectations of datasets are checked.
    check: bool = False
    #: Number of datasets that are read in parallel.
    jobs: int = 1
    #: The namespace of the run.
    namespace: str = DEFAULT_NAMESPACE

    def __post_init__(self) -> None:
        if not 1 <= self.jobs <= MAX_JOBS:
            msg = f"jobs must be from 1 to {MAX_JOBS}, not {self.jobs}"
            raise ValueError(msg)
        if self.sample is not None and self.sample < 1:
            msg = f"sample must be a positive number of rows, not {self.sample}"
            raise ValueError(msg)
