"""The folders that a power cut could have left, made from what the shim wrote down (spec FAULT-2).

A file's content is on the disk as far as it was synced; of each later write any sector may have come there or not. What
a file is called is on the disk as far as its folder was synced; of each later creation, rename, link and removal any may
have come there or not, each as a whole.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faults.disks import Call, File

#: What an operation does to names: the path, and the number of the file that it leads to then; None for none.
Names = dict[str, int | None]


@dataclass(slots=True)
class _Disk:
    """Files by number, and what they are called: now, on the disk, and by folder what may not have come there."""

    files: list[File] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)
    now: Names = field(default_factory=dict)
    durable: Names = field(default_factory=dict)
    pending: dict[str, list[Names]] = field(default_factory=dict)

    def take(self, call: Call) -> None:
        """One more call."""
        if call.kind in "CMRLU":
            self._take_name(call)
        elif call.kind == "S" and call.path in self.folders:
            for names in self.pending.pop(call.path, ()):
                self.durable |= names
        else:
            number = self.now.get(call.path)
            self.files[self._create(call.path) if number is None else number].take(call)

    def _take_name(self, call: Call) -> None:
        other = call.data.decode("utf-8", "surrogateescape")
        if call.kind in "CM":
            self._create(call.path)
        if call.kind == "M":
            self.folders.add(call.path)
        elif call.kind == "R":
            self._call({other: self.now.get(call.path), call.path: None})
        elif call.kind == "L":
            self._call({other: self.now.get(call.path)})
        elif call.kind == "U":
            self._call({call.path: None})

    def _create(self, path: str) -> int:
        self.files.append(File())
        self._call({path: len(self.files) - 1})
        return len(self.files) - 1

    def _call(self, names: Names) -> None:
        folder = str(Path(next(iter(names))).parent)
        self.folders.add(folder)
        self.now |= names
        self.pending.setdefault(folder, []).append(names)

    def cut(self, chance: random.Random) -> dict[str, bytes]:
        """One of the ways in which it could be now: content by path, without folders."""
        names = dict(self.durable)
        for pending in self.pending.values():
            kept = chance.choice((0.0, 0.5, 1.0))
            for one in pending:
                if chance.random() < kept:
                    names |= one
        lost = {path for path in self.folders & self.now.keys() if names.get(path) is None}
        contents = [file.cut(chance) for file in self.files]
        return {
            path: contents[number]
            for path, number in names.items()
            if number is not None and path not in self.folders and lost.isdisjoint(map(str, Path(path).parents))
        }


def images(
    recorded: list[Call], cuts: int, chance: random.Random, told: Path
) -> Iterator[tuple[dict[str, bytes], str]]:
    """Disks after a cut at random moments, as (content by path), and what was told before the cut."""
    disk, said, at = _Disk(), b"", 0
    for cut in sorted(chance.randrange(len(recorded) + 1) for _ in range(cuts)):
        for call in recorded[at:cut]:
            if call.path == str(told):
                said += call.data
            else:
                disk.take(call)
        at = cut
        yield disk.cut(chance), said.decode()
