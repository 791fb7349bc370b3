"""Ways to damage a file so that it is not a valid instance (spec FAULT-3)."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

from support.files import build_instance_document


def _truncated(path: Path, chance: random.Random) -> None:
    text = path.read_bytes()
    path.write_bytes(text[: chance.randrange(len(text) - 2)])


def _flipped(path: Path, chance: random.Random) -> None:
    text = bytearray(path.read_bytes())
    text[chance.randrange(len(text))] ^= 0x80
    path.write_bytes(text)


def _not_a_number(path: Path, chance: random.Random) -> None:
    path.write_text(
        json.dumps(build_instance_document(1, value=chance.choice([float("nan"), float("inf"), float("-inf")])))
    )


def _marked(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\x00"]) + path.read_bytes())


def _no_object(path: Path, chance: random.Random) -> None:
    path.write_text(chance.choice(["", "\n", "null", "[]", '"text"', "1", "[" * 100_000]))


def _no_file(path: Path, chance: random.Random) -> None:
    path.unlink()
    chance.choice([os.mkfifo, Path.mkdir, lambda there: there.symlink_to("/etc/hostname"), _sparse])(path)


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**31)


DAMAGES: list[Callable[[Path, random.Random], None]] = [
    _truncated,
    _flipped,
    _not_a_number,
    _marked,
    _no_object,
    _no_file,
]
