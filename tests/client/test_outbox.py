"""What programs say while no server answers: kept, shipped later, in order, and done once."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.programs import outbox as spooling
from jupyter_colophon.client.programs import outbox_sender
from jupyter_colophon.client.programs.outbox import OutboxEntry, OutboxFile, claim_orphaned_files
from jupyter_colophon.client.programs.outbox_sender import OutboxSender
from jupyter_colophon.client.transport import Server
from live import LiveServer, live_kernel
from support.process import running

URN = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.{},PROD)"
#: Says one thing after the other of a table, and prints each number when it is said.
TALKER = """
from jupyter_colophon import metadata
with metadata.run("shop.spark.talker", namespace="sales") as context:
    for number in range(int(sys.argv[2])):
        context.metadata.add_properties(sys.argv[1], {"number": str(number)})
        print(number, flush=True)
"""


#: Of a server on this machine that is away. Servers of one machine are one place, so another one may take it.
AWAY = "http://127.0.0.1:1/"


@pytest.fixture(autouse=True)
def outbox(server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The outbox of programs whose server is away; the namespace `sales` is there."""
    catalog = server.catalog()
    value = {"properties": {}, "tags": []}
    urn = URN.format("first")
    catalog.submit_proposals(
        {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "upsert", "value": value}]}
    )
    catalog.close()
    for name, told in (("URL", AWAY), ("TOKEN", server.token), ("OUTBOX", str(tmp_path / "outbox"))):
        monkeypatch.setenv(f"COLOPHON_{name}", told)
    return tmp_path / "outbox"


@pytest.fixture
def back(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Has the server come back."""
    return lambda: monkeypatch.setenv("COLOPHON_URL", server.url)


def numbers(server: LiveServer, table: str) -> list[str]:
    """What was said of a table, in the order in which it was applied."""
    catalog, pause = server.catalog(), threading.Event()
    while catalog.read_health()["inbox"]["pending"]:
        pause.wait(0.01)
    catalog.close()
    path = f"colophon/api/entities/{quote(URN.format(table), safe='')}/aspects/businessMetadata/versions?limit=500"
    versions = server.call("GET", path)["versions"]
    return [one["value"]["properties"]["number"] for one in reversed(versions)]


def flushed(*options: str) -> Any:
    """What `jupyter colophon outbox flush` answers, with its exit code."""
    command = [sys.executable, "-m", "jupyter_colophon.cli", "outbox", "flush", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr
    return (done.returncode, json.loads(done.stdout)) if done.stdout else (done.returncode, done.stderr)


def test_a_program_says_on_while_the_server_is_away_and_it_arrives_when_that_is_back(
    server: LiveServer, outbox: Path, back: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_sender, "LONGEST_PAUSE_S", 1.0)
    back()
    server.kill()
    with metadata.run("shop.spark.load", namespace="sales") as context:
        try:
            for number in range(50):
                context.metadata.add_properties("away", {"number": str(number)})
            assert context.metadata.flush() == 51
            (file,) = outbox.iterdir()
            assert (file.stat().st_mode & 0o777, outbox.stat().st_mode & 0o777) == (0o600, 0o700)
        finally:
            server.start()
        pause = threading.Event()
        while context.metadata.pending:
            pause.wait(0.01)
        for number in range(50, 60):
            context.metadata.add_properties("away", {"number": str(number)})
    assert (context.metadata.flush(), context.metadata.dropped) == (0, 0)
    assert numbers(server, "away") == [str(number) for number in range(60)]
    catalog = server.catalog()
    assert catalog.read_run(context.urn)["status"] == "succeeded"
    catalog.close()


def test_of_programs_that_are_killed_everything_said_is_shipped_once_and_in_order(
    server: LiveServer, outbox: Path, back: Callable[[], None]
) -> None:
    said = {}
    with running(TALKER, "killed_a", "100000") as one, running(TALKER, "killed_b", "100000") as other:
        for name, program, count in (("killed_a", one, 70), ("killed_b", other, 40)):
            assert program.stdout is not None
            for line in program.stdout:
                said[name] = int(line)
                if said[name] >= count:
                    break
            os.kill(program.pid, signal.SIGKILL)
            for line in program.stdout:
                said[name] = int(line)
            program.wait()
    # A few hundred at most: more would be too many versions to look at.
    files = sorted(outbox.iterdir())
    assert len(files) == 2
    for file in files:
        lines = file.read_bytes().split(b"\n")
        file.write_bytes(b"\n".join(lines[:92]) + b'\n{"key": "torn')
    code, told = flushed()
    assert (code, told["sent"]) == (1, 0)
    back()
    with running(
        "import runpy\nsys.argv = ['x', 'flush', '--json']\nrunpy.run_module('jupyter_colophon.cli', run_name='__main__')"
    ) as beside:
        code, told = flushed()
        beside.communicate(timeout=300)
    assert told["pending"] == 0
    for name, last in said.items():
        found = numbers(server, name)
        # The file begins with the server and the run's beginning. One may have been kept that was not told any more.
        kept = max(len(found), last + 1)
        assert kept <= last + 2
        assert found == [str(number) for number in range(min(kept, 90))], name
    assert list(outbox.iterdir()) == []


def test_two_living_processes_share_a_spool(server: LiveServer, outbox: Path, back: Callable[[], None]) -> None:
    with running(TALKER, "shared_a", "40") as one, running(TALKER, "shared_b", "40") as other:
        for program in (one, other):
            output, _ = program.communicate(timeout=300)
            assert program.returncode == 0, output
    assert len(list(outbox.iterdir())) == 2
    back()
    # The next program ships what is left before it says anything itself.
    with metadata.run("shop.spark.next", namespace="sales") as context:
        context.metadata.add_properties("next", {"number": "0"})
    while context.metadata.flush():
        pass
    assert [len(numbers(server, name)) for name in ("shared_a", "shared_b", "next")] == [40, 40, 1]
    assert numbers(server, "shared_a") == [str(number) for number in range(40)]


def test_flush_ships_for_its_server_leaves_what_is_others_and_drops_what_cannot_be_read(
    server: LiveServer, outbox: Path, back: Callable[[], None]
) -> None:
    assert flushed("--url=ftp://x")[0] == 2
    emit = {"urn": URN.format("flushed"), "aspect": "businessMetadata", "operation": "annotate"}
    wrong = {**emit, "value": {"properties": {"no good": "CANARY"}}}
    fine = {**emit, "value": {"properties": {"number": "1"}}}
    mine = OutboxFile.create(outbox, "http://127.0.0.1:1/")
    for number, proposals in enumerate(([wrong], [fine], "nonsense")):
        mine.append(OutboxEntry(f"key-{number}", "emit", "urn:li:dataProcessInstance:r", {"proposals": proposals}))
    mine.release()
    for text in ('{"kind": "rm", "key": "k", "run": "r", "body": {}}\n', "[]\n", '{"key": 1}\n'):
        with mine.path.open("a") as file:
            file.write(text)
    other = OutboxFile.create(outbox, "https://team.example/hub/")
    other.append(OutboxEntry("key", "emit", "urn:li:dataProcessInstance:r", {"proposals": [fine]}))
    other.release()
    back()
    code, told = flushed()
    assert (code, told) == (1, {"sent": 1, "dropped": 5, "pending": 0, "otherServers": 1})
    assert numbers(server, "flushed") == ["1"]
    (kept,) = outbox.iterdir()
    assert kept == other.path
    code, told = flushed("--all-servers")
    assert (code, told["sent"], list(outbox.iterdir())) == (0, 1, [])


def test_a_token_that_is_not_good_any_more_drops_nothing(
    server: LiveServer, back: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(TALKER, "token", "5") as program:
        program.communicate(timeout=300)
    back()
    monkeypatch.setenv("COLOPHON_TOKEN", "another")
    code, told = flushed()
    assert (code, told["dropped"], told["pending"] > 0) == (1, 0, True)
    monkeypatch.setenv("COLOPHON_TOKEN", server.token)
    assert flushed()[0] == 0
    assert len(numbers(server, "token")) == 5


def test_a_kernel_ships_what_programs_left(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = server.data / "colophon" / "outbox"
    monkeypatch.setenv("COLOPHON_OUTBOX", str(folder))
    with running(TALKER, "by_a_kernel", "5") as program:
        output, _ = program.communicate(timeout=300)
        assert program.returncode == 0, output
    (left,) = folder.iterdir()
    with live_kernel(server, "ships.ipynb") as kernel:
        # In a notebook a run is the notebook's.
        code = "from jupyter_colophon import metadata\nwith metadata.run() as context: print(context.program)"
        assert "notebooks.ships.ipynb" in kernel.run(code, "a").text
        pause = threading.Event()
        while left.exists():
            pause.wait(0.05)
    assert numbers(server, "by_a_kernel") == [str(number) for number in range(5)]


class TestFile:
    def entry(self, number: int, run: str = "r") -> OutboxEntry:
        return OutboxEntry(f"key-{number}", "emit", run, {"proposals": [{"urn": f"é {number}"}]})

    def test_a_living_process_keeps_its_file_and_a_dead_ones_is_anybodys(self, tmp_path: Path) -> None:
        file = OutboxFile.create(tmp_path, "http://x/")
        entries = [self.entry(number) for number in range(5)]
        for one in entries:
            file.append(one)
        assert list(claim_orphaned_files(tmp_path)) == []
        file.done(entries[1])
        file.done(entries[0])
        file.release()
        (found,) = claim_orphaned_files(tmp_path)
        assert (found.server, found.waiting(), found.unreadable) == ("http://x/", tuple(entries[2:]), 0)
        assert list(claim_orphaned_files(tmp_path)) == []
        for one in entries[2:]:
            found.done(one)
        found.append(entries[0])
        assert found.path.read_bytes().count(b"\n") == 2
        found.done(entries[0])
        found.release()
        assert list(tmp_path.iterdir()) == []

    def test_half_a_line_is_the_only_one_that_is_lost(self, tmp_path: Path) -> None:
        file = OutboxFile.create(tmp_path, "http://x/")
        entries = [self.entry(number) for number in range(3)]
        for one in entries:
            file.append(one)
        file.release()
        whole = file.path.read_bytes()
        for cut in range(len(whole)):
            file.path.write_bytes(whole[:cut])
            (found,) = claim_orphaned_files(tmp_path)
            lines = whole[:cut].count(b"\n")
            is_whole = cut == 0 or whole[cut : cut + 1] == b"\n" or whole[cut - 1 : cut] == b"\n"
            assert len(found.waiting()) == max(lines - 1 + (whole[cut : cut + 1] == b"\n" and cut > 0), 0)
            assert found.unreadable == (0 if is_whole else 1)
            if len(found.waiting()) > 1:
                found.done(found.waiting()[0])
                left = found.waiting()
                found.release()
                (found,) = claim_orphaned_files(tmp_path)
                assert found.waiting() == left
            found.release()

    def test_a_full_file_takes_no_more_and_keeps_what_it_has(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(spooling, "LARGEST_FILE_BYTES", 300)
        sender = OutboxSender(None, tmp_path)
        with caplog.at_level(logging.WARNING):
            for number in range(10):
                sender.put(self.entry(number))
        assert sender.waiting + sender.dropped == 10
        assert 0 < sender.waiting < 5
        assert caplog.text.count("could not be stored") == sender.dropped
        sender.close()
        (found,) = claim_orphaned_files(tmp_path)
        assert [one.key for one in found.waiting()] == [f"key-{number}" for number in range(len(found))]
        found.release()

    def test_a_forked_child_has_a_file_of_its_own(self, tmp_path: Path) -> None:
        script = f"""
import os
from pathlib import Path
os.environ["COLOPHON_OUTBOX"] = {str(tmp_path)!r}
os.environ.pop("COLOPHON_URL", None)
from jupyter_colophon import metadata
with metadata.run("a.spark.parent") as parent:
    child = os.fork()
    if child == 0:
        with metadata.run("a.spark.child") as context:
            context.metadata.add_tags("t", "x")
        os._exit(0)
    os.waitpid(child, 0)
print(len(list(Path({str(tmp_path)!r}).iterdir())))
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == "2\n"

    def test_servers_of_one_machine_are_one_place_and_all_others_are_not(self) -> None:
        table = [
            ("", "https://x/", True),
            ("http://127.0.0.1:8888/", "http://localhost:8889/", True),
            ("https://x/a/", "https://x/a/", True),
            ("https://x/a/", "https://x/b/", False),
            ("https://x/", "http://localhost/", False),
            ("http://localhost/", "https://x/", False),
        ]
        assert [spooling.is_same_server(one, other) for one, other, _ in table] == [same for *_, same in table]
        assert Server("http://localhost:1").url
