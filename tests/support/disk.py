"""A disk with no space left."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def full(database: Path) -> Iterator[None]:
    """No file of this process grows beyond the size that the database's write-ahead log has now."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = database.with_name(f"{database.name}-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
