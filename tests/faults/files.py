"""Writers of instance files for the fault suite, and checks of what they wrote.

As a script: threads save and remove instances, each its own, and report before and after each change.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.storage import fsync
from jupyter_colophon.storage.files import filenames, saving
from jupyter_colophon.storage.files.instances import InstanceFiles, LockedInstance
from support.files import build_instance_document, get_user_folder, list_left_files_without_locks, open_instance_files

#: The number of instances of a thread.
NAMES = 3
FOUND = "folder found"
Report = Callable[[str, str, int], None]


def write_on(files: InstanceFiles, thread: str, start: int, most: int, filling: int, report: Report) -> None:
    """Save instances under increasing numbers, and remove every seventh; with `most` 0 without end."""
    for number in count(start):
        if most and number >= start + most:
            return
        name = f"{thread}-{number % NAMES}"
        with files.lock_instance(name) as slot:
            is_removal = number % 7 == 6 and slot.existing is not None
            new_number = 0 if is_removal else number
            report("begun", name, new_number)
            if is_removal:
                slot.remove_file_and_return_instance()
            else:
                slot.write_document_atomically(
                    build_instance_document(number, text="x" * filling), create=slot.existing is None
                )
            report("done", name, new_number)


def get_number(held: StoredInstance | None) -> int:
    """Return the number under which an instance was saved, 0 if there is none, -1 if it is not completely readable."""
    if held is None:
        return 0
    if held.document is None:
        return -1
    return int(held.document["metadata"]["number"])


def find_problems(root: Path, reports: str) -> list[str]:
    """Return the problems after a fault: each instance must have its last completed state, or one begun since."""
    expected: dict[str, set[int]] = {}
    for line in reports.splitlines():
        what, name, number = json.loads(line)
        before = expected.setdefault(name, {0})
        expected[name] = before | {number} if what == "begun" else {number}
    files = open_instance_files(root)
    found = {name: get_number(files.find_instance(name)) for name in expected}
    problems = [
        f"{name} is {found[name]}, not one of {sorted(expected[name])}"
        for name in expected
        if found[name] not in expected[name]
    ]
    problems += [
        f"{name} is not listed" for name in expected if found[name] > 0 and name not in files.list_instance_names()
    ]
    files.remove_temporary_files_and_list_backups()
    if get_user_folder(root).exists():
        problems += [
            f"{file} is left"
            for file in list_left_files_without_locks(root)
            if filenames.get_instance_name_of_file(file) is None
        ]
    return problems


def _save_in_place(folder: Path, name: str, text: bytes, *, create: bool) -> os.stat_result:
    path = folder / f"{name}.json"
    with path.open("wb", buffering=0) as file:
        for start in range(0, len(text), len(text) // 8 + 1):
            file.write(text[start : start + len(text) // 8 + 1])
            # Takes most of the time of a save, also on disks with slow syncs.
            os.fsync(file.fileno())
            time.sleep(0.002)
    saving.sync_folder_to_disk(folder)
    return path.stat()


def _sync_late(folder: Path, name: str, text: bytes, *, create: bool) -> os.stat_result:
    sync, os.fsync = os.fsync, lambda _descriptor: None
    try:
        return _SAVE(folder, name, text, create=create)
    finally:
        os.fsync = sync
        saving.sync_folder_to_disk(folder)


def _acknowledge_first(slot: LockedInstance, value: Mapping[str, Any], *, create: bool) -> StoredInstance:
    _report("done", slot._name, value["metadata"]["number"])
    return _WRITE(slot, value, create=create)


_SAVE, _WRITE = saving.save_file_durably, LockedInstance.write_document_atomically
#: Deliberate bugs, to verify that the checkers detect them: the object, the attribute, and its replacement.
_BUGS: dict[str, tuple[Any, str, Any]] = {
    "in place": (saving, "save_file_durably", _save_in_place),
    "late sync": (saving, "save_file_durably", _sync_late),
    "no fsync": (os, "fsync", lambda _descriptor: None),
    "no folder sync": (saving, "sync_folder_to_disk", lambda _folder: None),
    "folders not synced": (fsync, "sync_folder_to_disk", lambda _folder: None),
    "acknowledge first": (LockedInstance, "write_document_atomically", _acknowledge_first),
}
_report_descriptor = -1


def _report(what: str, name: str, number: int) -> None:
    os.write(_report_descriptor, f"{json.dumps([what, name, number])}\n".encode())


def main() -> None:
    """Run the writers. Arguments: the root, the report file, the first number, how many, threads, bytes of filling,
    bugs.

    `FOUND` among the bugs means that another process has just created the folder and is still using it.
    """
    global _report_descriptor
    root, report_file, start, most, threads, filling, *bugs = sys.argv[1:]
    if FOUND in bugs:
        bugs.remove(FOUND)
        get_user_folder(Path(root)).mkdir(parents=True)
    for bug in bugs:
        setattr(*_BUGS[bug])
    _report_descriptor = os.open(report_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    files = open_instance_files(Path(root))
    arguments = (int(start), int(most), int(filling), _report)
    writers = [threading.Thread(target=write_on, args=(files, f"t{n}", *arguments)) for n in range(int(threads))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


if __name__ == "__main__":
    main()
