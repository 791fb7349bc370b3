"""A namespace's lines, kept in a file."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

#: Says how many lines are done.
Done = Callable[[int], None]


def kept_lines(lines: Iterator[bytes], file: Path, done: Done) -> int:
    """Write an export to a file, all at once or not at all; returns how many aspects. Raises OSError, and what the lines raise."""
    # Before a file is made: where there is no such namespace, there is none afterwards.
    first = next(lines)
    count = 0
    with NamedTemporaryFile("wb", dir=file.parent, prefix=f".{file.name}.", delete=False) as made:
        try:
            made.write(first + b"\n")
            for count, line in enumerate(lines, 1):
                made.write(line + b"\n")
                done(count)
            made.flush()
            os.fsync(made.fileno())
            os.replace(made.name, file)
        except BaseException:
            os.unlink(made.name)
            raise
    return count
