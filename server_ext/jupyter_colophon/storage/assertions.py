"""What is asserted of data in the tables of lineage: an access for as long as a version of the aspect is in force.

So the rule of windows is that of runs (catalog.md 5.3), and the history of the aspect is the truth (core/asserted.py).
"""

from collections.abc import Iterator

from jupyter_colophon.core import asserted
from jupyter_colophon.core.jsontext import stored
from jupyter_colophon.storage.spi import Link, Range, Row, TableContext

_ORDER = ("data", "mode")


def follow(tx: TableContext, data: Row, before: Row | None, now: Row | None) -> None:
    """Bring lineage from what a version of the aspect says to what the next one says; `data` is the entity's row."""
    if before is not None and now is not None and before["version"] != now["version"]:
        run = asserted.while_in_force(data["urn"], before["version"])
        if now["time"] > before["time"]:
            tx.edges.stop(run, now["time"])
        else:
            tx.edges.forget(run)
    if now is not None and (before is None or before["version"] != now["version"]):
        _add(tx, links(data, now, None))


def of_history(tx: TableContext, data: Row) -> dict[str, set[Link]]:
    """What lineage has to know of data because of the aspect's history, by what stands for the run."""
    versions = list(tx.table("aspect_versions").scan(Range.prefix(data["urn"], asserted.ASPECT)))
    found = {}
    for at, version in enumerate(versions):
        stop = versions[at + 1]["time"] if at + 1 < len(versions) else None
        if stop is None or stop > version["time"]:
            found[asserted.while_in_force(data["urn"], version["version"])] = links(data, version, stop)
    return {run: told for run, told in found.items() if told}


def is_there(tx: TableContext, run: str) -> bool:
    """Whether what stands for a run stands for a version that says something."""
    told = asserted.in_force(run)
    row = None if told is None else tx.table("entities").read((told[0],))
    return row is not None and run in of_history(tx, row)


def mend(tx: TableContext, urn: str) -> None:
    """Write what has to be in lineage because of data."""
    data = tx.table("entities").read((urn,))
    for run, told in of_history(tx, data).items() if data is not None else ():
        tx.edges.forget(run)
        _add(tx, told)


def links(data: Row, version: Row, stop: int | None) -> set[Link]:
    """What one version says, from its time on."""
    if version["value"] is None:
        return set()
    upstreams = asserted.upstreams(stored(version["value"]))
    program = str(asserted.program(data["namespace"], version["actor"], data["urn"]))
    run = asserted.while_in_force(data["urn"], version["version"])
    return {Link(urn, program, mode, run, "", version["time"], stop) for urn, mode in _touched(data["urn"], upstreams)}


def _touched(data: str, upstreams: list[str]) -> Iterator[tuple[str, str]]:
    for urn in upstreams:
        yield urn, "read"
    if upstreams:
        yield data, "write"


def _add(tx: TableContext, told: set[Link]) -> None:
    for link in sorted(told, key=lambda one: tuple(getattr(one, name) for name in _ORDER)):
        tx.edges.add(*link)
