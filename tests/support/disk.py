"""A full disk."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def fill_disk(database: Path) -> Iterator[None]:
    """Limit the size of this process's files to the present size of the database's write-ahead log."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = database.with_name(f"{database.name}-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
