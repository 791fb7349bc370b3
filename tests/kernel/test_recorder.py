"""The record of a kernel on a real server: observations in, runs out."""

import json
import shutil
import socket
import uuid
from dataclasses import replace

import pytest
from jupyter_colophon.capture.observation import (
    ColumnFlow,
    DataRef,
    DatasetKind,
    MissingDetail,
    Observation,
    SchemaField,
    StreamProgress,
    Transformation,
)
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn, make_notebook_program_urn
from jupyter_colophon.kernel.cells import Cell, read_time_ms
from jupyter_colophon.kernel.failures import CellFailure
from jupyter_colophon.kernel.messages import NoticeQueue
from jupyter_colophon.kernel.recorder import Recorder
from live import run_live_server

#: How long sending may take on a busy machine, in seconds.
WAIT_S = 300


class Notebook:
    """One notebook with a recorder, run by hand."""

    def __init__(self, catalog, database):
        self.path = f"{uuid.uuid4().hex}.ipynb"
        self.catalog, self.database = catalog, database
        self.notices = NoticeQueue()
        self.recorder = Recorder(Operations(Transport(catalog.caller.server)), self.path, "kernel-1", self.notices)
        self._count = 0

    def urn(self, table):
        return f"urn:li:dataset:(urn:li:dataPlatform:spark,{self.database}.{table},PROD)"

    def table(self, name, fields=()):
        return DataRef(self.urn(name), DatasetKind.TABLE, fields or None, "parquet", f"file:/w/{name}")

    def begin(self, cell_id):
        self._count += 1
        return self.recorder.begin_cell(Cell(cell_id, f"# {cell_id}", self._count))

    def end(self, execution, *, succeeded=True, **more):
        self.recorder.end_cell(execution, succeeded=succeeded, end_ms=read_time_ms(), **more)

    def see(self, *, reads=(), writes=(), at=None, function="insert", **more):
        now = read_time_ms()
        seen = Observation(
            at or now, now, function, reads=tuple(map(self.table, reads)), writes=tuple(map(self.table, writes)), **more
        )
        self.recorder.add_observation(seen)

    def runs(self, cell_id):
        program = make_cell_program_urn(DEFAULT_NAMESPACE, self.path, cell_id)
        return self.catalog.list_runs(program=str(program))["runs"]

    def session_runs(self):
        return self.catalog.list_runs(program=str(make_notebook_program_urn(DEFAULT_NAMESPACE, self.path)))["runs"]


@pytest.fixture
def notebook(catalog, database):
    made = Notebook(catalog, database)
    yield made
    made.recorder.flush_and_end_run(2)


def touched(run):
    return {(access["data"], access["mode"]) for access in run["accesses"]}


def test_cell_that_accessed_data_has_a_complete_run(notebook):
    cell = notebook.begin("make")
    edge = ColumnFlow(notebook.urn("a"), "x", notebook.urn("b"), "x", Transformation.IDENTITY)
    notebook.see(reads=("a",), writes=("b",), columns=(edge,))
    notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    (run,) = notebook.runs("make")
    (session,) = notebook.session_runs()
    assert touched(run) == {(notebook.urn("a"), "read"), (notebook.urn("b"), "write")}
    assert run["status"] == "succeeded"
    assert run["end"] >= run["start"]
    assert run["facts"] == {
        "notebook": notebook.path,
        "cellId": "make",
        "sourceHash": cell.cell.source_hash,
        "executionCount": 1,
        "kernel": "kernel-1",
        "comment": "make",
    }
    assert run["parent"] == session["urn"]
    graph = notebook.catalog.read_lineage(notebook.urn("b"), columns=True)
    assert [(column["sourceField"], column["targetField"]) for column in graph["columns"]] == [("x", "x")]


SECRETS = """# Load with password hunter2
spark.read.option("password", "hunter2").load("s3a://key:hunter2@bucket/x")
spark.sql("CREATE USER x IDENTIFIED BY 'hunter2'")
"""


@pytest.mark.parametrize("with_source", [False, True])
def test_no_typed_secret_reaches_the_server(notebook, with_source):
    more = {"with_source": True} if with_source else {}
    recorder = Recorder(
        Operations(Transport(notebook.catalog.caller.server)), notebook.path, "kernel-1", notebook.notices, **more
    )
    execution = recorder.begin_cell(Cell("secret", SECRETS, 1))
    execution.step = "Load from s3a://bob:hunter2@x"
    recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "insert", writes=(notebook.table("a"),)))
    recorder.end_cell(execution, succeeded=True, end_ms=read_time_ms())
    recorder.flush_and_end_run(10)
    (run,) = notebook.runs("secret")
    assert run["facts"]["sourceHash"] == execution.cell.source_hash
    assert run["facts"]["comment"] == "Load with password ***"
    assert ("source" in run["facts"]) is with_source
    assert "hunter2" not in json.dumps(run)


def upstream(notebook, table):
    """The data that a walk meets upstream of a table."""
    graph = notebook.catalog.read_lineage(notebook.urn(table), direction="upstream", levels=5)
    return {node["name"] for node in graph["nodes"] if node["type"] == "dataset"} - {table}


def test_lineage_does_not_connect_separate_statements(notebook):
    cell = notebook.begin("both")
    notebook.see(function="count", reads=("dept",))
    notebook.see(reads=("raw",), writes=("emp",))
    notebook.see(reads=("emp",), writes=("report",))
    notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    assert [upstream(notebook, table) for table in ("emp", "report", "raw", "dept")] == [
        {"raw"},
        {"raw", "emp"},
        set(),
        set(),
    ]
    # The same again, with other statements: what ran before stays as it was.
    cell = notebook.begin("both")
    notebook.see(reads=("dept",), writes=("report",))
    notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    assert [upstream(notebook, table) for table in ("emp", "report")] == [{"raw"}, {"raw", "emp", "dept"}]
    program = str(make_cell_program_urn(DEFAULT_NAMESPACE, notebook.path, "both"))
    graph = notebook.catalog.read_lineage(program)
    ends = {(edge["source"], edge["target"]) for edge in graph["edges"]}
    reads = {(notebook.urn(table), program) for table in ("dept", "raw", "emp")}
    assert ends == reads | {(program, notebook.urn(table)) for table in ("emp", "report")}
    made = {edge["target"]: set(edge["statements"]) for edge in graph["edges"] if edge["source"] == program}
    assert len(made[notebook.urn("report")]) == 2
    assert made[notebook.urn("report")].isdisjoint(made[notebook.urn("emp")])


def test_renamed_table_keeps_its_history(notebook):
    old, new = notebook.urn("t"), notebook.urn("renamed")
    cell = notebook.begin("make")
    notebook.see(reads=("raw",), writes=("t",))
    notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    notebook.catalog.write_aspect(old, "businessMetadata", {"properties": {}, "tags": ["gold"]})
    cell = notebook.begin("rename")
    notebook.see(reads=("t",), writes=("audit",))
    edge = ColumnFlow(old, "x", new, "x", Transformation.IDENTITY)
    notebook.see(reads=("t",), writes=("renamed",), function="rename", columns=(edge,), renamed=(old, new))
    notebook.see(reads=("renamed",), writes=("report",))
    notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    assert find_entity(notebook.catalog, old) is None
    entity = find_entity(notebook.catalog, new)
    assert entity["aspects"]["businessMetadata"]["value"]["tags"] == ["gold"]
    assert entity["aspects"]["technicalMetadata"]["value"]["properties"]["format"] == "parquet"
    assert upstream(notebook, "renamed") == {"raw"}
    assert upstream(notebook, "report") == upstream(notebook, "audit") == {"raw", "renamed"}
    (run,) = notebook.runs("rename")
    assert run["facts"]["renamed"] == f"{old} → {new}"
    assert (new, "write") in touched(run)
    assert old not in {data for data, _ in touched(run)}


def test_table_recreated_under_old_name_is_a_new_entity(notebook):
    old, new = notebook.urn("t"), notebook.urn("renamed")
    fields = (SchemaField("x", "int", True),)
    for name in ("t", "renamed"):
        cell = notebook.begin(name)
        if name == "renamed":
            notebook.see(writes=("renamed",), function="rename", renamed=(old, new))
        now = read_time_ms()
        notebook.recorder.add_observation(Observation(now, now, "insert", writes=(notebook.table("t", fields),)))
        notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    for urn in (old, new):
        assert read_stored_aspect(notebook.catalog, urn, "schemaMetadata").value["fields"][0]["fieldPath"] == "x"
        assert len(notebook.catalog.list_runs(data=urn)["runs"]) == 2 - (urn == old)


def test_rename_onto_a_name_in_use_copies_and_links(notebook):
    old, new = notebook.urn("t"), notebook.urn("renamed")
    field = f"urn:li:schemaField:({old},x)"
    recorded = [
        (old, "businessMetadata", {"properties": {"owner": "ops"}, "tags": ["raw"]}),
        (old, "editableDatasetProperties", {"description": "Orders of a day"}),
        (field, "businessMetadata", {"properties": {}, "tags": ["confidential"]}),
        (new, "editableDatasetProperties", {"description": "was here before"}),
    ]
    notebook.catalog.submit_proposals(
        {
            "proposals": [
                {"urn": urn, "aspect": aspect, "operation": "upsert", "value": value} for urn, aspect, value in recorded
            ]
        }
    )
    cell = notebook.begin("rename")
    edge = ColumnFlow(old, "x", new, "x", Transformation.IDENTITY)
    notebook.see(reads=("t",), writes=("renamed",), function="rename", columns=(edge,), renamed=(old, new))
    notebook.end(cell)
    assert notebook.recorder.flush(WAIT_S) == 0
    assert read_stored_aspect(notebook.catalog, new, "businessMetadata").value == recorded[0][2]
    assert read_stored_aspect(notebook.catalog, new, "editableDatasetProperties").value == recorded[3][2]
    assert read_stored_aspect(notebook.catalog, field.replace(old, new), "businessMetadata").value["tags"] == [
        "confidential"
    ]
    for urn, name, other in ((new, "renamedFrom", old), (old, "renamedTo", new)):
        assert read_stored_aspect(notebook.catalog, urn, "technicalMetadata").value["properties"][name] == other
    assert read_stored_aspect(notebook.catalog, old, "businessMetadata").value == recorded[0][2]
    graph = notebook.catalog.read_lineage(new, direction="upstream", levels=1)
    assert old in {edge["source"] for edge in graph["edges"]}


def test_cell_without_accesses_has_no_run(notebook):
    notebook.end(notebook.begin("idle"))
    notebook.recorder.flush(WAIT_S)
    assert notebook.runs("idle") == notebook.session_runs() == []


def test_missing_lineage_is_recorded_with_the_run(notebook):
    execution = notebook.begin("blind")
    notebook.see(reads=["a"], missing=(MissingDetail.COLUMNS,))
    assert notebook.recorder.flush(WAIT_S) == 0
    notebook.see(missing=(MissingDetail.SINK, MissingDetail.COLUMNS))
    notebook.end(execution)
    assert notebook.recorder.flush(WAIT_S) == 0
    (run,) = notebook.runs("blind")
    assert run["facts"]["missingLineage"] == f"{MissingDetail.COLUMNS}; {MissingDetail.SINK}"
    assert run["status"] == "succeeded"


def test_failed_cell_has_a_failed_run_with_earlier_accesses(notebook):
    cell = notebook.begin("broken")
    notebook.see(writes=("a",))
    notebook.end(cell, succeeded=False)
    notebook.recorder.flush(WAIT_S)
    (run,) = notebook.runs("broken")
    assert (run["status"], touched(run)) == ("failed", {(notebook.urn("a"), "write")})


@pytest.mark.parametrize(("raised", "status"), [(ValueError("x"), "failed"), (KeyboardInterrupt(), "killed")])
def test_failed_statement_records_inputs_and_intended_outputs(notebook, raised, status):
    cell = notebook.begin("failing")
    notebook.see(reads=("raw",), failed=True, error="PATH_ALREADY_EXISTS", intended=(notebook.table("emp"),))
    notebook.end(cell, succeeded=False, failure=CellFailure.from_exception(raised))
    notebook.recorder.flush(WAIT_S)
    (run,) = notebook.runs("failing")
    assert (run["status"], touched(run)) == (status, {(notebook.urn("raw"), "read")})
    assert (run["intendedOutputs"], run["facts"]["error"]) == ([notebook.urn("emp")], type(raised).__name__)
    # It was not written: no entity, and no edge of lineage.
    assert notebook.catalog.read_lineage(notebook.urn("raw"), levels=5)["edges"] == [
        edge for edge in notebook.catalog.read_lineage(run["program"])["edges"] if edge["access"] == "read"
    ]
    assert find_entity(notebook.catalog, notebook.urn("emp")) is None


def test_only_failures_in_spark_have_a_run_without_accesses(notebook):
    for name, failure in (
        ("refused", CellFailure("AnalysisException", is_spark_error=True)),
        ("typo", CellFailure("NameError")),
    ):
        notebook.end(notebook.begin(name), succeeded=False, failure=failure)
    notebook.recorder.flush(WAIT_S)
    (run,) = notebook.runs("refused")
    assert (run["status"], run["facts"]["error"], run["accesses"]) == ("failed", "AnalysisException", [])
    assert notebook.runs("typo") == []


@pytest.mark.parametrize("is_over", [True, False])
def test_failed_stream_fails_the_cell_that_started_it(notebook, is_over):
    cell = notebook.begin("flow")
    if is_over:
        notebook.end(cell)
    notebook.see(
        at=cell.start_ms, function="stream", failed=True, error="FOREACH_BATCH_USER_FUNCTION_ERROR (ValueError)"
    )
    notebook.recorder.flush(WAIT_S)
    if not is_over:
        assert notebook.runs("flow")[0]["status"] == "running"
        notebook.end(cell)
        notebook.recorder.flush(WAIT_S)
    (run,) = notebook.runs("flow")
    assert (run["status"], run["facts"]["error"]) == (
        "failed",
        "a stream failed: FOREACH_BATCH_USER_FUNCTION_ERROR (ValueError)",
    )


def read_dropped(notebook, table):
    aspect = read_stored_aspect(notebook.catalog, notebook.urn(table), "technicalMetadata")
    return (aspect.value or {}).get("properties", {}).get("dropped")


def test_dropped_table_is_marked_until_it_is_written_again(notebook):
    database = notebook.urn("x").rpartition("x,")[0]
    cells = [
        ("make", [{"writes": ("a", "b", "kept")}]),
        ("drop", [{"function": "drop", "dropped": (notebook.urn("a"), notebook.urn("unknown"))}]),
        ("again", [{"writes": ("a",)}]),
        ("once more", [{"function": "drop", "dropped": (notebook.urn("a"),)}]),
        ("empty", [{"function": "create table", "created": (notebook.urn("a"), notebook.urn("unknown"))}]),
        ("all", [{"function": "drop", "dropped": (database,)}, {"writes": ("kept",)}]),
    ]
    marks = {}
    for name, seen in cells:
        cell = notebook.begin(name)
        for each in seen:
            notebook.see(**each)
        notebook.end(cell)
        assert notebook.recorder.flush(WAIT_S) == 0
        marks[name] = [read_dropped(notebook, table) is not None for table in ("a", "b", "kept")]
    assert marks == {
        "make": [False, False, False],
        "drop": [True, False, False],
        "again": [False, False, False],
        "once more": [True, False, False],
        "empty": [False, False, False],
        "all": [True, True, False],
    }
    assert find_entity(notebook.catalog, notebook.urn("unknown")) is None
    (run,) = notebook.runs("drop")
    assert (run["status"], run["accesses"]) == ("succeeded", [])


def list_stream_and_cell_runs(notebook):
    """Return the runs of a cell that started a stream, that of the stream first."""
    return sorted(notebook.runs("flow"), key=lambda run: "stream" not in run["facts"])


@pytest.mark.parametrize("error", [None, "STREAM_FAILED (ValueError)"])
def test_stream_has_run_with_its_state_below_the_cell(notebook, error):
    cell = notebook.begin("flow")
    stream = StreamProgress(str(uuid.uuid4()), cell.start_ms, "clicks")
    notebook.see(function="stream", stream=stream)
    notebook.end(cell)
    other = notebook.begin("other")
    for batch in range(3):
        progress = replace(stream, batch=batch, input_rows=5 * batch + 5)
        notebook.see(reads=("raw",), writes=("clean",), function="stream", stream=progress)
    notebook.recorder.flush(WAIT_S)
    run, started = list_stream_and_cell_runs(notebook)
    assert (run["parent"], run["status"], started["status"]) == (started["urn"], "running", "succeeded")
    assert [run["facts"][name] for name in ("stream", "streamBatch", "inputRows", "cellId")] == [
        "clicks",
        2,
        15,
        "flow",
    ]
    assert touched(run) == {(notebook.urn("raw"), "read"), (notebook.urn("clean"), "write")}
    assert touched(started) == set()
    ended = replace(progress, has_ended=True)
    notebook.see(at=cell.start_ms, function="stream", stream=ended, failed=error is not None, error=error)
    notebook.end(other)
    notebook.recorder.flush(WAIT_S)
    statuses = [each["status"] for each in notebook.runs("flow")]
    assert statuses == (["succeeded"] * 2 if error is None else ["failed"] * 2)
    assert list_stream_and_cell_runs(notebook)[0]["facts"].get("error") == (
        None if error is None else f"a stream failed: {error}"
    )
    assert notebook.runs("other") == []


def test_stream_is_killed_with_its_kernel(notebook):
    cell = notebook.begin("flow")
    notebook.see(function="stream", stream=StreamProgress(str(uuid.uuid4()), cell.start_ms))
    notebook.end(cell)
    notebook.recorder.flush_and_end_run(10)
    assert [each["status"] for each in list_stream_and_cell_runs(notebook)] == ["killed", "succeeded"]


def test_running_cell_is_reported_before_its_end(notebook):
    cell = notebook.begin("long")
    notebook.see(writes=("a",))
    notebook.recorder.flush(WAIT_S)
    (run,) = notebook.runs("long")
    assert (run["status"], run["end"]) == ("running", None)
    notebook.end(cell)
    notebook.recorder.flush(WAIT_S)
    assert notebook.runs("long")[0]["status"] == "succeeded"


def test_late_observation_is_assigned_by_its_start(notebook):
    first = notebook.begin("first")
    began = first.start_ms
    notebook.end(first)
    while read_time_ms() <= first.end_ms:
        pass
    second = notebook.begin("second")
    notebook.see(writes=("late",), at=began)
    notebook.see(writes=("own",))
    notebook.end(second)
    notebook.recorder.flush(WAIT_S)
    assert touched(notebook.runs("first")[0]) == {(notebook.urn("late"), "write")}
    assert notebook.runs("first")[0]["status"] == "succeeded"
    assert touched(notebook.runs("second")[0]) == {(notebook.urn("own"), "write")}


def test_observation_between_cells_belongs_to_the_notebook(notebook):
    notebook.see(writes=("stream",))
    notebook.recorder.flush(WAIT_S)
    assert touched(notebook.session_runs()[0]) == {(notebook.urn("stream"), "write")}


def test_the_notebooks_run_ends_with_the_kernel(notebook):
    cell = notebook.begin("make")
    notebook.see(writes=("a",))
    notebook.end(cell)
    notebook.recorder.flush_and_end_run(10)
    (session,) = notebook.session_runs()
    assert session["status"] == "succeeded"
    assert session["end"] is not None


def test_cell_running_at_kernel_end_is_killed(notebook):
    notebook.begin("long")
    notebook.see(writes=("a",))
    notebook.recorder.flush_and_end_run(10)
    assert notebook.runs("long")[0]["status"] == "killed"


def test_written_data_is_described_and_again_only_when_it_changed(notebook):
    def written_with(*names):
        cell = notebook.begin("make")
        ref = notebook.table("a", tuple(SchemaField(name, "int", True) for name in names))
        notebook.recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "insert", writes=(ref,)))
        notebook.end(cell)
        notebook.recorder.flush(WAIT_S)
        found = find_entity(notebook.catalog, notebook.urn("a"))["aspects"]
        return found["schemaMetadata"]["version"], found["technicalMetadata"]["value"]["properties"]["format"]

    assert [written_with("x"), written_with("x"), written_with("x", "y")] == [
        (1, "parquet"),
        (1, "parquet"),
        (2, "parquet"),
    ]


def test_refused_report_is_counted_and_reported_once(notebook):
    for number in range(3):
        cell = notebook.begin(f"bad-{number}")
        bad = DataRef("urn:li:nonsense", DatasetKind.TABLE, None, "parquet", None)
        notebook.recorder.add_observation(Observation(read_time_ms(), read_time_ms(), "insert", writes=(bad,)))
        notebook.end(cell)
    good = notebook.begin("good")
    notebook.see(writes=("a",))
    notebook.end(good)
    assert notebook.recorder.flush(WAIT_S) == 0
    assert touched(notebook.runs("good")[0]) == {(notebook.urn("a"), "write")}
    (line,) = notebook.notices.take_lines()
    assert line.startswith("Colophon could not record what cell bad-0 did: ")
    assert notebook.recorder.refused_count == 3


def test_report_that_no_policy_permits_is_refused_with_advice(tmp_path):
    (tmp_path / "root").mkdir()
    with run_live_server(tmp_path / "root", tmp_path / "home", "--Colophon.admins=grace") as server:
        notebook = Notebook(server.create_client(), "denied")
        cell = notebook.begin("cell")
        notebook.see(writes=("t",))
        notebook.end(cell)
        assert notebook.recorder.flush(WAIT_S) == 0
        (line,) = notebook.notices.take_lines()
        assert line.endswith("ask an administrator for access to the namespace of your notebooks")
        notebook.recorder.flush_and_end_run(5)


def test_reports_wait_while_the_server_is_unavailable(tmp_path):
    (tmp_path / "root").mkdir()
    with run_live_server(tmp_path / "root", tmp_path / "home") as server:
        notebook = Notebook(server.create_client(), "away")
        server.stop()
        for number in range(3):
            cell = notebook.begin(f"cell-{number}")
            notebook.see(writes=(f"t{number}",))
            notebook.end(cell)
        assert notebook.recorder.flush(WAIT_S) > 0
        (line,) = notebook.notices.take_lines()
        assert line.startswith("Colophon: the server http://127.0.0.1")
        assert server.token not in line

        server.start()
        assert notebook.recorder.flush(WAIT_S) == 0
        for number in range(3):
            assert touched(notebook.runs(f"cell-{number}")[0]) == {(notebook.urn(f"t{number}"), "write")}
        notebook.recorder.flush_and_end_run(5)


def test_cells_do_not_wait_for_a_server_that_never_answers(catalog):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        notebook = Notebook(catalog, "silent")
        address = ServerAddress(f"http://127.0.0.1:{silent.getsockname()[1]}/", "x" * 22)
        notebook.recorder = Recorder(Operations(Transport(address)), notebook.path, "kernel-1", notebook.notices)
        for number in range(200):
            cell = notebook.begin(f"cell-{number}")
            notebook.see(writes=(f"t{number}",))
            notebook.end(cell)
        # Not even the first request has failed.
        assert not notebook.recorder.outage_reason
        assert notebook.recorder.pending_count == 400
        notebook.recorder.flush_and_end_run(0.1)


def test_run_is_sent_again_to_a_replaced_store(tmp_path):
    (tmp_path / "root").mkdir()
    with run_live_server(tmp_path / "root", tmp_path / "home") as server:
        notebook = Notebook(server.create_client(), "replaced")
        cell = notebook.begin("long")
        notebook.see(writes=("before",))
        assert notebook.recorder.flush(WAIT_S) == 0
        server.stop()
        shutil.rmtree(server.data)
        server.start()
        notebook.see(writes=("after",))
        notebook.end(cell)
        assert notebook.recorder.flush(WAIT_S) == 0
        (run,) = notebook.runs("long")
        assert (run["status"], touched(run)) == ("succeeded", {(notebook.urn("after"), "write")})
        assert run["parent"] in {session["urn"] for session in notebook.session_runs()}
        assert notebook.notices.take_lines() == []
        notebook.recorder.flush_and_end_run(5)


def test_invalid_token_is_reported_in_one_line(server):
    stranger = Notebook(Operations(Transport(ServerAddress(server.url, "wrong"))), "stranger")
    for number in range(3):
        cell = stranger.begin(f"cell-{number}")
        stranger.see(writes=("t",))
        stranger.end(cell)
    stranger.recorder.flush(WAIT_S)
    (line,) = stranger.notices.take_lines()
    assert "does not accept the token" in line
    stranger.recorder.flush_and_end_run(2)
