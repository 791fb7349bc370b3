"""All that the benches ask, of every size, made where it is not there yet: ours in this process, the others beside it."""

from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

import fts5
import lucene
import stores


def prepare(sizes: Iterable[int]) -> None:
    """Fill the stores of these sizes."""
    for size in sizes:
        aside = get_context("spawn").Process(target=fill_others, args=(stores.folder(), size))
        aside.start()
        stores.filled(size)
        aside.join()


def fill_others(folder: Path, size: int) -> None:
    """The other engines' files."""
    for path, fill in ((folder / f"lucene{size}", lucene.fill), (folder / f"fts5-{size}.db", fts5.fill)):
        if not path.exists():
            fill(path, size)
