"""Namespaces to files and back."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

from jupyter_colophon.cli.catalog.source import CatalogSource, Taken

#: Says how many lines are done.
Done = Callable[[int], None]


def kept_lines(source: CatalogSource, namespace: str, file: Path, done: Done) -> int:
    """Write a namespace to a file, all at once or not at all; returns how many aspects. Raises Absent, OSError."""
    lines = source.exported(namespace)
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


def taken_in(source: CatalogSource, file: Path, *, overwrite: bool, dry_run: bool, done: Done) -> Taken:
    """Take a file in. Raises Unparsable, OSError."""
    all_ = Taken()
    for one in source.imported(lambda: _lines(file), overwrite=overwrite, dry_run=dry_run):
        all_.counts.update(one.counts)
        all_.conflicts.extend(one.conflicts)
        done(all_.counts.total())
    return all_


def _lines(file: Path) -> Iterator[bytes]:
    with file.open("rb") as opened:
        yield from opened
