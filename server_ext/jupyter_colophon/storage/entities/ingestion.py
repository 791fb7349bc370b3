"""Which aspects have their present value from which run of an ingestion: found by the run.

It follows the system metadata of aspects in the transaction of the write; who names no run costs nothing. Of what is
told by time it knows the runs that told of any moment, until the aspect has none: what others told anew may be all that
a run had told.
"""

from collections.abc import Iterator
from typing import NamedTuple

from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import Range, TableContext, TableSpec

KEY = ("run", "urn", "aspect")

#: The aspects whose present value, or some moment, came with a run of an ingestion: the run that DataHub's clients name.
INGESTED = TableSpec(
    "ingested",
    {"run": "string", "urn": "string", "aspect": "string", "time": "long"},
    KEY,
    ("urn",),
)

#: Those runs, by when they wrote last.
INGESTIONS = TableSpec("ingestions", {"run": "string", "time": "long"}, ("run",), ("time",))


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
        #: Whether runs told of moments, by run, entity and aspect.
        self._moments: dict[tuple[str, str, str], bool] = {}

    def follow(self, urn: str, aspect: str, before: str | None, after: str | None) -> None:
        """An aspect has its value from another run now, or from none: told by the runs."""
        if before is not None or after is not None:
            first, _ = self._runs.get((urn, aspect), (before, None))
            self._runs[urn, aspect] = first, after

    def follow_moments(self, urn: str, aspect: str, run: str | None, *, told: bool) -> None:
        """A run told of a moment of an aspect, or nothing of it is there any more."""
        if run is not None:
            self._moments[run, urn, aspect] = told

    def forget_moments(self, tx: TableContext, urn: str, aspect: str | None = None) -> None:
        """Of an aspect that is told by time, or of all aspects of an entity, nothing is there any more."""
        stored = [(row["run"], urn, row["aspect"]) for row in tx.table("ingested").scan_index("urn", urn)]
        for key in (*stored, *self._moments):
            if key[1] == urn and aspect in (None, key[2]):
                self._moments[key] = False

    def finish(self, tx: TableContext, now: int) -> None:
        """Write down what has changed."""
        gone = [(before, *of) for of, (before, after) in self._runs.items() if before not in (None, after)]
        gone += [key for key, told in self._moments.items() if not told]
        if gone:
            tx.table("ingested").multi_delete(gone)
        named = [(run, urn, aspect) for (urn, aspect), (_, run) in self._runs.items() if run is not None]
        named += [key for key, told in self._moments.items() if told]
        if named:
            rows = [dict(zip(KEY, key, strict=True)) | {"time": now} for key in named]
            tx.table("ingested").upsert_all(rows)
            tx.table("ingestions").upsert_all([{"run": run, "time": now} for run in {run for run, _, _ in named}])


def run_in(system: str | None) -> str | None:
    """The run that system metadata name, as a row has them."""
    read = codecs.system(system)
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
