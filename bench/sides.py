"""Create the stores and the references of all sizes, if they do not exist: ours in this process, the others next to it."""

from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

import fts5
import lucene
import stores


def create_missing_stores(sizes: Iterable[int]) -> None:
    """Create the stores of these sizes."""
    for size in sizes:
        separately = get_context("spawn").Process(
            target=create_reference_indexes, args=(stores.get_or_create_folder(), size)
        )
        separately.start()
        stores.open_filled_catalog(size)
        separately.join()


def create_reference_indexes(folder: Path, size: int) -> None:
    """The files of the other engines."""
    for path, fill in (
        (folder / f"lucene{size}", lucene.index_entities),
        (folder / f"fts5-{size}.db", fts5.index_entities),
    ):
        if not path.exists():
            fill(path, size)
