"""The jobs on a standalone cluster: a master and two workers of the pip package, and an executor that is killed.

`make long-cluster` runs it. It is too slow for `make test`, so pytest does not collect it by its name.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import jupyter_colophon.cli
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.spark.java import ensure_java
from live import LiveServer
from support import servers
from support.process import list_processes

catalog, server = servers.catalog, servers.server
COUNT = 20_000
HOME = Path(pyspark.__file__).parent
COMMAND = Path(jupyter_colophon.cli.__file__).with_name("__main__.py")
TIMEOUT_S = 300


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def environment(folder: Path) -> dict[str, str]:
    ensure_java()
    return os.environ | {
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOG_DIR": str(folder / "log"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


@contextmanager
def daemon(folder: Path, name: str, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [HOME / "bin" / "spark-class", *words],
            env=environment(folder),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


def await_(expected: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not expected():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Start a cluster; yield its URL and the folder of its logs."""
    folder, port = tmp_path_factory.mktemp("cluster"), free_port()
    url = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        words = ("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port))
        stack.enter_context(daemon(folder, "master", *words, "--webui-port", str(free_port())))
        for number in range(2):
            words = ("org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "900m", "--host", "127.0.0.1")
            stack.enter_context(daemon(folder, f"worker{number}", *words, "--webui-port", str(free_port()), url))
        log = folder / "master.log"
        await_(lambda: log.read_text().count("Registering worker") == 2, "two workers")
        yield url, folder


def submit(master: tuple[str, Path], server: LiveServer, *words: str) -> "subprocess.Popen[str]":
    """Start a job on the cluster with `spark-submit`."""
    url, folder = master
    settings = {"spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.executor.memory": "700m"}
    options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    return subprocess.Popen(
        [HOME / "bin" / "spark-submit", "--master", url, *options, str(COMMAND), "jobs", *words, f"--url={server.url}"],
        env=environment(folder) | {"COLOPHON_TOKEN": server.token},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def executors(folder: Path) -> list[int]:
    mine = [(pid, command) for pid, _, command in list_processes() if "CoarseGrainedExecutorBackend" in command]
    return [pid for pid, command in mine if command.split(None, 1)[0].endswith("java") and folder.name in _place(pid)]


def _place(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def test_killed_executor_loses_and_duplicates_nothing(
    master: tuple[str, Path], server: LiveServer, catalog: Operations, tmp_path: Path
) -> None:
    urns = [f"urn:li:dataset:(urn:li:dataPlatform:spark,cluster.t{at},PROD)" for at in range(COUNT)]
    values = [f'{{"properties":{{"n":"{at % 10}"}},"tags":["bulk"]}}' for at in range(COUNT)]
    (tmp_path / "proposals").mkdir()
    for part in range(4):
        some = {"urn": urns[part::4], "aspect": ["technicalMetadata"] * (COUNT // 4), "value": values[part::4]}
        pq.write_table(pa.table(some), tmp_path / "proposals" / f"part{part}.parquet")
    began = time.monotonic()
    folder = tmp_path / "proposals"
    ingest = submit(master, server, "import", str(folder), "--job-id=cluster-1")

    def batches() -> int:
        assert ingest.poll() is None, ingest.communicate()[0]
        try:
            return int(catalog.read_load("cluster-1")["batches"])
        except RequestFailed:
            return 0

    await_(lambda: batches() >= 5, "some batches")
    running = executors(master[1])
    assert len(running) == 2
    os.kill(running[0], signal.SIGKILL)
    output = ingest.communicate(timeout=TIMEOUT_S)[0]
    assert ingest.returncode == 0, output
    took = time.monotonic() - began
    load = catalog.read_load("cluster-1")
    assert [load[name] for name in ("state", "written", "unchanged", "rejected")] == ["committed", COUNT, 0, 0]
    sys.stdout.write(f"\n{COUNT} entities in {took:.0f} s with an executor killed, {load['batches']} batches\n")

    counted = submit(master, server, "statistics", f"--output={tmp_path}/statistics")
    output = counted.communicate(timeout=TIMEOUT_S)[0]
    assert counted.returncode == 0, output
    kinds = pq.read_table(tmp_path / "statistics" / "types").to_pylist()
    assert {"namespace": "cluster", "type": "dataset", "platform": "spark", "count": COUNT} in kinds
    keys = pq.read_table(tmp_path / "statistics" / "keys").to_pylist()
    assert {"namespace": "cluster", "type": "dataset", "key": "n", "count": COUNT} in keys
