"""Several processes race for the versions of the same names, and some of them are killed."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from faults import choice, shim
from faults.linearisable import group_by_key, is_linearisable
from faults.size import sized
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from support.stores import STORES

RACER = Path(__file__).with_name("racer.py")


class Size(NamedTuple):
    """The number of clients, of names, and of operations of each client."""

    clients: int
    names: int
    operations: int


#: Enough for the checker to detect a bug.
SMALL = Size(5, 10, 120)
SIZE = Size(sized(5, 24), sized(10, 60), sized(120, 250))


def run_race(folder: Path, store: StorageChoice, size: Size, *plants: str, kills: int = 0) -> list[dict[str, Any]]:
    """Return the reports of all clients about their operations. Killed clients are replaced."""
    choice.open_choice(choice.format_choice(store)).close()
    with ExitStack() as stack:
        outputs = [stack.enter_context((folder / f"{n}.reports").open("w+")) for n in range(size.clients + kills)]

        def start(number: int) -> "subprocess.Popen[bytes]":
            many = str(size.operations), str(size.names)
            arguments = [str(RACER), choice.format_choice(store), f"c{number}", *many, str(folder), *plants]
            return subprocess.Popen(shim.python(*arguments), stdout=outputs[number], stderr=subprocess.PIPE)

        running = [start(number) for number in range(size.clients)]
        # Start together: a late client would have the names to itself.
        wait_until(lambda: len(list(folder.glob("*.ready"))) == size.clients)
        (folder / "go").touch()
        for number in range(kills):
            reports = Path(outputs[number].name)
            wait_until(lambda reports=reports: len(read_lines(reports)) >= 30)
            running[number].kill()
            running.append(start(size.clients + number))
        for number, process in enumerate(running):
            _, errors = process.communicate(timeout=sized(600, 3_600))
            assert number < kills or process.returncode == 0, errors.decode()
        return [json.loads(line) for output in outputs for line in read_lines(Path(output.name))]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + sized(300, 600)
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def read_lines(reports: Path) -> list[str]:
    return reports.read_text().split("\n")[:-1]


def find_inconsistent_keys(reports: list[dict[str, Any]]) -> list[str]:
    return [key for key, operations in group_by_key(reports).items() if not is_linearisable(operations)]


@pytest.fixture(params=sorted(STORES.keys() - {"toy"}))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageChoice]:
    """Open every store that several processes can share."""
    with STORES[request.param](tmp_path) as chosen:
        yield chosen


def test_conditional_writes_are_linearisable_under_kills(tmp_path: Path, store: StorageChoice) -> None:
    reports = run_race(tmp_path, store, SIZE, kills=3)
    assert len([one for one in reports if one.get("result") == "refused"]) > 10, "no two writes conflicted"
    assert find_inconsistent_keys(reports) == []


@pytest.mark.parametrize("bug", ["no condition", "stale condition", "stale read"])
def test_checker_detects_non_linearisable_history(tmp_path: Path, bug: str) -> None:
    # A race does not always hit the bug: with a stale condition about one of a hundred does not.
    for attempt in range(5):
        (folder := tmp_path / str(attempt)).mkdir()
        if find_inconsistent_keys(run_race(folder, choose_sqlite_store(folder / "catalog.db"), SMALL, bug)):
            return
    pytest.fail("the bug was not detected in five races")
