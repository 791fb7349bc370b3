"""The jobs on a standalone cluster: a master and two workers of the pip package, and an executor that is killed.

`make long-cluster` runs it. It is too slow for `make test`, so pytest does not collect it by its name.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jupyter_colophon.cli
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import ClientError
from live import LiveServer
from support import servers
from support.process import list_processes
from support.spark_cluster import SESSION_SETTINGS, SPARK_HOME, build_cluster_environment, run_spark_cluster, wait_until

catalog, server = servers.catalog, servers.server
COUNT = 20_000
COMMAND = Path(jupyter_colophon.cli.__file__).with_name("__main__.py")
TIMEOUT_S = 300


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Start a cluster; yield its URL and the folder of its logs."""
    folder = tmp_path_factory.mktemp("cluster")
    with run_spark_cluster(folder, workers=2) as url:
        yield url, folder


def submit(master: tuple[str, Path], server: LiveServer, *words: str) -> "subprocess.Popen[str]":
    """Start a job on the cluster with `spark-submit`."""
    url, folder = master
    options = [word for name, value in SESSION_SETTINGS.items() for word in ("--conf", f"{name}={value}")]
    return subprocess.Popen(
        [
            SPARK_HOME / "bin" / "spark-submit",
            "--master",
            url,
            *options,
            str(COMMAND),
            "jobs",
            *words,
            f"--url={server.url}",
        ],
        env=build_cluster_environment(folder) | {"COLOPHON_TOKEN": server.token},
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
        except ClientError:
            # The load does not exist yet, or the server answers late on a busy machine.
            return 0

    wait_until(lambda: batches() >= 5, "some batches")
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
