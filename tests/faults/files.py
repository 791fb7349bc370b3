"""Writers of instances' files for the fault suite, and what must be true of what they wrote.

As a script: threads save and remove instances, each its own, and tell before and after each change.
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

from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.storage import fsync
from jupyter_colophon.storage.files import filenames, saving
from jupyter_colophon.storage.files.instances import InstanceFiles, Slot
from support.files import document, files_of, left, user_folder

#: How many instances a thread has.
NAMES = 3
FOUND = "folder found"
Tell = Callable[[str, str, int], None]


def write_on(files: InstanceFiles, thread: str, start: int, most: int, filling: int, tell: Tell) -> None:
    """Save one instance after the other under increasing numbers, and remove every seventh; 0 is for ever."""
    for number in count(start):
        if most and number >= start + most:
            return
        name = f"{thread}-{number % NAMES}"
        with files.slot(name) as slot:
            is_removal = number % 7 == 6 and slot.held is not None
            told = 0 if is_removal else number
            tell("begun", name, told)
            if is_removal:
                slot.remove()
            else:
                slot.write(document(number, text="x" * filling), create=slot.held is None)
            tell("done", name, told)


def number_of(held: Held | None) -> int:
    """The number under which an instance was saved, 0 where there is none, -1 where it cannot be read whole."""
    if held is None:
        return 0
    if held.document is None:
        return -1
    return int(held.document["metadata"]["number"])


def wrong(root: Path, said: str) -> list[str]:
    """What is wrong after a fault: of each instance, what was done last is there, or what was begun since."""
    may_be: dict[str, set[int]] = {}
    for line in said.splitlines():
        what, name, number = json.loads(line)
        before = may_be.setdefault(name, {0})
        may_be[name] = before | {number} if what == "begun" else {number}
    files = files_of(root)
    found = {name: number_of(files.read(name)) for name in may_be}
    faults = [
        f"{name} is {found[name]}, not one of {sorted(may_be[name])}"
        for name in may_be
        if found[name] not in may_be[name]
    ]
    faults += [f"{name} is not listed" for name in may_be if found[name] > 0 and name not in files.names()]
    files.sweep()
    if user_folder(root).exists():
        faults += [f"{file} is left" for file in left(root) if filenames.name_of(file) is None]
    return faults


def _in_place(folder: Path, name: str, text: bytes, *, create: bool) -> os.stat_result:
    path = folder / f"{name}.json"
    with path.open("wb", buffering=0) as file:
        for start in range(0, len(text), len(text) // 8 + 1):
            file.write(text[start : start + len(text) // 8 + 1])
            # Most of the time that a save takes, also where a disk is slow to sync.
            os.fsync(file.fileno())
            time.sleep(0.002)
    saving.sync_folder(folder)
    return path.stat()


def _synced_late(folder: Path, name: str, text: bytes, *, create: bool) -> os.stat_result:
    sync, os.fsync = os.fsync, lambda _descriptor: None
    try:
        return _SAVE(folder, name, text, create=create)
    finally:
        os.fsync = sync
        saving.sync_folder(folder)


def _acknowledged_first(slot: Slot, value: Mapping[str, Any], *, create: bool) -> Held:
    _tell("done", slot._name, value["metadata"]["number"])
    return _WRITE(slot, value, create=create)


_SAVE, _WRITE = saving.save, Slot.write
#: Promises that are broken on purpose, so that the checkers can be seen to notice: what is replaced, and by what.
_BUGS: dict[str, tuple[Any, str, Any]] = {
    "in place": (saving, "save", _in_place),
    "late sync": (saving, "save", _synced_late),
    "no fsync": (os, "fsync", lambda _descriptor: None),
    "no folder sync": (saving, "sync_folder", lambda _folder: None),
    "folders not synced": (fsync, "sync_folder", lambda _folder: None),
    "acknowledge first": (Slot, "write", _acknowledged_first),
}
_told = -1


def _tell(what: str, name: str, number: int) -> None:
    os.write(_told, f"{json.dumps([what, name, number])}\n".encode())


def main() -> None:
    """Arguments: the root, the file of what is told, the first number, how many, threads, bytes of filling, bugs; first
    of those, `FOUND` where another process has just made the folder, and is not done with it."""
    global _told
    root, told, start, most, threads, filling, *bugs = sys.argv[1:]
    if FOUND in bugs:
        bugs.remove(FOUND)
        user_folder(Path(root)).mkdir(parents=True)
    for bug in bugs:
        setattr(*_BUGS[bug])
    _told = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    files = files_of(Path(root))
    arguments = (int(start), int(most), int(filling), _tell)
    writers = [threading.Thread(target=write_on, args=(files, f"t{n}", *arguments)) for n in range(int(threads))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


if __name__ == "__main__":
    main()
