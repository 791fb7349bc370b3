"""Namespaces out of files."""

from collections.abc import Iterator
from pathlib import Path

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource, Taken
from jupyter_colophon.client.save_export import Done


def taken_in(source: CatalogSource, file: Path, *, overwrite: bool, dry_run: bool, done: Done) -> Taken:
    """Take a file in. Raises MalformedBody, OSError."""
    all_ = Taken()
    for one in source.imported(lambda: _lines(file), overwrite=overwrite, dry_run=dry_run):
        all_.counts.update(one.counts)
        all_.conflicts.extend(one.conflicts)
        done(all_.counts.total())
    return all_


def _lines(file: Path) -> Iterator[bytes]:
    with file.open("rb") as opened:
        yield from opened
