"""Reports of a notebook wait in a file while the server is away: they survive the kernel, and arrive once."""

import json
import stat
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.capture.observation import (
    ColumnFlow,
    DataRef,
    DatasetKind,
    Observation,
    SchemaField,
    Transformation,
)
from jupyter_colophon.capture.observation_documents import build_observation_document, parse_observation
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.programs import outbox as outbox_module
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn, make_notebook_program_urn
from jupyter_colophon.kernel import outgoing_reports
from jupyter_colophon.kernel.cells import Cell, read_time_ms
from jupyter_colophon.kernel.messages import NoticeQueue
from jupyter_colophon.kernel.orphaned_reports import send_orphaned_reports
from jupyter_colophon.kernel.recorder import Recorder
from jupyter_colophon.kernel.report_file import find_report_folder
from live import LiveServer
from support.process import start_script_process

#: A local server that is away. Local servers count as one, so another one may take the reports.
AWAY = "http://127.0.0.1:1/"
WAIT_S = 300
#: A kernel: one cell that ends, and one that still runs, each of which wrote a table.
KERNEL = """
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.kernel.cells import Cell, read_time_ms
from jupyter_colophon.kernel.messages import NoticeQueue
from jupyter_colophon.kernel.recorder import Recorder
from jupyter_colophon.capture.observation import DataRef, DatasetKind, Observation

url, notebook, database = sys.argv[1:]
recorder = Recorder(
    Operations(Transport(ServerAddress(url, "gone"))), notebook, "killed", NoticeQueue(), server=url
)
def write(table):
    urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,{database}.{table},PROD)"
    ref = DataRef(urn, DatasetKind.TABLE, None, "parquet", f"file:/w/{table}")
    recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "insert", writes=(ref,)))
running = recorder.begin_cell(Cell("running", "# running", 2))
write("half")
recorder.flush(300)
done = recorder.begin_cell(Cell("done", "# done", 1))
write("whole")
recorder.end_cell(done, succeeded=True, end_ms=read_time_ms())
print("ready", flush=True)
import time
time.sleep(600)
"""


class Away:
    """A notebook in this process whose server is away."""

    def __init__(self, catalog: Operations, database: str) -> None:
        self.path, self._database = f"{uuid.uuid4().hex}.ipynb", database
        self.catalog, self.notices = catalog, NoticeQueue()
        self.recorder = Recorder(
            Operations(Transport(ServerAddress(AWAY))), self.path, "kernel-1", self.notices, server=AWAY
        )

    def write(self, cell_id: str, table: str) -> None:
        execution = self.recorder.begin_cell(Cell(cell_id, f"# {cell_id}", 1))
        urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,{self._database}.{table},PROD)"
        ref = DataRef(urn, DatasetKind.TABLE, None, "parquet", f"file:/w/{table}")
        self.recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "insert", writes=(ref,)))
        self.recorder.end_cell(execution, succeeded=True, end_ms=read_time_ms())


def list_files() -> list[Path]:
    return outbox_module.list_outbox_files(find_report_folder())


def read_runs(catalog: Operations, notebook: str, cell_id: str = "") -> list[tuple[str, list[str]]]:
    """Return the status of each run, and the tables that it accessed."""
    program = (
        make_cell_program_urn(DEFAULT_NAMESPACE, notebook, cell_id)
        if cell_id
        else make_notebook_program_urn(DEFAULT_NAMESPACE, notebook)
    )
    return [
        (run["status"], [access["data"].split(",")[1].partition(".")[2] for access in run["accesses"]])
        for run in catalog.list_runs(program=str(program))["runs"]
    ]


@pytest.fixture
def notebook(catalog: Operations, database: str) -> Iterator[Away]:
    made = Away(catalog, database)
    yield made
    made.recorder.flush_and_end_run(0.1)


def test_reports_of_a_killed_kernel_arrive_once(
    server: LiveServer, catalog: Operations, database: str, outbox: Path
) -> None:
    notebook = f"{uuid.uuid4().hex}.ipynb"
    with start_script_process(KERNEL, AWAY, notebook, database) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        (file,) = list_files()
        assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent, outbox)] == [0o600, 0o700, 0o700]
        # While the kernel runs, its reports are its own.
        assert send_orphaned_reports(catalog, server.url).sent == 0
        # It is killed at the end.
    result = send_orphaned_reports(catalog, server.url)
    # A cell that goes on, and one with its end.
    assert (result.sent, result.dropped, result.pending, list_files()) == (2, 0, 0, [])
    assert send_orphaned_reports(catalog, server.url).sent == 0
    assert read_runs(catalog, notebook, "done") == [("succeeded", ["whole"])]
    # What its kernel could not end was killed with it.
    assert read_runs(catalog, notebook, "running") == [("killed", ["half"])]
    assert [status for status, _ in read_runs(catalog, notebook)] == ["killed"]


def test_the_next_kernel_sends_them(server: LiveServer, notebook: Away) -> None:
    notebook.write("one", "a")
    notebook.recorder.flush_and_end_run(0.1)
    assert len(list_files()) == 1
    later = Recorder(
        Operations(Transport(ServerAddress(server.url, server.token))),
        "later.ipynb",
        "k2",
        NoticeQueue(),
        server=server.url,
    )
    later.send_orphaned()
    pause = threading.Event()
    while list_files():
        pause.wait(0.05)
    assert read_runs(notebook.catalog, notebook.path, "one") == [("succeeded", ["a"])]
    assert [status for status, _ in read_runs(notebook.catalog, notebook.path)] == ["succeeded"]
    later.flush_and_end_run(1)


def test_a_batch_that_is_sent_twice_counts_once(server: LiveServer, notebook: Away) -> None:
    notebook.write("one", "a")
    notebook.recorder.flush_and_end_run(0.1)
    (file,) = list_files()
    # As after a kill between the answer of the server and the mark in the file.
    content = file.read_bytes()
    assert send_orphaned_reports(notebook.catalog, server.url).sent > 0
    before = notebook.catalog.read_changes(limit=0)["cursor"]
    file.write_bytes(content)
    assert send_orphaned_reports(notebook.catalog, server.url).sent > 0
    assert read_runs(notebook.catalog, notebook.path, "one") == [("succeeded", ["a"])]
    assert notebook.catalog.read_changes(after=before)["changes"] == []


def test_reports_for_another_server_stay(notebook: Away, catalog: Operations) -> None:
    notebook.write("one", "a")
    notebook.recorder.flush_and_end_run(0.1)
    assert send_orphaned_reports(catalog, "https://elsewhere.example/user/ada/").other_servers > 0
    assert len(list_files()) == 1
    stranger = Operations(Transport(ServerAddress(catalog.caller.server.url, "wrong")))  # type: ignore[attr-defined]
    refused = send_orphaned_reports(stranger, AWAY)
    assert (refused.sent, refused.dropped, refused.pending) == (0, 0, 2)
    assert "does not accept the token" in refused.error


def test_unreadable_reports_do_not_block_others(notebook: Away, server: LiveServer) -> None:
    notebook.write("one", "a")
    notebook.recorder.flush_and_end_run(0.1)
    (file,) = list_files()
    header, *lines = file.read_text().splitlines()
    strange = '{"key":"k","kind":"report","run":"","body":{"run":{},"observations":[],"ending":null}}'
    file.write_text("\n".join([header, strange, "{cut", *lines, ""]))
    result = send_orphaned_reports(notebook.catalog, server.url)
    assert (result.dropped, list_files()) == (2, [])
    assert read_runs(notebook.catalog, notebook.path, "one") == [("succeeded", ["a"])]


def test_what_waits_is_bounded(notebook: Away, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing_reports, "LARGEST_BACKLOG", 3)
    for number in range(6):
        notebook.write(f"cell-{number}", f"t{number}")
    notebook.recorder.flush(WAIT_S)
    notebook.recorder.flush_and_end_run(0.1)
    result = send_orphaned_reports(notebook.catalog, AWAY)
    assert (result.dropped, list_files()) == (0, [])
    # The first batch may have been under way, so it is kept; endings are kept.
    assert [read_runs(notebook.catalog, notebook.path, f"cell-{number}")[0][1] for number in range(6)] == [
        ["t0"],
        [],
        [],
        [],
        ["t4"],
        ["t5"],
    ]


def test_without_a_file_reports_wait_in_memory(notebook: Away, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("COLOPHON_OUTBOX", str(tmp_path / "taken" / "outbox"))
    notebook.write("one", "a")
    assert notebook.recorder.flush(WAIT_S) == 2
    (line,) = notebook.notices.take_lines()
    assert "is lost if the kernel stops first" in line


def test_the_notice_names_the_file(notebook: Away) -> None:
    notebook.write("one", "a")
    assert notebook.recorder.flush(WAIT_S) == 2
    (line,) = notebook.notices.take_lines()
    assert "waits in a file" in line


_NAMES = st.text(min_size=1, max_size=5)
_REFS = st.builds(
    DataRef,
    _NAMES,
    st.sampled_from(DatasetKind),
    st.none() | st.tuples(st.builds(SchemaField, _NAMES, _NAMES, st.booleans())),
    st.none() | _NAMES,
    st.none() | _NAMES,
    st.lists(_NAMES, max_size=2).map(tuple),
)
_MANY = st.lists(_REFS, max_size=2).map(tuple)


@given(
    st.builds(
        Observation,
        st.integers(0, 10),
        st.integers(0, 10),
        _NAMES,
        st.booleans(),
        st.none() | _NAMES,
        _MANY,
        _MANY,
        st.lists(
            st.builds(ColumnFlow, _NAMES, _NAMES, _NAMES, _NAMES, st.sampled_from(Transformation)), max_size=2
        ).map(tuple),
        st.lists(_NAMES, max_size=2).map(tuple),
        _MANY,
        st.none() | st.tuples(_NAMES, _NAMES),
    )
)
def test_an_observation_survives_its_document(observation: Observation) -> None:
    document = json.loads(json.dumps(build_observation_document(observation)))
    assert parse_observation(document) == observation
