"""Fifty clients use the shared service for hours, with faults: memory and descriptors do not grow (`make long-soak`)."""

import os
import random
import signal
import statistics
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from faults.team import Team, find_violations, wait_until_inbox_is_empty
from support.postgres import PostgresServer, create_store_in_schema
from support.service import run_service

SECONDS = float(os.environ.get("COLOPHON_SOAK_SECONDS", "7200"))
CLIENTS = 50
#: The mean pause of a client between two requests.
PAUSE_S = float(os.environ.get("COLOPHON_SOAK_PAUSE", "1"))
#: Seconds between two faults, of which every third one is a stop of PostgreSQL and the others kill a process.
FAULT_EVERY_S = 60.0
SAMPLE_EVERY_S = 5.0
#: The part of the time after which growth counts: caches fill before.
WARM_PART = 0.25
#: Growth of resident memory that is allowed, in MB an hour, and of descriptors over the whole time.
SLOPE_MAX = 1.0
DESCRIPTORS_MAX = 8


@dataclass(slots=True)
class Samples:
    """The memory (MB) and the descriptors of one process over time (hours).

    Connections of clients are not counted: when the other process is killed, its clients connect to this one.
    """

    pid: int
    port: int
    hours: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    def take(self, hours: float) -> None:
        """Take a sample."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        self.hours.append(hours)
        self.memory.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        connections = list_connections(self.pid, self.port)
        self.descriptors.append(sum(name not in connections for name in list_descriptors(self.pid)))

    def compute_slope(self) -> float:
        """Return the growth of memory in MB an hour after the first part of the time."""
        first = int(len(self.hours) * WARM_PART)
        return statistics.linear_regression(self.hours[first:], self.memory[first:]).slope

    def compute_growth_of_descriptors(self) -> int:
        """Return by how much the least number of descriptors of the last part exceeds that of the middle."""
        part = max(1, len(self.descriptors) // 4)
        return min(self.descriptors[-part:]) - min(self.descriptors[part : 2 * part])


def list_descriptors(pid: int) -> list[str]:
    """Return what the open descriptors of a process refer to."""
    names = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        # It may be closed meanwhile.
        with suppress(FileNotFoundError):
            names.append(os.readlink(path))
    return names


def list_connections(pid: int, port: int) -> set[str]:
    """Return the names of the connections of a server's clients, as the descriptors of a process name them."""
    lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return {f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}")}


def test_memory_and_descriptors_do_not_grow(tmp_path: Path) -> None:
    chance, server = random.Random(11), PostgresServer()
    try:
        with create_store_in_schema(server) as store, run_service(tmp_path, store, 2) as service:
            # One of the processes is never killed: it is the one that is measured.
            survivor = service.list_workers()[0]
            samples, team = Samples(survivor, service.port), Team(service, CLIENTS, PAUSE_S)
            team.start()
            began, faults = time.monotonic(), 0
            while (passed := time.monotonic() - began) < SECONDS:
                samples.take(passed / 3600)
                if passed > (faults + 1) * FAULT_EVERY_S and passed < SECONDS - FAULT_EVERY_S / 2:
                    faults += 1
                    if faults % 3 == 0:
                        server.crash()
                        time.sleep(chance.uniform(0, 3))
                        server.start()
                    elif others := [pid for pid in service.list_workers() if pid != survivor]:
                        os.kill(chance.choice(others), signal.SIGKILL)
                time.sleep(SAMPLE_EVERY_S)
            team.stop()
            wait_until_inbox_is_empty(service)
            samples.take((time.monotonic() - began) / 3600)
            slope, growth = samples.compute_slope(), samples.compute_growth_of_descriptors()
            sys.stdout.write(
                f"\n{SECONDS:.0f} s, {faults} faults; {team.describe()}; memory {samples.memory[0]:.0f} MB to"
                f" {samples.memory[-1]:.0f} MB, slope {slope:.2f} MB an hour; descriptors"
                f" {samples.descriptors[0]} to {samples.descriptors[-1]}"
            )
            every = max(1, len(samples.memory) // 60)
            sys.stdout.write(f"\nmemory, MB: {' '.join(f'{value:.1f}' for value in samples.memory[::every])}\n")
            service.stop()
            assert team.list_findings() == []
            assert find_violations(team, store) == []
            assert growth <= DESCRIPTORS_MAX
            assert slope < SLOPE_MAX
    finally:
        server.stop()
