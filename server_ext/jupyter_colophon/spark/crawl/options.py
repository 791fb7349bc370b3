"""What somebody asks of a crawl."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE

#: How many datasets are looked at at once, at most.
JOBS_MOST = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """A crawl. `place` is a folder or a file, or a catalog, a database or a table; `options` are Spark's readers'.

    Raises ValueError, which begins with the name of what is wrong.
    """

    place: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    #: Whether minima, maxima, means and quantiles are told.
    statistics: bool = True
    #: About how many rows are looked at; None is all.
    sample: int | None = None
    #: Whether the rows of views are looked at.
    views: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    #: Whether also what did not change is looked at.
    force: bool = False
    #: Whether nothing is looked at, nor written.
    dry: bool = False
    #: How many datasets are looked at at once.
    jobs: int = 1
    #: The namespace of the run.
    namespace: str = DEFAULT_NAMESPACE

    def __post_init__(self) -> None:
        if not 1 <= self.jobs <= JOBS_MOST:
            msg = f"jobs is from 1 to {JOBS_MOST}, not {self.jobs}"
            raise ValueError(msg)
        if self.sample is not None and self.sample < 1:
            msg = f"sample is a number of rows, not {self.sample}"
            raise ValueError(msg)
