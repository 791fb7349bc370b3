"""The disks that a power cut could have left, made from what the shim wrote down (spec FAULT-2).

What a file was at its last sync is on the disk. Of every later write, each sector of 512 bytes may have come there or
not; so may a truncation, and a removal until the folder is synced. Side files in memory (`-shm`) are not on the disk at all.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call: its kind (Write, Truncate, Sync, Unlink; Create, Rename, Link, Make a folder), the file, where,
    and the bytes, or the other name."""

    kind: str
    path: str
    at: int
    data: bytes


@dataclass(slots=True)
class File:
    """A file as it was at its last sync, and what was asked of it since."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Call] = field(default_factory=list)

    def take(self, call: Call) -> None:
        """One more call."""
        if call.kind != "S":
            self.pending.append(call)
            return
        for earlier in self.pending:
            _apply(self.durable, earlier)
        self.pending.clear()

    def cut(self, chance: random.Random) -> bytes:
        """One of the ways in which the calls since the last sync could have ended."""
        content = bytearray(self.durable)
        kept = chance.choice((0.0, 0.5, 0.9, 1.0))
        for call in self.pending:
            if chance.random() > kept:
                continue
            if call.kind == "W" and chance.random() < 0.3:
                for torn in _torn(call, chance):
                    _apply(content, torn)
            else:
                _apply(content, call)
        return bytes(content)


def calls(record: Path) -> list[Call]:
    """What the shim wrote down."""
    text, found, at = record.read_bytes(), [], 0
    while at < len(text):
        end = text.index(b"\n", at)
        kind, offset, size, path = text[at:end].decode().split(" ", 3)
        data = text[end + 1 : end + 1 + int(size)]
        found.append(Call(kind, path, int(offset), data))
        at = end + 1 + int(size)
    return found


def images(
    recorded: list[Call], count: int, chance: random.Random, acknowledgements: Path
) -> Iterator[tuple[dict[str, bytes], str]]:
    """Disks after a cut at random moments, as (content by file name), and what was acknowledged before the cut."""
    cuts = sorted(chance.randrange(len(recorded) + 1) for _ in range(count))
    files: dict[str, File] = {}
    told, at = b"", 0
    for cut in cuts:
        for call in recorded[at:cut]:
            if call.path == str(acknowledgements):
                told += call.data
            elif call.path == str(acknowledgements.parent):
                _sync_folder(files)
            elif not call.path.endswith("-shm"):
                files.setdefault(Path(call.path).name, File()).take(call)
        at = cut
        yield {name: one.cut(chance) for name, one in files.items()}, told.decode()


def _sync_folder(files: dict[str, File]) -> None:
    """A sync of the folder makes removals last."""
    for file in files.values():
        removals = [at for at, call in enumerate(file.pending) if call.kind == "U"]
        if removals:
            del file.pending[: removals[-1] + 1]
            file.durable.clear()


def _torn(call: Call, chance: random.Random) -> Iterator[Call]:
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
