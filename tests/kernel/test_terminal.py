"""IPython in a terminal, with and without a server; the extension must not disturb it."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_colophon.kernel.orphaned_reports import send_orphaned_reports
from support.waiting import wait_for

STARTUP = Path(__file__).parents[2] / "server_ext" / "etc" / "ipython" / "startup" / "colophon.py"

WITH_SPARK = """
from jupyter_colophon.spark.session import get_session
spark = get_session("away", **{"spark.sql.shuffle.partitions": "1", "spark.driver.memory": "512m", "spark.master": "local[1]"})
"""

#: A cell that writes a file, which is reported when the shell has begun to end.
LATE = """
import atexit, threading, time
from jupyter_colophon.capture.calls import DeferredFlows, Flow
from jupyter_colophon.capture.data_capture import get_active_capture
from jupyter_colophon.capture.origins import get_file

capture, is_ending = get_active_capture(), threading.Event()
atexit.register(is_ending.set)

class LateWrite(DeferredFlows):
    function = "write"
    flow = Flow(capture.context.get_execution(), capture.context.get_time_ms(), "write", (), get_file("file:{path}", "csv"))

    def list_flows(self):
        is_ending.wait(300)
        time.sleep(0.3)
        return [self.flow]

capture.add_flows([LateWrite()])
"""


@pytest.fixture
def nowhere():
    """Return the URL of a server that does not exist."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}/"


@pytest.fixture
def ipython(tmp_path):
    def run(*cells, **environment):
        """Types cells into a fresh IPython; answers its standard output and error together, without prompts."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COLOPHON_", "JUPYTER_"))}
        given = {"IPYTHONDIR": str(tmp_path / "ipython"), "JUPYTER_DATA_DIR": str(tmp_path / "data"), **environment}
        command = [
            sys.executable,
            "-m",
            "IPython",
            "--simple-prompt",
            "--colors=nocolor",
            "--no-banner",
            "--no-confirm-exit",
        ]
        done = subprocess.run(
            command,
            input="\n".join([*cells, "exit", ""]),
            env=kept | given,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return re.sub(r"(In \[\d+\]: |   \.\.\.: )+", "", done.stdout)

    return run


def test_the_extension_loads_anywhere_and_prints_plain_text(ipython, server):
    # The first request creates the catalog.
    server.create_client().read_health(timeout_s=120)
    text = ipython(
        "%load_ext jupyter_colophon", "%metadata health", COLOPHON_URL=server.url, COLOPHON_TOKEN=server.token
    )
    assert re.search(r"catalog +ok", text)
    assert re.search(r"notebook +ipython", text)
    assert "<" not in text


def test_run_in_a_shell_has_the_program_of_its_cells(ipython):
    text = ipython(
        "from jupyter_colophon import metadata", "with metadata.run(dry_run=True) as run: print(run.program)", ""
    )
    assert "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),notebooks.ipython)" in text


def test_magics_without_a_server_explain_how_to_connect(ipython):
    text = ipython("%load_ext jupyter_colophon", "%metadata search x", "print('on')")
    assert "Not done: no server is configured" in text
    assert "on" in text.splitlines()


def test_shell_connects_to_a_named_server(ipython, server):
    text = ipython(
        "%load_ext jupyter_colophon", f"%metadata connect {server.url}", "%metadata health", COLOPHON_TOKEN=server.token
    )
    assert f"connected to {server.url} as " in text
    assert re.search(r"catalog +ok", text)


def test_token_is_not_sent_to_another_server(ipython, server, nowhere):
    text = ipython(
        "%load_ext jupyter_colophon",
        "import getpass; getpass.getpass = lambda _: 'typed'",
        f"%metadata connect {server.url}",
        COLOPHON_URL=nowhere,
        COLOPHON_TOKEN=server.token,
    )
    assert "UsageError: %metadata: the server does not accept the token" in text


def test_shell_without_a_server_is_unchanged(ipython):
    text = ipython(f"%run {STARTUP}", "'metadata' in get_ipython().magics_manager.magics['line']")
    assert "False" in text


def test_the_startup_file_never_breaks_a_shell(ipython):
    text = ipython(f"%run {STARTUP}", "print('on')", COLOPHON_URL="this is no url")
    assert "Colophon could not be loaded (ValueError)" in text
    assert "Traceback" not in text
    assert "on" in text.splitlines()


def test_loading_twice_follows_cells_once(ipython, server):
    text = ipython(
        "%load_ext jupyter_colophon",
        "%reload_ext jupyter_colophon",
        "from jupyter_colophon.kernel.provenance import Provenance",
        "print('followers:', sum(isinstance(getattr(f, '__self__', None), Provenance) for f in get_ipython().events.callbacks['pre_run_cell']))",
        COLOPHON_URL=server.url,
        COLOPHON_TOKEN=server.token,
    )
    assert "followers: 1" in text


def test_shell_that_ends_waits_until_its_last_calls_are_reported(ipython, server, catalog, tmp_path, outbox):
    path = tmp_path / "late.csv"
    (tmp_path / "late.py").write_text(LATE.format(path=path))
    environment = {"COLOPHON_URL": server.url, "COLOPHON_TOKEN": server.token, "COLOPHON_OUTBOX": str(outbox)}
    ipython("%load_ext jupyter_colophon", "%run late.py", **environment)

    def list_runs():
        # A shell that ended before the server had its reports left them in a file.
        send_orphaned_reports(catalog, server.url)
        return catalog.list_runs(data=f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)")["runs"]

    assert len(wait_for(list_runs, bool)) == 1


def test_notebook_runs_on_without_a_server_and_warns_once(ipython, nowhere):
    text = ipython(
        *WITH_SPARK.strip().splitlines(),
        "%load_ext jupyter_colophon",  # late: the session that is there is taken
        "spark.range(3).write.saveAsTable('a')",
        "spark.range(3).write.saveAsTable('b')",
        "print('rows', spark.table('b').count())",
        "%metadata tag default.a x",
        COLOPHON_URL=nowhere,
        COLOPHON_TOKEN="CANARY-token",
    )
    assert "rows 3" in text
    waits = "lineage of its cells waits in a file, and is sent when the server is available again."
    assert text.count(f"The notebook continues; {waits}") == 1
    assert text.count(f"Not done: the server {nowhere} did not answer") == 1
    assert "Traceback" not in text
    assert "CANARY" not in text
