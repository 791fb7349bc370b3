"""The library that stands between a process and the disk: how it is built, loaded and told what to do."""

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
#: The kinds of calls that can be made to fail.
OPEN, WRITE, SYNC, TRUNCATE, UNLINK, NAME = 1, 2, 4, 8, 16, 32


@lru_cache
def library() -> Path:
    """The shared library, compiled once a test run by the machine's C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "the fault suite needs a C compiler: apt-get install gcc libc6-dev"
    made = Path(mkdtemp(prefix="colophon-shim-")) / "shim.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", made, _SOURCE, "-ldl", "-lpthread"], check=True, timeout=300
    )
    return made


def environment(prefix: Path, record: Path | None = None, *, names: bool = False) -> Mapping[str, str]:
    """The environment of a process whose files below `prefix` are watched, and written down in `record`; with `names`
    also how files are created, renamed and linked, and which folders are made."""
    given = {"LD_PRELOAD": str(library()), "FAULT_PREFIX": str(prefix)}
    given |= {"FAULT_NAMES": "1"} if names else {}
    return os.environ | given | ({"FAULT_RECORD": str(record)} if record else {})


def fail(kinds: int, nth: int, error: int) -> int:
    """In a process under the shim: let the nth call of these kinds fail. Returns how many calls were seen before."""
    return int(_loaded().fault_fail(kinds, ctypes.c_long(nth), error))


def shift_clock(seconds: int) -> None:
    """In a process under the shim: move the wall clock away from the truth, and it alone."""
    _loaded().fault_clock(ctypes.c_longlong(seconds))


def _loaded() -> ctypes.CDLL:
    loaded = ctypes.CDLL(None)
    loaded.fault_fail.restype = ctypes.c_long
    return loaded


def python(*arguments: str) -> list[str]:
    """A command that runs one of the scripts of this folder."""
    return [sys.executable, *arguments]
