"""Simulate folders after a power loss, from the calls that the shim recorded (spec FAULT-2).

A file's content is durable up to its last sync; of each later write any sector may or may not be there. A file's name
is durable up to the last sync of its folder; each later creation, rename, link and removal may or may not be there, as
a whole.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faults.disks import Call, File

#: The effect of an operation on names: a path, and the number of the file that it leads to; None after a removal.
Names = dict[str, int | None]


@dataclass(slots=True)
class _Disk:
    """Files by number, and their names: now, on the disk, and by folder those that may not be durable."""

    files: list[File] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)
    now: Names = field(default_factory=dict)
    durable: Names = field(default_factory=dict)
    pending: dict[str, list[Names]] = field(default_factory=dict)

    def add_call(self, call: Call) -> None:
        """Add a call."""
        if call.kind in "CMRLU":
            self._add_name(call)
        elif call.kind == "S" and call.path in self.folders:
            for names in self.pending.pop(call.path, ()):
                self.durable |= names
        else:
            number = self.now.get(call.path)
            self.files[self._create(call.path) if number is None else number].add_call(call)

    def _add_name(self, call: Call) -> None:
        other = call.data.decode("utf-8", "surrogateescape")
        if call.kind in "CM":
            self._create(call.path)
        if call.kind == "M":
            self.folders.add(call.path)
        elif call.kind == "R":
            self._rename({other: self.now.get(call.path), call.path: None})
        elif call.kind == "L":
            self._rename({other: self.now.get(call.path)})
        elif call.kind == "U":
            self._rename({call.path: None})

    def _create(self, path: str) -> int:
        self.files.append(File())
        self._rename({path: len(self.files) - 1})
        return len(self.files) - 1

    def _rename(self, names: Names) -> None:
        folder = str(Path(next(iter(names))).parent)
        self.folders.add(folder)
        self.now |= names
        self.pending.setdefault(folder, []).append(names)

    def simulate_cut(self, chance: random.Random) -> dict[str, bytes]:
        """Return one possible state after a power loss: content by path, without folders."""
        names = dict(self.durable)
        for pending in self.pending.values():
            kept = chance.choice((0.0, 0.5, 1.0))
            for one in pending:
                if chance.random() < kept:
                    names |= one
        lost = {path for path in self.folders & self.now.keys() if names.get(path) is None}
        contents = [file.simulate_cut(chance) for file in self.files]
        return {
            path: contents[number]
            for path, number in names.items()
            if number is not None and path not in self.folders and lost.isdisjoint(map(str, Path(path).parents))
        }


def simulate_power_loss(
    recorded: list[Call], cuts: int, chance: random.Random, acknowledgements: Path
) -> Iterator[tuple[dict[str, bytes], str]]:
    """Yield disks after a power loss at random times, as content by path, with the acknowledgements before it."""
    disk, acknowledged, at = _Disk(), b"", 0
    for cut in sorted(chance.randrange(len(recorded) + 1) for _ in range(cuts)):
        for call in recorded[at:cut]:
            if call.path == str(acknowledgements):
                acknowledged += call.data
            else:
                disk.add_call(call)
        at = cut
        yield disk.simulate_cut(chance), acknowledged.decode()
