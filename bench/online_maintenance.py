"""Measure how long a writer and a reader wait while a store is migrated, and while its derived rows are compared and repaired.

`python bench/online_maintenance.py --folder F --size 100000 [--store postgresql]` copies a store that `growth_curves.py --fill`
has filled, and deletes the copy at the end. Both programs have processes of their own, as servers have; each begins an
operation, waits for it, and pauses.

In the copy, one document in ten lacks the term that schema version 2 introduced. The migration to that version adds the term of
softly deleted entities to these. As the entities are not deleted, `reindex` then finds and repairs the same documents.
"""

import argparse
import itertools
import logging
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path

import corpus
from bulk_fill import WHO, write_entity
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.maintenance import open_store_for_maintenance
from jupyter_colophon.storage.migrations.numbered import list_store_migrations
from jupyter_colophon.storage.migrations.runner import (
    MigrationProgress,
    apply_remaining_migrations,
    write_migration_progress,
)
from jupyter_colophon.storage.search.index import PRESENT, REMOVED
from jupyter_colophon.storage.spi import TableContext
from sized_stores import copy_store, open_stores

#: The pauses of the writer and of the reader, and how long they work without maintenance, in seconds.
WRITE_PAUSE_S, READ_PAUSE_S, ALONE_S = 0.02, 0.01, 15.0
_DOCUMENTS, _UNMARKED = 1_000, 10
#: When each operation began, and how long it took, in seconds.
Times = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Phase:
    """What was done from one moment to another, on the clock of `time.monotonic`."""

    title: str
    began: float
    ended: float

    def describe_latencies(self, times: Times) -> str:
        """Return the number of operations that began in the phase, and their median, 99th percentile and maximum in ms."""
        found = sorted(took * 1e3 for began, took in times if self.began <= began < self.ended)
        if len(found) < 2:
            return f"{len(found)}, - | - | -"
        last = statistics.quantiles(found, n=100, method="inclusive")[98]
        return f"{len(found)}, {statistics.median(found):.1f} | {last:.1f} | {found[-1]:.1f}"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    with open_stores(options.folder, options.store) as stores, copy_store(stores, options.size) as choice:
        _measure_and_print(choice, options)


def _measure_and_print(choice: StorageChoice, options: argparse.Namespace) -> None:
    unmarked = _unmark_documents(choice)
    with _run_beside(_write_for_a_while, choice, options.size) as read_writes:
        with _run_beside(_read_for_a_while, choice, options.size) as read_reads:
            phases, repaired = _maintain(choice)
            reads = read_reads()
        writes = read_writes()
    print(
        f"{options.store}, {options.size:,} entities; {unmarked:,} documents migrated, {repaired:,} differences repaired; load {os.getloadavg()[0]:.1f}\n"
    )
    head = "writes, median | p99 | longest, ms | reads, median | p99 | longest, ms"
    print(f"| beside | s | {head} |\n|---|{'---|' * 7}")
    for phase in phases:
        took = phase.ended - phase.began
        latencies = " | ".join(map(phase.describe_latencies, (writes, reads)))
        print(f"| {phase.title} | {took:.1f} | {latencies} |", flush=True)


def _unmark_documents(choice: StorageChoice) -> int:
    """Remove the terms that version 2 introduced from some documents; return their number."""
    maintenance, after, count = open_store_for_maintenance(choice, _ignore_progress), "", 0

    def change(tx: TableContext, after: str) -> tuple[str, int]:
        documents = tx.search.read_documents_after(after, _DOCUMENTS)
        chosen = documents[::_UNMARKED]
        tx.search.put_documents(*(replace(document, terms=document.terms - {PRESENT, REMOVED}) for document in chosen))
        return (documents[-1].urn if documents else ""), len(chosen)

    while True:
        after, changed = maintenance.provider.tx_runner.run(lambda tx, after=after: change(tx, after))  # type: ignore[misc]
        count += changed
        if not after:
            maintenance.close()
            return count


def _maintain(choice: StorageChoice) -> tuple[list[Phase], int]:
    """Migrate and reindex; return the phases and the number of differences."""
    maintenance = open_store_for_maintenance(choice, _ignore_progress)
    began = time.monotonic()
    time.sleep(ALONE_S)
    alone = time.monotonic()
    # The programs beside would have migrated the store when they opened it.
    maintenance.provider.tx_runner.run(lambda tx: write_migration_progress(tx, MigrationProgress(1)))
    apply_remaining_migrations(maintenance.provider, list_store_migrations(maintenance.registry))
    migrated = time.monotonic()
    repaired = maintenance.create_integrity_checker().rebuild_derived_rows()
    reindexed = time.monotonic()
    maintenance.close()
    return [
        Phase("nothing", began, alone),
        Phase("a migration", alone, migrated),
        Phase("`reindex`", migrated, reindexed),
    ], repaired


def _ignore_progress(_what: str, _steps: int) -> None:
    """Progress is printed by the command line."""


@contextmanager
def _run_beside(
    work: Callable[[StorageChoice, int, Event, Event, "SimpleQueue[Times]"], None], choice: StorageChoice, size: int
) -> Iterator[Callable[[], Times]]:
    """Run a program in a process of its own; yield a function that ends it and returns its times."""
    context = get_context("spawn")
    ready, stopped, results = context.Event(), context.Event(), context.SimpleQueue()
    process = context.Process(target=work, args=(choice, size, ready, stopped, results))
    process.start()

    def stop_and_read_times() -> Times:
        stopped.set()
        times: Times = results.get()
        return times

    try:
        while not ready.wait(1):
            assert process.is_alive(), "the process beside has ended"
        yield stop_and_read_times
        process.join()
    finally:
        process.terminate()


def _write_for_a_while(
    choice: StorageChoice, size: int, ready: Event, stopped: Event, results: "SimpleQueue[Times]"
) -> None:
    """Update one entity after the other until the event, and put the times."""
    catalog = open_or_create_catalog(choice, IdentityRules())

    def write(number: int) -> None:
        write_entity(catalog, corpus.parse_entity_urn(number), number)

    _repeat_and_put_times(catalog, write, size, WRITE_PAUSE_S, ready, stopped, results)


def _read_for_a_while(
    choice: StorageChoice, size: int, ready: Event, stopped: Event, results: "SimpleQueue[Times]"
) -> None:
    """Read one entity after the other until the event, and put the times."""
    catalog = open_or_create_catalog(choice, IdentityRules())

    def read(number: int) -> None:
        catalog.reader.read_entity(corpus.parse_entity_urn(number), None, WHO)

    _repeat_and_put_times(catalog, read, size, READ_PAUSE_S, ready, stopped, results)


def _repeat_and_put_times(
    catalog: Catalog,
    act: Callable[[int], None],
    size: int,
    pause_s: float,
    ready: Event,
    stopped: Event,
    results: "SimpleQueue[Times]",
) -> None:
    times: Times = []
    for at in itertools.count():
        began = time.monotonic()
        act(at * 7_919 % size)
        times.append((began, time.monotonic() - began))
        ready.set()
        if stopped.wait(pause_s):
            break
    catalog.close()
    results.put(times)


if __name__ == "__main__":
    main()
