"""Save the export of a namespace to a file."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

#: Called with the number of lines written so far.
Done = Callable[[int], None]


def save_export_atomically(lines: Iterator[bytes], file: Path, done: Done) -> int:
    """Write an export atomically to a file, and return the number of aspects. Raises OSError, and errors of the lines."""
    # Read the first line before the file is created: an unknown namespace must not leave a file.
    first = next(lines)
    count = 0
    with (
        _name_target_in_errors(file),
        NamedTemporaryFile("wb", dir=file.parent, prefix=f".{file.name}.", delete=False) as temporary,
    ):
        try:
            temporary.write(first + b"\n")
            for count, line in enumerate(lines, 1):
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
