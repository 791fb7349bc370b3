"""Simulate disks after a power loss, from the calls that the shim recorded (spec FAULT-2).

The content at the last sync of a file is on the disk. Of every later write, each sector of 512 bytes may or may not be
there; the same holds for a truncation, and for a removal until the folder is synced. Side files in memory (`-shm`) are
never on the disk.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512


@dataclass(frozen=True, slots=True)
class Call:
    """A recorded call: its kind (Write, Truncate, Sync, Unlink; Create, Rename, Link, Make a folder), the file, the
    offset, and the bytes, or the other name.
    """

    kind: str
    path: str
    at: int
    data: bytes


@dataclass(slots=True)
class File:
    """A file at its last sync, and the calls since then."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Call] = field(default_factory=list)

    def add_call(self, call: Call) -> None:
        """Add a call."""
        if call.kind != "S":
            self.pending.append(call)
            return
        for earlier in self.pending:
            _apply(self.durable, earlier)
        self.pending.clear()

    def simulate_cut(self, chance: random.Random) -> bytes:
        """Return one possible content after a power loss."""
        content = bytearray(self.durable)
        kept = chance.choice((0.0, 0.5, 0.9, 1.0))
        for call in self.pending:
            if chance.random() > kept:
                continue
            if call.kind == "W" and chance.random() < 0.3:
                for torn in _tear(call, chance):
                    _apply(content, torn)
            else:
                _apply(content, call)
        return bytes(content)


def read_calls(record: Path) -> list[Call]:
    """Return the calls that the shim recorded."""
    text, recorded, at = record.read_bytes(), [], 0
    while at < len(text):
        end = text.index(b"\n", at)
        kind, offset, size, path = text[at:end].decode().split(" ", 3)
        data = text[end + 1 : end + 1 + int(size)]
        recorded.append(Call(kind, path, int(offset), data))
        at = end + 1 + int(size)
    return recorded


def simulate_power_loss(
    recorded: list[Call], count: int, chance: random.Random, acknowledgements: Path
) -> Iterator[tuple[dict[str, bytes], str]]:
    """Yield disks after a power loss at random times, as content by file name, with the acknowledgements before it."""
    cuts = sorted(chance.randrange(len(recorded) + 1) for _ in range(count))
    files: dict[str, File] = {}
    acknowledged, at = b"", 0
    for cut in cuts:
        for call in recorded[at:cut]:
            if call.path == str(acknowledgements):
                acknowledged += call.data
            elif call.path == str(acknowledgements.parent):
                _sync_folder(files)
            elif not call.path.endswith("-shm"):
                files.setdefault(Path(call.path).name, File()).add_call(call)
        at = cut
        yield {name: file.simulate_cut(chance) for name, file in files.items()}, acknowledged.decode()


def _sync_folder(files: dict[str, File]) -> None:
    """Make removals durable by a sync of the folder."""
    for file in files.values():
        removals = [at for at, call in enumerate(file.pending) if call.kind == "U"]
        if removals:
            del file.pending[: removals[-1] + 1]
            file.durable.clear()


def _tear(call: Call, chance: random.Random) -> Iterator[Call]:
    for start in range(0, len(call.data), SECTOR):
        if chance.random() < 0.5:
            yield Call("W", call.path, call.at + start, call.data[start : start + SECTOR])


def _apply(content: bytearray, call: Call) -> None:
    if call.kind == "W":
        if len(content) < call.at:
            content.extend(bytes(call.at - len(content)))
        content[call.at : call.at + len(call.data)] = call.data
    elif call.kind == "T":
        if call.at < len(content):
            del content[call.at :]
        else:
            content.extend(bytes(call.at - len(content)))
    elif call.kind == "U":
        content.clear()
