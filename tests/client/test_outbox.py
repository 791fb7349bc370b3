"""Entries emitted without a server are stored, and sent later, in order and once."""

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
from jupyter_colophon.client.transport import ServerAddress
from live import LiveServer, run_live_kernel
from support.process import start_script_process

URN = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.{},PROD)"
#: How long sending may take on a busy machine, in seconds.
WAIT_S = 300
#: Emits one change of a table after the other, and prints each number once it is emitted.
TALKER = """
from jupyter_colophon import metadata
with metadata.run("shop.spark.talker", namespace="sales") as context:
    for number in range(int(sys.argv[2])):
        context.metadata.add_properties(sys.argv[1], {"number": str(number)})
        print(number, flush=True)
"""


#: A local server that is unavailable. Local servers count as one, so another one may take the entries.
AWAY = "http://127.0.0.1:1/"


@pytest.fixture(autouse=True)
def outbox(server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The outbox of programs whose server is unavailable; the namespace `sales` exists."""
    catalog = server.create_client()
    value = {"properties": {}, "tags": []}
    urn = URN.format("first")
    catalog.submit_proposals(
        {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "upsert", "value": value}]}
    )
    catalog.close()
    for name, reported in (("URL", AWAY), ("TOKEN", server.token), ("OUTBOX", str(tmp_path / "outbox"))):
        monkeypatch.setenv(f"COLOPHON_{name}", reported)
    return tmp_path / "outbox"


@pytest.fixture
def back(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Has the server come back."""
    return lambda: monkeypatch.setenv("COLOPHON_URL", server.url)


def numbers(server: LiveServer, table: str) -> list[str]:
    """Return the changes of a table in the order in which they were applied."""
    catalog, pause = server.create_client(), threading.Event()
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


def test_entries_emitted_without_a_server_are_delivered_later(
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
    assert (context.metadata.flush(WAIT_S), context.metadata.dropped) == (0, 0)
    assert numbers(server, "away") == [str(number) for number in range(60)]
    catalog = server.create_client()
    assert catalog.read_run(context.urn)["status"] == "succeeded"
    catalog.close()


def test_entries_of_killed_programs_are_delivered_once_in_order(
    server: LiveServer, outbox: Path, back: Callable[[], None]
) -> None:
    recorded = {}
    with (
        start_script_process(TALKER, "killed_a", "100000") as one,
        start_script_process(TALKER, "killed_b", "100000") as other,
    ):
        for name, program, count in (("killed_a", one, 70), ("killed_b", other, 40)):
            assert program.stdout is not None
            for line in program.stdout:
                recorded[name] = int(line)
                if recorded[name] >= count:
                    break
            os.kill(program.pid, signal.SIGKILL)
            for line in program.stdout:
                recorded[name] = int(line)
            program.wait()
    # A few hundred at most: more would be too many versions to look at.
    files = sorted(outbox.iterdir())
    assert len(files) == 2
    for file in files:
        lines = file.read_bytes().split(b"\n")
        file.write_bytes(b"\n".join(lines[:92]) + b'\n{"key": "torn')
    code, reported = flushed()
    assert (code, reported["sent"]) == (1, 0)
    back()
    with start_script_process(
        "import runpy\nsys.argv = ['x', 'flush', '--json']\nrunpy.run_module('jupyter_colophon.cli', run_name='__main__')"
    ) as beside:
        code, reported = flushed()
        beside.communicate(timeout=300)
    assert reported["pending"] == 0
    for name, last in recorded.items():
        found = numbers(server, name)
        # The file begins with the server and the start of the run. One entry may be stored whose number was not printed.
        kept = max(len(found), last + 1)
        assert kept <= last + 2
        assert found == [str(number) for number in range(min(kept, 90))], name
    assert list(outbox.iterdir()) == []


def test_two_living_processes_share_a_spool(server: LiveServer, outbox: Path, back: Callable[[], None]) -> None:
    with start_script_process(TALKER, "shared_a", "40") as one, start_script_process(TALKER, "shared_b", "40") as other:
        for program in (one, other):
            output, _ = program.communicate(timeout=300)
            assert program.returncode == 0, output
    assert len(list(outbox.iterdir())) == 2
    back()
    # The next program sends the orphaned entries before its own.
    with metadata.run("shop.spark.next", namespace="sales") as context:
        context.metadata.add_properties("next", {"number": "0"})
    while context.metadata.flush():
        pass
    assert [len(numbers(server, name)) for name in ("shared_a", "shared_b", "next")] == [40, 40, 1]
    assert numbers(server, "shared_a") == [str(number) for number in range(40)]


def test_flush_sends_entries_of_its_server_only(server: LiveServer, outbox: Path, back: Callable[[], None]) -> None:
    assert flushed("--url=ftp://x")[0] == 2
    emit = {"urn": URN.format("flushed"), "aspect": "businessMetadata", "operation": "annotate"}
    wrong = {**emit, "value": {"properties": {"no good": "CANARY"}}}
    fine = {**emit, "value": {"properties": {"number": "1"}}}
    mine = OutboxFile.create(outbox, "http://127.0.0.1:1/")
    for number, proposals in enumerate(([wrong], [fine], "nonsense")):
        mine.append_entry(
            OutboxEntry(f"key-{number}", "emit", "urn:li:dataProcessInstance:r", {"proposals": proposals})
        )
    mine.release_or_remove()
    for text in ('{"kind": "rm", "key": "k", "run": "r", "body": {}}\n', "[]\n", '{"key": 1}\n'):
        with mine.path.open("a") as file:
            file.write(text)
    other = OutboxFile.create(outbox, "https://team.example/hub/")
    other.append_entry(OutboxEntry("key", "emit", "urn:li:dataProcessInstance:r", {"proposals": [fine]}))
    other.release_or_remove()
    back()
    code, reported = flushed()
    assert (code, reported) == (1, {"sent": 1, "dropped": 5, "pending": 0, "otherServers": 1})
    assert numbers(server, "flushed") == ["1"]
    (kept,) = outbox.iterdir()
    assert kept == other.path
    code, reported = flushed("--all-servers")
    assert (code, reported["sent"], list(outbox.iterdir())) == (0, 1, [])


def test_invalid_token_drops_no_entry(
    server: LiveServer, back: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with start_script_process(TALKER, "token", "5") as program:
        program.communicate(timeout=300)
    back()
    monkeypatch.setenv("COLOPHON_TOKEN", "another")
    code, reported = flushed()
    assert (code, reported["dropped"], reported["pending"] > 0) == (1, 0, True)
    monkeypatch.setenv("COLOPHON_TOKEN", server.token)
    assert flushed()[0] == 0
    assert len(numbers(server, "token")) == 5


def test_kernel_sends_orphaned_entries(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = server.data / "colophon" / "outbox"
    monkeypatch.setenv("COLOPHON_OUTBOX", str(folder))
    with start_script_process(TALKER, "by_a_kernel", "5") as program:
        output, _ = program.communicate(timeout=300)
        assert program.returncode == 0, output
    (left,) = folder.iterdir()
    with run_live_kernel(server, "ships.ipynb") as kernel:
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

    def test_only_files_of_ended_processes_are_taken_over(self, tmp_path: Path) -> None:
        file = OutboxFile.create(tmp_path, "http://x/")
        entries = [self.entry(number) for number in range(5)]
        for one in entries:
            file.append_entry(one)
        assert list(claim_orphaned_files(tmp_path)) == []
        file.remove_entry(entries[1].key)
        file.remove_entry(entries[0].key)
        file.release_or_remove()
        (found,) = claim_orphaned_files(tmp_path)
        assert (found.server, found.list_pending_entries(), found.unreadable) == ("http://x/", tuple(entries[2:]), 0)
        assert list(claim_orphaned_files(tmp_path)) == []
        for one in entries[2:]:
            found.remove_entry(one.key)
        found.append_entry(entries[0])
        assert found.path.read_bytes().count(b"\n") == 2
        found.remove_entry(entries[0].key)
        found.release_or_remove()
        assert list(tmp_path.iterdir()) == []

    def test_only_a_truncated_line_is_lost(self, tmp_path: Path) -> None:
        file = OutboxFile.create(tmp_path, "http://x/")
        entries = [self.entry(number) for number in range(3)]
        for one in entries:
            file.append_entry(one)
        file.release_or_remove()
        whole = file.path.read_bytes()
        for cut in range(len(whole)):
            file.path.write_bytes(whole[:cut])
            (found,) = claim_orphaned_files(tmp_path)
            lines = whole[:cut].count(b"\n")
            is_whole = cut == 0 or whole[cut : cut + 1] == b"\n" or whole[cut - 1 : cut] == b"\n"
            assert len(found.list_pending_entries()) == max(lines - 1 + (whole[cut : cut + 1] == b"\n" and cut > 0), 0)
            assert found.unreadable == (0 if is_whole else 1)
            if len(found.list_pending_entries()) > 1:
                found.remove_entry(found.list_pending_entries()[0].key)
                left = found.list_pending_entries()
                found.release_or_remove()
                (found,) = claim_orphaned_files(tmp_path)
                assert found.list_pending_entries() == left
            found.release_or_remove()

    def test_full_file_refuses_entries_and_keeps_existing_ones(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(spooling, "LARGEST_FILE_BYTES", 300)
        sender = OutboxSender(None, tmp_path)
        with caplog.at_level(logging.WARNING):
            for number in range(10):
                sender.store_and_send_later(self.entry(number))
        assert sender.pending_count + sender.dropped_count == 10
        assert 0 < sender.pending_count < 5
        assert caplog.text.count("could not be stored") == sender.dropped_count
        sender.close()
        (found,) = claim_orphaned_files(tmp_path)
        assert [one.key for one in found.list_pending_entries()] == [f"key-{number}" for number in range(len(found))]
        found.release_or_remove()

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

    def test_local_urls_mean_the_same_server(self) -> None:
        table = [
            ("", "https://x/", True),
            ("http://127.0.0.1:8888/", "http://localhost:8889/", True),
            ("https://x/a/", "https://x/a/", True),
            ("https://x/a/", "https://x/b/", False),
            ("https://x/", "http://localhost/", False),
            ("http://localhost/", "https://x/", False),
            ("http://localhost:1/user/ada/", "http://localhost:2/user/ada/", True),
            ("http://localhost:1/user/ada/", "http://localhost:1/user/bob/", False),
        ]
        assert [spooling.is_same_server(one, other) for one, other, _ in table] == [same for *_, same in table]
        assert ServerAddress("http://localhost:1").url
