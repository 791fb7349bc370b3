"""One at a time, across threads and processes."""

import json
import threading
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import StoreUnavailable
from support.files import document, files_of, left, put, save, shared_folder, user_folder
from support.process import running

COUNTING = """
import sys, threading
from pathlib import Path
from support.files import document, files_of

def count(root, times):
    files = files_of(Path(root), wait_s=60)
    for _ in range(times):
        with files.slot("a") as slot:
            slot.write(document(slot.held.document["metadata"]["number"] + 1), create=False)

threads = [threading.Thread(target=count, args=(sys.argv[1], int(sys.argv[2]))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
HOLDING = """
import sys
from pathlib import Path
from support.files import document, files_of
with files_of(Path(sys.argv[1])).slot("a") as slot:
    slot.write(document(), create=True)
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_no_change_of_eight_threads_in_two_processes_is_lost(tmp_path: Path) -> None:
    save(files_of(tmp_path), "a", document(0), create=True)
    with running(COUNTING, str(tmp_path), "25") as one, running(COUNTING, str(tmp_path), "25") as other:
        assert [one.communicate()[0], other.communicate()[0]] == ["", ""]
    assert json.loads((user_folder(tmp_path) / "a.json").read_text()) == document(200)
    assert left(tmp_path) == ["a.json"]


def test_exactly_one_of_those_who_create_at_once_succeeds(tmp_path: Path) -> None:
    creating = """
import sys
from pathlib import Path
from jupyter_colophon.core.errors import InstanceExists
from support.files import document, files_of, save
made = 0
for number in range(50):
    try:
        save(files_of(Path(sys.argv[1])), f"n{number}", document(number), create=True)
        made += 1
    except InstanceExists:
        pass
print(made)
"""
    with running(creating, str(tmp_path)) as one, running(creating, str(tmp_path)) as other:
        assert int(one.communicate()[0]) + int(other.communicate()[0]) == 50


def test_who_waits_too_long_is_told_and_others_are_not_in_the_way(tmp_path: Path) -> None:
    files = files_of(tmp_path, wait_s=0.01)
    with running(HOLDING, str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreUnavailable), files.slot("a"):
            raise AssertionError("two hold it")
        save(files, "b", document(), create=True)
        holder.communicate("\n")
        save(files, "a", document(1))


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with running(HOLDING, str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
        save(files_of(tmp_path), "a", document(1))
    assert left(tmp_path) == ["a.json"]


def test_threads_that_ask_for_one_name_wait_for_each_other_and_not_for_other_names(tmp_path: Path) -> None:
    files, inside, go = files_of(tmp_path), threading.Event(), threading.Event()

    def hold() -> None:
        with files.slot("a") as slot:
            inside.set()
            go.wait()
            slot.write(document(1), create=True)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait()
    save(files, "b", document(), create=True)
    go.set()
    with files.slot("a") as slot:
        assert slot.held is not None
        assert slot.held.document == document(1)
    holder.join()


CHANGING = """
import sys
from pathlib import Path
from jupyter_colophon.core.errors import InstanceExists, TransactionConflict
from support.files import document, files_of
with files_of(Path(sys.argv[1])).slot(sys.argv[2]) as slot:
    print("looked", flush=True)
    sys.stdin.readline()
    try:
        slot.write(document(2), create=slot.held is None)
    except (InstanceExists, TransactionConflict) as error:
        print(type(error).__name__)
"""


@pytest.mark.parametrize(("name", "told"), [("shared", "TransactionConflict"), ("new", "InstanceExists")])
def test_of_two_who_look_before_there_is_a_folder_the_second_to_write_is_told(
    tmp_path: Path, name: str, told: str
) -> None:
    put(shared_folder(tmp_path), "shared", json.dumps(document(0)))
    with running(CHANGING, str(tmp_path), name) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "looked\n"
        save(files_of(tmp_path), name, document(1), create=name == "new")
        assert other.communicate("\n")[0] == f"{told}\n"
    assert json.loads((user_folder(tmp_path) / f"{name}.json").read_text()) == document(1)
