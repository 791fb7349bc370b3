"""Migration 2: lineage is told anew what every run touched.

Catalogs of the first slice have their lineage in tables of another shape, which nothing reads any more.
"""

import json

from jupyter_colophon.storage import statements, truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import Key, Row, TableContext

#: How many runs are told in one transaction, for which all other writers wait.
_AT_ONCE = 100


def lineage() -> Migration:
    """Tell lineage anew, run by run; a place is the key of the last one that was told."""

    def step(tx: TableContext, place: str) -> str | None:
        after: Key = tuple(json.loads(place)) if place else ()
        found = truth.runs_after(tx, after, _AT_ONCE)
        for run in found:
            _tell(tx, run)
        return json.dumps([found[-1]["program"], found[-1]["run_id"]]) if found else None

    return Migration("tell lineage anew", step)


def _tell(tx: TableContext, run: Row) -> None:
    links = truth.links(tx, run)
    if tx.edges.of_run(run["urn"]) == links:
        return
    tx.edges.forget(run["urn"])
    statements.add_links(tx, links)
