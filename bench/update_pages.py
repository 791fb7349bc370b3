"""Count what an update costs on SQLite without measuring time: statements, pages read, and pages written by table and index.

`python bench/update_pages.py --folder F --sizes 10000 100000` uses copies of stores that `growth_curves.py --fill` has filled, and
deletes them. Neither the load of the machine nor its caches change these figures.
"""

import argparse
import logging
import sqlite3
import struct
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import corpus
from bulk_fill import write_entity
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.sqlite.provider import SqliteProvider
from sized_stores import SqliteStores, copy_store

UPDATES, SHOWN = 200, 8
#: The bytes of the header of a write-ahead log, and of that of each of its pages.
_LOG_HEADER, _FRAME_HEADER = 32, 24


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    stores = SqliteStores(options.folder)
    for size in options.sizes:
        with copy_store(stores, size) as choice:
            _count_and_print(choice, size)


def _count_and_print(choice: StorageChoice, size: int) -> None:
    file, catalog = Path(choice.options["path"]), open_or_create_catalog(choice, IdentityRules())
    assert isinstance(catalog.provider, SqliteProvider)
    writer = catalog.provider._writer
    # Only the pages of these updates are in the log, each as often as it was written.
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    statements: list[str] = []
    writer.set_trace_callback(statements.append)
    before = _count_reads_of_thread()
    for at in range(UPDATES):
        number = at * 7_919 % size
        write_entity(catalog, corpus.parse_entity_urn(number), number)
    reads = _count_reads_of_thread() - before
    writer.set_trace_callback(None)
    pages = _list_written_pages(file)
    print(f"| an update at {size:,} | number |\n|---|---|")
    print(f"| statements | {len(statements) / UPDATES:.1f} |\n| pages read | {reads / UPDATES:.1f} |")
    print(f"| pages written | {len(pages) / UPDATES:.1f} |")
    for name, count in _count_by_tree(file, pages).most_common(SHOWN):
        print(f"| of them in {name} | {count / UPDATES:.1f} |")
    print(flush=True)
    catalog.close()


def _count_reads_of_thread() -> int:
    """Return how often this thread has read from files: SQLite reads a page at a time, if it is not in its own cache."""
    lines = Path("/proc/thread-self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("syscr:")).split()[1])


def _list_written_pages(file: Path) -> list[int]:
    """Return the numbers of the pages in the write-ahead log."""
    log = file.with_name(f"{file.name}-wal").read_bytes()
    page_bytes = struct.unpack(">I", log[8:12])[0]
    return [struct.unpack(">I", log[at : at + 4])[0] for at in range(_LOG_HEADER, len(log), page_bytes + _FRAME_HEADER)]


def _count_by_tree(file: Path, pages: Sequence[int]) -> Counter[str]:
    """Return the number of these pages by the table or index to which they belong now."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
        names = dict(connection.execute("SELECT pageno, name FROM dbstat"))
    return Counter(names.get(page, "free pages") for page in pages)


if __name__ == "__main__":
    main()
