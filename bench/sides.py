"""Create the stores and the references of all sizes, if they do not exist: ours in this process, the others next to it."""

from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

import fts5
import lucene
import stores


def prepare(sizes: Iterable[int]) -> None:
    """Create the stores of these sizes."""
    for size in sizes:
        separately = get_context("spawn").Process(target=fill_others, args=(stores.get_folder(), size))
        separately.start()
        stores.open_filled(size)
        separately.join()


def fill_others(folder: Path, size: int) -> None:
    """The files of the other engines."""
    for path, fill in ((folder / f"lucene{size}", lucene.fill), (folder / f"fts5-{size}.db", fts5.fill)):
        if not path.exists():
            fill(path, size)
