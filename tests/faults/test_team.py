"""A team uses the shared service while its processes are killed and PostgreSQL is stopped (spec FAULT-12)."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from faults.size import IS_FULL
from faults.team import Team, find_violations, wait_until_inbox_is_empty
from support.postgres import PostgresServer, create_store_in_schema
from support.service import run_service

CLIENTS, PROCESSES = 50, 2
#: Seconds of work, and between two kills.
SECONDS = float(os.environ.get("COLOPHON_KILL_SECONDS", "600"))
KILL_EVERY_S = 20.0
#: At every third kill, PostgreSQL is stopped at once too.
STOP_EVERY = 3


@pytest.mark.skipif(not IS_FULL, reason="kills processes for ten minutes: make long-service")
def test_killed_processes_lose_nothing_and_show_nothing_to_others(tmp_path: Path) -> None:
    chance, server = random.Random(5), PostgresServer()
    try:
        with create_store_in_schema(server) as store, run_service(tmp_path, store, PROCESSES) as service:
            team = Team(service, CLIENTS, 0.5)
            team.start()
            kills, end = 0, time.monotonic() + SECONDS
            while time.monotonic() < end:
                time.sleep(min(KILL_EVERY_S, max(0.1, end - time.monotonic())))
                kills += 1
                os.kill(chance.choice(service.list_workers()), signal.SIGKILL)
                if kills % STOP_EVERY == 0:
                    server.crash()
                    time.sleep(chance.uniform(0, 1))
                    server.start()
                team.wait_for_writes(3)
            team.stop()
            wait_until_inbox_is_empty(service)
            service.stop()
            sys.stdout.write(
                f"\n{kills} kills, {kills // STOP_EVERY} stops of PostgreSQL in {SECONDS:.0f} s; {team.describe()}"
            )
            assert team.list_findings() == []
            assert find_violations(team, store) == []
            assert min(team.count_writes(), sum(member.attempts for member in team.members)) > 0
    finally:
        server.stop()
