"""Each system call of a save fails once: a clear error, the old or the new state, and the next attempt works."""

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest
from faults import shim

#: Run in one process under the shim: a round for each call that may fail, until a round without a failure.
SCRIPT = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from faults import shim
from faults.files import get_number
from jupyter_colophon.core.errors import StorageError
from support.files import build_instance_document, list_left_files_without_locks, open_instance_files

work, kinds, error = Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
#: Name, the number before, the number after; 0 is absent.
STEPS = [("a", 0, 1), ("a", 1, 2), ("b", 0, 3), ("b", 3, 0), ("a", 2, 4), ("a", 4, 0), ("a", 0, 5)]


def step(files, name, before, after):
    with files.lock_instance(name) as slot:
        if after:
            slot.write_document_atomically(build_instance_document(after), create=before == 0)
        else:
            slot.remove_file_and_return_instance()


def look(root, name):
    # The call that fails may be one of ours.
    try:
        seen = get_number(open_instance_files(root).find_instance(name))
    except StorageError:
        seen = -1
    return seen if seen >= 0 else get_number(open_instance_files(root).find_instance(name))


def attempt(nth):
    root, refused = work / str(nth), []
    root.mkdir()
    shim.fail(kinds, nth, error)
    for name, before, after in STEPS:
        try:
            step(open_instance_files(root), name, before, after)
        except StorageError as problem:
            refused.append([type(problem).__name__, problem.detail])
            now = look(root, name)
            assert now in (before, after), (name, now)
            if now == before:
                step(open_instance_files(root), name, before, after)
        assert look(root, name) == after
    seen = shim.fail(0, 0, 0)
    open_instance_files(root).remove_temporary_files_and_list_backups()
    assert list_left_files_without_locks(root) == ["a.json"], list_left_files_without_locks(root)
    print(json.dumps({"refused": refused, "seen": seen}), flush=True)
    return seen >= nth


nth = 1
while attempt(nth):
    nth += 1
"""
CALLS = {
    "open": (shim.OPEN, errno.EIO),
    "open, too many": (shim.OPEN, errno.EMFILE),
    "write, no space": (shim.WRITE, errno.ENOSPC),
    "write, no quota": (shim.WRITE, errno.EDQUOT),
    "write, broken": (shim.WRITE, errno.EIO),
    "sync": (shim.SYNC, errno.EIO),
    "rename, link, folder": (shim.NAME, errno.EIO),
    "rename, link, folder, no space": (shim.NAME, errno.ENOSPC),
    "no links": (shim.NAME, errno.EPERM),
    "unlink": (shim.UNLINK, errno.EIO),
    "notice to other programs": (shim.TRUNCATE, errno.EIO),
}


KINDS = {errno.ENOSPC: "StoreFull", errno.EDQUOT: "StoreFull", errno.EMFILE: "StoreUnavailable"}
#: A save does not depend on it.
NOT_NEEDED = shim.TRUNCATE


@pytest.mark.parametrize("call", CALLS)
def test_any_single_system_call_may_fail(tmp_path: Path, call: str) -> None:
    kinds, error = CALLS[call]
    arguments = ["-c", SCRIPT, str(Path(__file__).parents[1]), str(tmp_path), str(kinds), str(error)]
    environment = shim.environment(tmp_path)
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rounds) > 5, "too few calls were seen"
    assert rounds[-1]["refused"] == [], "the last round is one in which no call failed"
    # A failure is reported once, with its kind, and without a path.
    assert all(len(one["refused"]) <= 1 for one in rounds)
    expected = set() if kinds == NOT_NEEDED else {KINDS.get(error, "StorageError")}
    assert {problem[0] for one in rounds for problem in one["refused"]} == expected
    assert not any(str(tmp_path) in problem[1] for one in rounds for problem in one["refused"])
