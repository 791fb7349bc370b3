"""Write a run's row from its complete state, even if it began earlier, ended otherwise or has another program than
recorded.

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RUNNING
from jupyter_colophon.storage.commit.columns import move_columns
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.spi import Row


def write_run(commit: Commit, old: Row | None, new: Row) -> None:
    """Write a run's row, formerly `old`, and everything derived from it."""
    if old is not None and old == {**old, **new}:
        return
    urn = new["urn"]
    moved = old is not None and (old["program"], old["start"]) != (new["program"], new["start"])
    if old is not None and moved:
        commit.tx.get_table("runs").delete((old["program"], old["run_id"]))
        for listed in (old["program"], ""):
            commit.tx.get_table("run_times").delete((listed, old["start"], urn))
    commit.tx.get_table("runs").upsert({"intended_outputs": None if old is None else old["intended_outputs"]} | new)
    if old is None or moved:
        for listed in (new["program"], ""):
            commit.tx.get_table("run_times").upsert({"program": listed, "start": new["start"], "urn": urn})
    if old is not None:
        _write_edges(commit, old, new, moved=moved)
    _announce(commit, old, new)


def _write_edges(commit: Commit, old: Row, new: Row, *, moved: bool) -> None:
    edges, urn = commit.tx.edges, new["urn"]
    if moved:
        edges.forget(urn)
        statements.add_links(commit.tx, statements.derive_run_links(commit.tx, new))
    elif old["stop"] != new["stop"]:
        edges.stop(urn, new["stop"])
    if old["program"] != new["program"]:
        move_columns(commit, old, new["program"])


def _announce(commit: Commit, old: Row | None, new: Row) -> None:
    """Log that the run began, and each final status that was reported."""
    about, status = commit.get_entity_row(Urn.parse(new["program"])), new["status"]
    before = RUNNING if old is None else old["status"]
    status_text = compact({"status": status})
    if old is None:
        commit.log(about, None, "run-start", 0, "SYSTEM", new["urn"], None, status_text)
    if status not in (RUNNING, before):
        commit.log(about, None, "run-end", 0, "SYSTEM", new["urn"], None, status_text)
