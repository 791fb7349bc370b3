"""Build, load and control the library that intercepts system calls of a process."""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

_SOURCE = Path(__file__).with_name("shim.c")
#: The kinds of calls that can fail.
OPEN, WRITE, SYNC, TRUNCATE, UNLINK, NAME = 1, 2, 4, 8, 16, 32


@lru_cache
def library() -> Path:
    """Return the shared library, compiled once a test run by the machine's C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "the fault suite needs a C compiler: apt-get install gcc libc6-dev"
    made = Path(mkdtemp(prefix="colophon-shim-")) / "shim.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", made, _SOURCE, "-ldl", "-lpthread"], check=True, timeout=300
    )
    return made


def environment(prefix: Path, record: Path | None = None, *, names: bool = False) -> Mapping[str, str]:
    """Return the environment of a process whose file calls below `prefix` are intercepted, and recorded in `record`.

    With `names`, creating, renaming and linking files and creating folders are recorded too.
    """
    given = {"LD_PRELOAD": str(library()), "FAULT_PREFIX": str(prefix)}
    given |= {"FAULT_NAMES": "1"} if names else {}
    return os.environ | given | ({"FAULT_RECORD": str(record)} if record else {})


def fail(kinds: int, nth: int, error: int) -> int:
    """Let the nth call of these kinds fail, in a process under the shim; return the number of calls before."""
    return int(_loaded().fault_fail(kinds, ctypes.c_long(nth), error))


def shift_clock(seconds: int) -> None:
    """Shift the wall clock, and no other clock, in a process under the shim."""
    _loaded().fault_clock(ctypes.c_longlong(seconds))


def _loaded() -> ctypes.CDLL:
    loaded = ctypes.CDLL(None)
    loaded.fault_fail.restype = ctypes.c_long
    return loaded


def python(*arguments: str) -> list[str]:
    """Return a command that runs one of the scripts in this folder."""
    return [sys.executable, *arguments]
