"""Index which aspects have their present value from which ingestion run.

The index is updated from the system metadata of aspects within the transaction of the write; a write without a run
costs nothing. For timeseries aspects it lists every run that wrote a value, until the aspect has no values: a value
that another run wrote again may have been the only one of the first run.
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


class IngestionRun(NamedTuple):
    """A run with the number of aspects that still have its value, and the time of its last write (ms)."""

    run: str
    time: int
    aspects: int


class IngestedAspect(NamedTuple):
    """An aspect that has its present value from a run, and the time of that write (ms)."""

    run: str
    urn: str
    aspect: str
    time: int


class IngestionIndexWriter:
    """Collect the changes of one transaction to the index; `finish` writes them."""

    def __init__(self) -> None:
        #: The runs before and after, by entity and aspect.
        self._runs: dict[tuple[str, str], tuple[str | None, str | None]] = {}
        #: Whether timeseries values of a run exist, by run, entity and aspect.
        self._timeseries: dict[tuple[str, str, str], bool] = {}

    def record_run_of_aspect(self, urn: str, aspect: str, before: str | None, after: str | None) -> None:
        """Record that an aspect now has its value from another run, or from none."""
        if before is not None or after is not None:
            first, _ = self._runs.get((urn, aspect), (before, None))
            self._runs[urn, aspect] = first, after

    def record_run_of_timeseries(self, urn: str, aspect: str, run: str | None, *, exists: bool) -> None:
        """Record that a run wrote a timeseries value of an aspect, or that no value is left."""
        if run is not None:
            self._timeseries[run, urn, aspect] = exists

    def record_timeseries_deletion(self, tx: TableContext, urn: str, aspect: str | None = None) -> None:
        """Record that all timeseries values of an aspect, or of all aspects of an entity, were deleted."""
        stored = [(row["run"], urn, row["aspect"]) for row in tx.get_table("ingested").scan_index("urn", urn)]
        for key in (*stored, *self._timeseries):
            if key[1] == urn and aspect in (None, key[2]):
                self._timeseries[key] = False

    def write_collected_changes(self, tx: TableContext, now: int) -> None:
        """Write the collected changes."""
        deleted = [(before, *of) for of, (before, after) in self._runs.items() if before not in (None, after)]
        deleted += [key for key, exists in self._timeseries.items() if not exists]
        if deleted:
            tx.get_table("ingested").delete_many(deleted)
        written = [(run, urn, aspect) for (urn, aspect), (_, run) in self._runs.items() if run is not None]
        written += [key for key, exists in self._timeseries.items() if exists]
        if written:
            rows = [{"run": run, "urn": urn, "aspect": aspect, "time": now} for run, urn, aspect in written]
            tx.get_table("ingested").upsert_many(rows)
            tx.get_table("ingestions").upsert_many(
                [{"run": run, "time": now} for run in {run for run, _, _ in written}]
            )


def get_run_of_system_metadata(system: str | None) -> str | None:
    """Return the run that the system metadata of a row name, None if there is none."""
    read = codecs.parse_system_metadata(system)
    return None if read is None else read.run


def iterate_ingestion_runs(tx: TableContext) -> Iterator[IngestionRun]:
    """Yield the runs whose values some aspects still have, latest write first."""
    for row in tx.get_table("ingestions").scan(Range(), order="desc", order_by="time"):
        if aspects := tx.get_table("ingested").count([Range.prefix(row["run"])]):
            yield IngestionRun(row["run"], row["time"], aspects)


def iterate_aspects_of_run(tx: TableContext, run: str, limit: int | None = None) -> Iterator[IngestedAspect]:
    """Yield the aspects that still have the value of a run, by URN and name."""
    for row in tx.get_table("ingested").scan(Range.prefix(run), limit):
        yield IngestedAspect(row["run"], row["urn"], row["aspect"], row["time"])
