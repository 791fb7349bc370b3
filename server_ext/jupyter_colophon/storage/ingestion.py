"""Which aspects have their present value from which run of an ingestion (datahub.md C, runId): found by the run.

It follows the system metadata of aspects in the transaction of the write; who names no run costs nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

from jupyter_colophon.storage import forms
from jupyter_colophon.storage.spi import Range, TableContext


class Ingestion(NamedTuple):
    """A run that wrote aspects which still have the value that it gave: how many, and when it wrote last (ms)."""

    run: str
    time: int
    aspects: int


class Ingested(NamedTuple):
    """An aspect that has its present value from a run, and when the run wrote it (ms)."""

    run: str
    urn: str
    aspect: str
    time: int


class Ingesting:
    """What one transaction changes of it; `finish` writes it down."""

    def __init__(self) -> None:
        #: The runs before and after, by entity and aspect.
        self._runs: dict[tuple[str, str], tuple[str | None, str | None]] = {}

    def follow(self, urn: str, aspect: str, before: str | None, after: str | None) -> None:
        """An aspect has its value from another run now, or from none: told by the runs."""
        if before is not None or after is not None:
            first, _ = self._runs.get((urn, aspect), (before, None))
            self._runs[urn, aspect] = first, after

    def finish(self, tx: TableContext, now: int) -> None:
        """Write down what has changed."""
        for (urn, aspect), (before, after) in self._runs.items():
            if before is not None and before != after:
                tx.table("ingested").delete((before, urn, aspect))
        named = [(run, urn, aspect) for (urn, aspect), (_, run) in self._runs.items() if run is not None]
        if named:
            rows = [{"run": run, "urn": urn, "aspect": aspect, "time": now} for run, urn, aspect in named]
            tx.table("ingested").upsert_all(rows)
            tx.table("ingestions").upsert_all([{"run": run, "time": now} for run in {run for run, _, _ in named}])


def run_in(system: str | None) -> str | None:
    """The run that system metadata name, as a row has them."""
    read = forms.system(system)
    return None if read is None else read.run


def runs(tx: TableContext) -> Iterator[Ingestion]:
    """Runs that wrote aspects which still have what they wrote; those that wrote last come first."""
    for row in tx.table("ingestions").scan(Range(), order="desc", order_by="time"):
        if aspects := tx.table("ingested").count([Range.prefix(row["run"])]):
            yield Ingestion(row["run"], row["time"], aspects)


def of_run(tx: TableContext, run: str, limit: int | None = None) -> Iterator[Ingested]:
    """The aspects that have what a run wrote, by URN and name."""
    for row in tx.table("ingested").scan(Range.prefix(run), limit):
        yield Ingested(row["run"], row["urn"], row["aspect"], row["time"])
