"""Several processes report runs to one catalog on PostgreSQL, and some of them are killed (decision 54)."""

import subprocess
import time
from contextlib import ExitStack, closing
from pathlib import Path

from faults import choice, shim
from faults.size import sized
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.change import Change
from support.catalog import ADA
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.postgres import create_empty_store

REPORTER = Path(__file__).with_name("reporter.py")
CLIENTS, KILLS, RUNS = sized(3, 16), sized(1, 6), sized(5, 40)


def test_killed_reporters_lose_no_acknowledged_run(tmp_path: Path) -> None:
    with create_empty_store() as store, ExitStack() as stack:

        def start(client: int) -> "subprocess.Popen[bytes]":
            command = shim.python(str(REPORTER), choice.format_choice(store), str(client), str(RUNS))
            output = stack.enter_context((tmp_path / str(client)).open("wb"))
            return subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)

        running = [start(client) for client in range(1, CLIENTS + 1)]
        for killed in range(KILLS):
            while not (tmp_path / str(killed + 1)).read_bytes():
                assert running[killed].poll() is None, running[killed].communicate()[1].decode()
                time.sleep(0.01)
            running[killed].kill()
            running.append(start(len(running) + 1))
        for number, process in enumerate(running):
            _, errors = process.communicate(timeout=sized(300, 3_600))
            assert number < KILLS or process.returncode == 0, errors.decode()
        acknowledged = [run for path in tmp_path.iterdir() for run in path.read_text().split()]
        catalog = stack.enter_context(closing(choice.open_choice(choice.format_choice(store))))
        log = _read_log(catalog)
        assert [change.seq for change in log] == list(range(1, len(log) + 1))
        ended = {change.run for change in log if change.operation == "run-end"}
        assert len(acknowledged) >= CLIENTS * RUNS
        assert ended.issuperset(acknowledged)
        assert list_integrity_issues(create_maintenance(catalog)) == []


def _read_log(catalog: Catalog) -> list[Change]:
    log: list[Change] = []
    while changes := catalog.feed.read_visible_changes(len(log), 500, {}, ADA):
        log += changes
    return log
