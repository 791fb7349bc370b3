"""Locks of instances, across threads and processes."""

import json
import threading
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import StoreUnavailable
from support.files import (
    build_instance_document,
    get_shared_folder,
    get_user_folder,
    list_left_files_without_locks,
    open_instance_files,
    save_instance,
    write_file,
)
from support.process import start_script_process

COUNTING = """
import sys, threading
from pathlib import Path
from support.files import build_instance_document, open_instance_files

def count(root, times):
    files = open_instance_files(Path(root), wait_s=60)
    for _ in range(times):
        with files.lock_instance("a") as slot:
            slot.write_document_atomically(build_instance_document(slot.existing.document["metadata"]["number"] + 1), create=False)

threads = [threading.Thread(target=count, args=(sys.argv[1], int(sys.argv[2]))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
HOLDING = """
import sys
from pathlib import Path
from support.files import build_instance_document, open_instance_files
with open_instance_files(Path(sys.argv[1])).lock_instance("a") as slot:
    slot.write_document_atomically(build_instance_document(), create=True)
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_concurrent_changes_of_threads_and_processes_are_all_kept(tmp_path: Path) -> None:
    save_instance(open_instance_files(tmp_path), "a", build_instance_document(0), create=True)
    with (
        start_script_process(COUNTING, str(tmp_path), "25") as entry,
        start_script_process(COUNTING, str(tmp_path), "25") as other,
    ):
        assert [entry.communicate()[0], other.communicate()[0]] == ["", ""]
    assert json.loads((get_user_folder(tmp_path) / "a.json").read_text()) == build_instance_document(200)
    assert list_left_files_without_locks(tmp_path) == ["a.json"]


def test_exactly_one_concurrent_create_succeeds(tmp_path: Path) -> None:
    creating = """
import sys
from pathlib import Path
from jupyter_colophon.core.errors import InstanceExists
from support.files import build_instance_document, open_instance_files, save_instance
made = 0
for number in range(50):
    try:
        save_instance(open_instance_files(Path(sys.argv[1])), f"n{number}", build_instance_document(number), create=True)
        made += 1
    except InstanceExists:
        pass
print(made)
"""
    with start_script_process(creating, str(tmp_path)) as entry, start_script_process(creating, str(tmp_path)) as other:
        assert int(entry.communicate()[0]) + int(other.communicate()[0]) == 50


def test_lock_timeout_raises_and_does_not_block_other_names(tmp_path: Path) -> None:
    files = open_instance_files(tmp_path, wait_s=0.01)
    with start_script_process(HOLDING, str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreUnavailable), files.lock_instance("a"):
            raise AssertionError("two holders")
        save_instance(files, "b", build_instance_document(), create=True)
        holder.communicate("\n")
        save_instance(files, "a", build_instance_document(1))


def test_killed_process_releases_its_lock(tmp_path: Path) -> None:
    with start_script_process(HOLDING, str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
        save_instance(open_instance_files(tmp_path), "a", build_instance_document(1))
    assert list_left_files_without_locks(tmp_path) == ["a.json"]


def test_threads_wait_only_for_the_same_name(tmp_path: Path) -> None:
    files, inside, go = open_instance_files(tmp_path), threading.Event(), threading.Event()

    def hold() -> None:
        with files.lock_instance("a") as slot:
            inside.set()
            go.wait()
            slot.write_document_atomically(build_instance_document(1), create=True)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait()
    save_instance(files, "b", build_instance_document(), create=True)
    go.set()
    with files.lock_instance("a") as slot:
        assert slot.existing is not None
        assert slot.existing.document == build_instance_document(1)
    holder.join()


CHANGING = """
import sys
from pathlib import Path
from jupyter_colophon.core.errors import InstanceExists, TransactionConflict
from support.files import build_instance_document, open_instance_files
with open_instance_files(Path(sys.argv[1])).lock_instance(sys.argv[2]) as slot:
    print("looked", flush=True)
    sys.stdin.readline()
    try:
        slot.write_document_atomically(build_instance_document(2), create=slot.existing is None)
    except (InstanceExists, TransactionConflict) as error:
        print(type(error).__name__)
"""


@pytest.mark.parametrize(("name", "reported"), [("shared", "TransactionConflict"), ("new", "InstanceExists")])
def test_second_writer_in_a_new_folder_gets_conflict(tmp_path: Path, name: str, reported: str) -> None:
    write_file(get_shared_folder(tmp_path), "shared", json.dumps(build_instance_document(0)))
    with start_script_process(CHANGING, str(tmp_path), name) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "looked\n"
        save_instance(open_instance_files(tmp_path), name, build_instance_document(1), create=name == "new")
        assert other.communicate("\n")[0] == f"{reported}\n"
    assert json.loads((get_user_folder(tmp_path) / f"{name}.json").read_text()) == build_instance_document(1)
