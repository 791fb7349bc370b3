"""Commands in forked processes: each is a fork of a process that has already imported the program."""

import atexit
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

from support.packages import build_python_path

#: Reads requests, one JSON document per line; forks for each and reports its result.
_DRIVER = """
import atexit, gc, json, os, signal, sys, tempfile, threading, traceback
from importlib import import_module
import jsonschema  # takes a second, and words what is not valid
from jupyter_colophon import composition, maintenance
from jupyter_colophon.cli.app import COMMANDS, get_command_class_path
from jupyter_colophon.cli.instances import client, local_services, run
from jupyter_colophon.operations import in_process
from jupyter_colophon.storage import postgresql, sqlite
for name in COMMANDS:
    import_module(get_command_class_path(name).rpartition(".")[0])

def be(asked, out, err):
    signal.alarm(300)
    for file, number in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
        os.dup2(file, number)
    sys.stdin = open(0)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = ["jupyter-colophon", *asked["words"]]

def ended(main):
    # As a program ends: with what it raises, and after all that waits for its end. What is loaded is not taken down.
    status = 0
    try:
        main()
    except SystemExit as exit:
        status = exit.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush(), sys.stderr.flush()
    return status

gc.collect()
gc.freeze()
for line in sys.stdin:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if pid == 0:
            asked = json.loads(line)
            be(asked, out.fileno(), err.fileno())
            os._exit(ended(import_module(asked["module"]).main))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out.seek(0), err.seek(0)
        print(json.dumps([status, out.read().decode(), err.read().decode()]), flush=True)
"""


class ForkServer:
    """The process that forks."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process, self._one_at_a_time = process, threading.Lock()

    def __call__(
        self,
        words: tuple[str, ...],
        cwd: Path,
        environment: Mapping[str, str],
        module: str = "jupyter_colophon.cli.app",
    ) -> tuple[int, str, str]:
        """Run a command; return its exit code, its output and its errors."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"words": words, "cwd": str(cwd), "environment": dict(environment), "module": module}
        with self._one_at_a_time:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            status, out, err = json.loads(self._process.stdout.readline())
        return status, out, err


@contextmanager
def start_fork_server(*folders: Path) -> Iterator[ForkServer]:
    """Start the process; it can import from these folders."""
    process = subprocess.Popen(
        [sys.executable, "-c", _DRIVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": build_python_path(*folders), "PATH": "/usr/bin:/bin"},
    )
    try:
        yield ForkServer(process)
    finally:
        process.kill()
        process.communicate()


@lru_cache(maxsize=1)
def get_fork_server() -> ForkServer:
    """Return the process of this test session."""
    kept = ExitStack()
    atexit.register(kept.close)
    return kept.enter_context(start_fork_server())
