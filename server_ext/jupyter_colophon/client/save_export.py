"""A namespace's lines, kept in a file."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

#: Says how many lines are done.
Done = Callable[[int], None]


def kept_lines(lines: Iterator[bytes], file: Path, done: Done) -> int:
    """Write an export to a file, all at once or not at all; returns how many aspects. Raises OSError, and what the lines raise."""
    # Before a file is made: where there is no such namespace, there is none afterwards.
    first = next(lines)
    count = 0
    with _named(file), NamedTemporaryFile("wb", dir=file.parent, prefix=f".{file.name}.", delete=False) as made:
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


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """People know the file by the name that they gave, not by the one it has while it is written."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from None
