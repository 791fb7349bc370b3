"""Namespaces to files and back, on the store of this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from jupyter_colophon.cli.catalog.local import Local
from jupyter_colophon.service.transfer import Told
from jupyter_colophon.settings import Settings


@contextmanager
def _opened(settings: Settings) -> Iterator[Local]:
    local = Local(settings)
    try:
        yield local
    finally:
        local.close()


def kept_lines(settings: Settings, namespace: str, file: Path) -> int:
    """Write a namespace to a file, all at once or not at all; returns how many aspects. Raises Absent, OSError."""
    count = -1
    with _opened(settings) as local:
        lines = local.exported(namespace)
        # Before a file is made: where there is no such namespace, there is none afterwards.
        first = next(lines)
        with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, prefix=f".{file.name}.", delete=False) as made:
            try:
                for line in (first, *lines):
                    made.write(line + "\n")
                    count += 1
                made.flush()
                os.fsync(made.fileno())
                os.replace(made.name, file)
            except BaseException:
                os.unlink(made.name)
                raise
    return count


def taken_in(settings: Settings, file: Path, *, overwrite: bool, dry_run: bool) -> list[Told]:
    """Take a file in. Raises Unparsable, OSError."""
    with file.open(encoding="utf-8") as lines, _opened(settings) as local:
        return list(local.imported(lines, overwrite=overwrite, dry_run=dry_run))
