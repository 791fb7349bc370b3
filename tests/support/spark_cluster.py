"""A standalone Spark cluster of the pip package on this machine: a master, and workers with a core each."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
from jupyter_colophon.spark.java import ensure_java

SPARK_HOME = Path(pyspark.__file__).parent
_LOOPBACK = "127.0.0.1"
#: Settings of sessions on the cluster: an executor fits in a worker, and the driver is on this machine as well.
SESSION_SETTINGS: Mapping[str, str] = {
    "spark.driver.host": _LOOPBACK,
    "spark.executor.memory": "700m",
    "spark.ui.enabled": "false",
}
_TIMEOUT_S = 300


def build_cluster_environment(folder: Path) -> dict[str, str]:
    """Return the environment of the cluster, and of programs that submit jobs to it; all files are below `folder`."""
    ensure_java()
    return os.environ | {
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": _LOOPBACK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOG_DIR": str(folder / "log"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


@contextmanager
def run_spark_cluster(folder: Path, workers: int) -> Iterator[str]:
    """Run a cluster, and yield the URL of its master when all workers are registered; logs are in `folder`."""
    port = _find_free_port()
    url = f"spark://{_LOOPBACK}:{port}"
    worker = ("worker.Worker", "--cores", "1", "--memory", "1g", "--host", _LOOPBACK, "--webui-port", "0", url)
    with ExitStack() as stack:
        master = ("master.Master", "--host", _LOOPBACK, "--port", str(port), "--webui-port", "0")
        log = stack.enter_context(_run_daemon(folder, "master", *master))
        for number in range(workers):
            stack.enter_context(_run_daemon(folder, f"worker{number}", *worker))
        wait_until(lambda: log.read_text().count("Registering worker") == workers, f"{workers} workers")
        yield url


def wait_until(is_met: Callable[[], bool], subject: str) -> None:
    """Wait until a condition is met. Raises AssertionError after the timeout."""
    deadline = time.monotonic() + _TIMEOUT_S
    while not is_met():
        assert time.monotonic() < deadline, f"timeout: {subject}"
        time.sleep(0.1)


@contextmanager
def _run_daemon(folder: Path, name: str, main: str, *arguments: str) -> Iterator[Path]:
    """Run a process of the cluster, and yield its log."""
    path = folder / f"{name}.log"
    with path.open("wb") as log:
        process = subprocess.Popen(
            [SPARK_HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{main}", *arguments],
            env=build_cluster_environment(folder),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield path
    finally:
        # An executor is in the process group of its worker.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _find_free_port() -> int:
    with socket.socket() as free:
        free.bind((_LOOPBACK, 0))
        return int(free.getsockname()[1])
