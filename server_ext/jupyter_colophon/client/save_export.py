"""Save the lines of an export to a file."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile

#: Called with the number of lines written so far.
Done = Callable[[int], None]


def save_export_atomically(lines: Iterator[bytes], file: Path, done: Done) -> int:
    """Write the export of a namespace atomically to a file, and return the number of aspects.

    Raises OSError, and errors of the lines.
    """
    # The first line is a header.
    return save_lines_atomically(lines, file, lambda count: done(count - 1)) - 1


def save_lines_atomically(lines: Iterator[bytes], file: Path, done: Done) -> int:
    """Write lines atomically to a file, and return their number. Raises OSError, and errors of the lines."""
    # Read the first line before the file is created: a refused request must not leave a file.
    first = [line for line in [next(lines, None)] if line is not None]
    count = 0
    with (
        _name_target_in_errors(file),
        NamedTemporaryFile("wb", dir=file.parent, prefix=f".{file.name}.", delete=False) as temporary,
    ):
        try:
            for count, line in enumerate(chain(first, lines), 1):
                temporary.write(line + b"\n")
                done(count)
            temporary.flush()
            os.fsync(temporary.fileno())
            os.replace(temporary.name, file)
        except BaseException:
            os.unlink(temporary.name)
            raise
    return count


@contextmanager
def _name_target_in_errors(file: Path) -> Iterator[None]:
    """Report errors with the name of the target file instead of that of the temporary file."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from None
