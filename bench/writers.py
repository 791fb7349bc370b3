"""Count the proposals a second that 1 to 16 processes write on PostgreSQL, each on entities of its own.

`python bench/writers.py [--seconds 5] [--processes 1 2 4 8 16]` prints a row for each number of processes.
"""

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NamedTuple

from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules, make_home_dataset_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StorageChoice

TESTS = str(Path(__file__).parents[1] / "tests")
PROCESSES, SECONDS = (1, 2, 4, 8, 16), 5.0
#: How many entities each process writes in turn.
_ENTITIES = 50


class Rate(NamedTuple):
    """Proposals a second, the CPU time of writers and server for each in ms, and how much of all processors the machine
    used meanwhile, from 0 to 1.
    """

    writes: float
    cpu_ms: float
    busy: float


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    first = 0.0
    for processes, rate in measure_rates(PROCESSES, SECONDS):
        first = first or rate.writes
        yield (
            f"proposals a second, {processes} processes on different entities, PostgreSQL",
            f"{rate.writes:.0f}, {rate.cpu_ms:.1f} ms CPU each, {rate.busy:.0%} of the processors in use",
            f"{first:.0f} (one process)",
            f"{rate.writes / first:.2f}x",
            "-",
        )


def measure_rates(numbers: Sequence[int], seconds: float) -> Iterator[tuple[int, Rate]]:
    """Yield each number of processes with its rate; all of them write to one catalog."""
    # The tests have the PostgreSQL.
    if TESTS not in sys.path:
        sys.path.append(TESTS)
    from support.postgres import create_empty_store, get_or_start_server

    server = get_or_start_server().pid
    with create_empty_store() as store:
        for number in numbers:
            yield number, _measure_rate(store, server, number, seconds)


def _measure_rate(store: StorageChoice, server: int, processes: int, seconds: float) -> Rate:
    context = get_context("spawn")
    ready, counts = context.Barrier(processes + 1), context.Queue()
    arguments = (ready, counts, seconds)
    writers = [context.Process(target=write_for_a_while, args=(store, at, *arguments)) for at in range(processes)]
    for writer in writers:
        writer.start()
    ready.wait()
    used_by = [*_list_children(server), *(writer.pid or 0 for writer in writers)]
    before, cpu_before = _read_processor_times(), _read_cpu_s(used_by)
    time.sleep(seconds)
    after, cpu_after = _read_processor_times(), _read_cpu_s(used_by)
    cpu_s = sum(cpu_after[process] - cpu_before[process] for process in cpu_after.keys() & cpu_before.keys())
    total = sum(counts.get() for _ in writers)
    for writer in writers:
        writer.join()
    used, elapsed = (now - then for now, then in zip(after, before, strict=True))
    return Rate(total / seconds, cpu_s / max(total, 1) * 1_000, used / elapsed)


def write_for_a_while(store: StorageChoice, process: int, ready: Barrier, counts: "Queue[int]", seconds: float) -> None:
    """Write without a pause, and put how many writes ended in time."""
    catalog, who = open_or_create_catalog(store, IdentityRules()), Principal("bench")
    urns = [make_home_dataset_urn("bench", f"table{process}x{at}") for at in range(_ENTITIES)]
    capture = Proposal(urns[0], "technicalMetadata", "upsert", {"properties": {}, "tags": []})
    catalog.write_path.apply_proposals_atomically([capture], who)
    for urn in urns:
        catalog.write_path.apply_proposals_atomically([Proposal(urn, "status", "upsert", {"removed": False})], who)
    ready.wait()
    end, written = time.monotonic() + seconds, 0
    for number in itertools.count():
        wish = Proposal(urns[number % _ENTITIES], "businessMetadata", "upsert", _create_value(process, number))
        catalog.write_path.apply_proposals_atomically([wish], who)
        if time.monotonic() > end:
            break
        written += 1
    counts.put(written)
    catalog.close()


def _create_value(process: int, number: int) -> dict[str, Any]:
    properties = {"owner": f"team{number % 7}", "refresh": f"{process} {number}"}
    return {"properties": properties, "tags": ["faa", f"batch{number % 5}"]}


def _list_children(process: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _read_cpu_s(processes: Sequence[int]) -> dict[int, float]:
    """Return the CPU time that each of these processes has used, in seconds, without those that ended."""
    used = {}
    for process in processes:
        with suppress(FileNotFoundError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            used[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


def _read_processor_times() -> tuple[int, int]:
    """Return the used and the elapsed time of all processors, in ticks."""
    times = [int(part) for part in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    idle = times[3] + times[4]
    return sum(times) - idle, sum(times)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--processes", type=int, nargs="+", default=list(PROCESSES))
    options = parser.parse_args()
    for processes, rate in measure_rates(options.processes, options.seconds):
        print(
            f"{processes:3} processes: {rate.writes:6.0f} proposals a second, {rate.cpu_ms:.2f} ms CPU each, {rate.busy:.0%} of {os.cpu_count()} CPUs"
        )


if __name__ == "__main__":
    main()
