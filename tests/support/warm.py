"""Commands in processes of their own that need not start: each is a fork of one that has loaded the program."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from support.commands import Done
from support.packages import python_path

#: Reads requests, one JSON document a line; forks for each, and tells how it ended.
_DRIVER = """
import json, os, signal, sys, tempfile
import jsonschema  # takes a second, and words what is not valid
from jupyter_colophon.cli.instances import local, run, sources
from jupyter_colophon.cli.metadata import main

def child(asked, out, err):
    signal.alarm(100)
    os.dup2(out, 1), os.dup2(err, 2)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    status = 0
    try:
        main(asked["words"])
    except SystemExit as ended:
        status = ended.code or 0
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    sys.stdout.flush(), sys.stderr.flush()
    os._exit(status)

for line in sys.stdin:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if pid == 0:
            child(json.loads(line), out.fileno(), err.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out.seek(0), err.seek(0)
        print(json.dumps([status, out.read().decode(), err.read().decode()]), flush=True)
"""


class Warm:
    """The process that waits."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def __call__(self, words: tuple[str, ...], cwd: Path, environment: Mapping[str, str]) -> Done:
        """Have one command done by `jupyter colophon metadata`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"words": words, "cwd": str(cwd), "environment": dict(environment)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Done(*json.loads(self._process.stdout.readline()))


@contextmanager
def warmed(folder: Path) -> Iterator[Warm]:
    """The process, for as long as the block runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", _DRIVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": python_path(folder), "PATH": "/usr/bin:/bin"},
    )
    try:
        yield Warm(process)
    finally:
        process.kill()
        process.communicate()
