"""A client that reports runs, and prints the URN of each run that was acknowledged.

Arguments: the store, the client's number, the number of runs.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from contextlib import suppress

from faults.choice import open_choice
from jupyter_colophon.core.errors import NotFound, TransactionConflict
from support.catalog import delete_entity_or_aspect, write_metadata
from support.reports import report_run
from support.urns import build_cell_urn, build_table_urn

T = TypeVar("T")


def main() -> None:
    """Report runs of own and shared cells, and write and delete shared data meanwhile."""
    store, client, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    catalog, chance = open_choice(store), random.Random(client)
    for number in range(client * 1_000, client * 1_000 + runs):
        shared = build_table_urn(f"shared{chance.randrange(3)}")
        cell = build_cell_urn(f"c{chance.choice([client, 0])}")
        column, own = f"urn:li:schemaField:({shared},c)", build_table_urn(f"own{client}")
        run = _repeat_after_conflicts(partial(report_run, catalog, cell, number, own, shared))
        _repeat_after_conflicts(partial(write_metadata, catalog, column, {"n": str(number)}))
        if chance.random() < 0.2:
            with suppress(NotFound):
                _repeat_after_conflicts(partial(delete_entity_or_aspect, catalog, shared))
        sys.stdout.write(f"{run.urn}\n")
        sys.stdout.flush()
    catalog.close()


def _repeat_after_conflicts(write: Callable[[], T]) -> T:
    """Repeat a write as clients do, since the locks of others may last long on a busy machine."""
    while True:
        with suppress(TransactionConflict):
            return write()


if __name__ == "__main__":
    main()
