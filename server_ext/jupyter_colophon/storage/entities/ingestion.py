"""Index which aspects have their present value from which ingestion run.

It follows the system metadata of aspects within the transaction of the write; a writer that names no run costs
nothing. For timeseries aspects it lists every run that wrote a value, until the aspect has no values: a value
written again by another run may have been the only one of the first run.
"""

from collections.abc import Iterator
from typing import NamedTuple

from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import Range, TableContext, TableSpec

KEY = ("run", "urn", "aspect")

#: The aspects whose present value, or a timeseries value, was written by an ingestion run, which DataHub's clients name.
INGESTED = TableSpec(
    "ingested",
    {"run": "string", "urn": "string", "aspect": "string", "time": "long"},
    KEY,
    ("urn",),
)

#: Ingestion runs with the time of their last write.
INGESTIONS = TableSpec("ingestions", {"run": "string", "time": "long"}, ("run",), ("time",))


class Ingestion(NamedTuple):
    """A run with the number of aspects that still have its value, and the time of its last write (ms)."""

    run: str
    time: int
    aspects: int


class Ingested(NamedTuple):
    """An aspect that has its present value from a run, and the time of that write (ms)."""

    run: str
    urn: str
    aspect: str
    time: int


class Ingesting:
    """Collect what one transaction changes in the index; `finish` writes it."""

    def __init__(self) -> None:
        #: The runs before and after, by entity and aspect.
        self._runs: dict[tuple[str, str], tuple[str | None, str | None]] = {}
        #: Whether timeseries values of a run exist, by run, entity and aspect.
        self._moments: dict[tuple[str, str, str], bool] = {}

    def follow(self, urn: str, aspect: str, before: str | None, after: str | None) -> None:
        """Note that an aspect has its value from another run now, or from none."""
        if before is not None or after is not None:
            first, _ = self._runs.get((urn, aspect), (before, None))
            self._runs[urn, aspect] = first, after

    def follow_moments(self, urn: str, aspect: str, run: str | None, *, exists: bool) -> None:
        """Note that a run wrote a timeseries value of an aspect, or that none of its values exists any more."""
        if run is not None:
            self._moments[run, urn, aspect] = exists

    def forget_moments(self, tx: TableContext, urn: str, aspect: str | None = None) -> None:
        """Note that all timeseries values of an aspect, or of all aspects of an entity, were deleted."""
        stored = [(row["run"], urn, row["aspect"]) for row in tx.table("ingested").scan_index("urn", urn)]
        for key in (*stored, *self._moments):
            if key[1] == urn and aspect in (None, key[2]):
                self._moments[key] = False

    def finish(self, tx: TableContext, now: int) -> None:
        """Write the collected changes."""
        deleted = [(before, *of) for of, (before, after) in self._runs.items() if before not in (None, after)]
        deleted += [key for key, exists in self._moments.items() if not exists]
        if deleted:
            tx.table("ingested").multi_delete(deleted)
        written = [(run, urn, aspect) for (urn, aspect), (_, run) in self._runs.items() if run is not None]
        written += [key for key, exists in self._moments.items() if exists]
        if written:
            rows = [dict(zip(KEY, key, strict=True)) | {"time": now} for key in written]
            tx.table("ingested").upsert_all(rows)
            tx.table("ingestions").upsert_all([{"run": run, "time": now} for run in {run for run, _, _ in written}])


def run_in(system: str | None) -> str | None:
    """Return the run that the system metadata of a row name, None if there is none."""
    read = codecs.system(system)
    return None if read is None else read.run


def runs(tx: TableContext) -> Iterator[Ingestion]:
    """Yield the runs whose values some aspects still have, latest write first."""
    for row in tx.table("ingestions").scan(Range(), order="desc", order_by="time"):
        if aspects := tx.table("ingested").count([Range.prefix(row["run"])]):
            yield Ingestion(row["run"], row["time"], aspects)


def of_run(tx: TableContext, run: str, limit: int | None = None) -> Iterator[Ingested]:
    """Yield the aspects that still have the value of a run, by URN and name."""
    for row in tx.table("ingested").scan(Range.prefix(run), limit):
        yield Ingested(row["run"], row["urn"], row["aspect"], row["time"])
