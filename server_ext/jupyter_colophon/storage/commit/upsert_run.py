"""Write a run's row from its complete state, even if it began earlier, ended otherwise or has another program than
recorded.

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RUNNING
from jupyter_colophon.storage.commit.columns import move_column_edges_to_program
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.spi import Row


def write_run_and_derived_rows(commit: CommitBuilder, old: Row | None, new: Row) -> None:
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
        lists = [{"program": listed, "start": new["start"], "urn": urn} for listed in (new["program"], "")]
        commit.tx.get_table("run_times").upsert_many(lists)
    if old is not None:
        _write_lineage_of_run(commit, old, new, moved=moved)
    _log_run_start_and_end(commit, old, new)


def _write_lineage_of_run(commit: CommitBuilder, old: Row, new: Row, *, moved: bool) -> None:
    edges, urn = commit.tx.edges, new["urn"]
    if moved:
        edges.delete_run_links(urn)
        statements.add_lineage_links(commit.tx, statements.derive_links_of_run(commit.tx, new))
    elif old["stop"] != new["stop"]:
        edges.set_run_stop(urn, new["stop"])
    if old["program"] != new["program"]:
        move_column_edges_to_program(commit, old, new["program"])


def _log_run_start_and_end(commit: CommitBuilder, old: Row | None, new: Row) -> None:
    """Log that the run began, and each final status that was reported."""
    about, status = commit.get_entity_row(Urn.parse(new["program"])), new["status"]
    before = RUNNING if old is None else old["status"]
    status_text = encode_canonical_json({"status": status})
    if old is None:
        commit.append_to_change_log(about, None, "run-start", 0, "SYSTEM", new["urn"], None, status_text)
    if status not in (RUNNING, before):
        commit.append_to_change_log(about, None, "run-end", 0, "SYSTEM", new["urn"], None, status_text)
