"""Each system call fails once: a clear error, the old state is intact, and the next attempt works."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from faults import shim
from faults.oracle import find_violations, parse_acknowledgements
from faults.size import sized
from support.catalog import open_catalog_file

#: In the small size, only every nth call fails.
STRIDE = sized(17, 1)
#: Run in one process under the shim: forks a child for each call, so that Python starts once.
SCRIPT = """
import json, os, shutil, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from faults import shim
from faults.workload import Write
from jupyter_colophon.core.errors import MetadataError, StorageError
from support.catalog import open_catalog_file

base, work, kinds, error, stride = Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])


def attempt(nth):
    place = work / str(nth)
    place.mkdir()
    shutil.copy(base, place / "colophon.db")
    written, refused = [], []
    shim.fail(kinds, nth, error)
    catalog = None
    for number in range(6):
        try:
            catalog = catalog or open_catalog_file(place / "colophon.db")
            written.append({"number": f"f-{number}", "written": Write(f"f-{number}").apply(catalog)})
        except StorageError as problem:
            refused.append(problem.detail)
    seen = shim.fail(0, 0, 0)
    written.append({"number": "f-6", "written": Write("f-6").apply(catalog)})
    catalog.close()
    (place / "acknowledged").write_text("".join(json.dumps(one) + "\\n" for one in written))
    print(json.dumps({"nth": nth, "acknowledged": len(written), "refused": refused, "seen": seen}), flush=True)


nth = 1
while True:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        try:
            attempt(nth)
        except BaseException:
            import traceback
            print(json.dumps({"nth": nth, "broken": traceback.format_exc()}), flush=True)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as output:
        line = output.read()
    os.waitpid(child, 0)
    print(line, end="", flush=True)
    if "broken" in line or json.loads(line)["seen"] < nth:
        break
    nth += stride
"""
CALLS = {
    "open": (shim.OPEN, errno.EIO),
    "write, no space": (shim.WRITE, errno.ENOSPC),
    "write, broken": (shim.WRITE, errno.EIO),
    "sync": (shim.SYNC, errno.EIO),
    "truncate": (shim.TRUNCATE | shim.UNLINK, errno.EIO),
}


@pytest.mark.parametrize("call", CALLS)
def test_any_single_system_call_may_fail(tmp_path: Path, call: str) -> None:
    base, work = tmp_path / "base.db", tmp_path / "work"
    work.mkdir()
    open_catalog_file(base).close()
    kinds, error = CALLS[call]
    tests = str(Path(__file__).parents[1])
    arguments = ["-c", SCRIPT, tests, str(base), str(work), str(kinds), str(error), str(STRIDE)]
    done = subprocess.run(
        [sys.executable, *arguments], env=shim.environment(work), capture_output=True, text=True, timeout=900
    )
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [one["broken"] for one in rounds if "broken" in one] == []
    assert rounds[-1]["refused"] == [], "the last round is one in which no call failed"
    for one in rounds:
        # A failed call costs at most the write that it belongs to.
        assert len(one["refused"]) <= 2, one
        place = work / str(one["nth"])
        catalog = open_catalog_file(place / "colophon.db")
        assert find_violations(catalog, parse_acknowledgements((place / "acknowledged").read_text())) == []
        catalog.close()
    assert os.listdir(work), "no call failed"
