"""A reader beside eight writers never sees an instance missing, empty or torn."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from faults import files
from faults.size import sized
from support.files import build_instance_document, get_user_folder, open_instance_files, save_instance
from support.process import start_script_process

WRITES = sized(60, 2_000)
NAMES = ("a", "b", "c")
#: The number of reads during the writes, however fast the writers are.
LOOKS = 20
WRITING = """
import os, sys, threading
from itertools import count
from pathlib import Path
from faults import files as faulty
from support.files import build_instance_document, open_instance_files
for bug in sys.argv[3:]:
    setattr(*faulty._BUGS[bug])
seen = Path(sys.argv[1]) / "seen"

def write(number):
    files = open_instance_files(Path(sys.argv[1]), wait_s=300)
    for step in count(1):
        if step > int(sys.argv[2]) and seen.exists():
            return
        with files.lock_instance("abc"[(number + step) % 3]) as slot:
            slot.write_document_atomically(build_instance_document(step, text="x" * (step * 997 % 30_000)), create=False)

threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@contextmanager
def writers(root: Path, times: int, *bugs: str) -> Iterator[list["subprocess.Popen[str]"]]:
    """Run two processes with four threads each, which save existing instances."""
    for name in NAMES:
        save_instance(open_instance_files(root), name, build_instance_document(0), create=True)
    with ExitStack() as stack:
        yield [stack.enter_context(start_script_process(WRITING, str(root), str(times), *bugs)) for _ in range(2)]


def seen_wrong(root: Path, processes: list["subprocess.Popen[str]"]) -> list[str]:
    """Return the invalid states that a reader in another process sees until the writers end, with our reader and with
    open().
    """
    ours, found, looks = open_instance_files(root), [], 0
    while any(process.poll() is None for process in processes):
        # Before the first write there is nothing to see.
        looks += any(files.get_number(ours.find_instance(name)) > 0 for name in NAMES)
        if looks == LOOKS:
            (root / "seen").touch()
        if ours.list_instance_names() != list(NAMES):
            found.append("not listed")
        for name in NAMES:
            if files.get_number(ours.find_instance(name)) < 0 or ours.find_instance(name) is None:
                found.append("not read")
            try:
                json.loads((get_user_folder(root) / f"{name}.json").read_text())
            except (OSError, ValueError) as error:
                found.append(type(error).__name__)
    assert looks >= LOOKS
    return found


def test_readers_always_see_whole_instances(tmp_path: Path) -> None:
    with writers(tmp_path, WRITES) as processes:
        assert seen_wrong(tmp_path, processes) == []
        assert [process.communicate()[0] for process in processes] == ["", ""]


@pytest.mark.parametrize("bug", ["in place"])
def test_checker_detects_writes_in_place(tmp_path: Path, bug: str) -> None:
    with writers(tmp_path, 20, bug) as processes:
        assert seen_wrong(tmp_path, processes) != []
