"""`jupyter colophon lineage`, on the store of this machine and on a server's."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from live import LiveServer
from support.catalog import ADA, opened, touch
from support.commands import Commands, Done
from support.urns import cell, table

Call = Callable[..., Done]
RAW, STAGED, SUMMED = table("raw"), table("staged"), table("summed")
LOAD, SUM = cell("load"), cell("sum")


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """Calls a command. `raw` was loaded into `staged`, and that summed to `summed`, which goes on."""
    if request.param == "store":
        catalog = opened(database)
        touch(catalog, LOAD, "1", ("read", RAW), ("write", STAGED), start=1_000, end=2_000)
        touch(catalog, SUM, "1", ("read", STAGED), ("write", SUMMED), start=3_000)
        catalog.close()
        return colophon
    server: LiveServer = request.getfixturevalue("served")
    client = server.catalog()
    times = ({"start": "1970-01-01T00:00:01Z", "end": "1970-01-01T00:00:02Z"}, {"start": "1970-01-01T00:00:03Z"})
    for program, source, target, time in ((LOAD, RAW, STAGED, times[0]), (SUM, STAGED, SUMMED, times[1])):
        status = "succeeded" if "end" in time else "running"
        run = client.start_run({"program": program, "runId": "1", "status": status, **time})["urn"]
        accesses = [{"data": source, "mode": "read"}, {"data": target, "mode": "write"}]
        client.record_accesses(run, {"accesses": accesses})
    client.close()
    asking = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": server.token})
    return lambda *arguments: asking.bare(*arguments, f"--url={server.url}")


def test_what_was_asserted_and_is_no_more_is_told_with_both_its_ends(colophon: Commands, database: Path) -> None:
    catalog, summed = opened(database), Urn.parse(SUMMED)
    said = {"upstreams": [{"dataset": RAW, "type": "TRANSFORMED"}]}
    catalog.write_path.propose([Proposal(summed, "upstreamLineage", "upsert", said)], ADA)
    assert "asserted since " in colophon("lineage", "sales.summed").out
    catalog.write_path.propose([Proposal(summed, "upstreamLineage", "delete")], ADA)
    catalog.close()
    told = colophon("lineage", "sales.summed", "--start=now-1h").out
    assert re.search(r"asserted from \S+Z until \S+Z", told), told


def test_both_sides_are_told_as_trees(call: Call) -> None:
    told = call("lineage", "sales.staged").out
    assert told.splitlines()[0] == "staged (dataset of sales)"
    made, used = told.split("What was made of it:")
    load, sum_ = f"shop.ipynb#load ({LOAD})", f"shop.ipynb#sum ({SUM})"
    assert f"\n  {load}: write, 1 run, until 1970-01-01T00:00:02.000Z\n    sales.raw: read, 1 run" in made
    assert f"\n  {sum_}: read, 1 run, running\n    sales.summed: write, 1 run, running" in used
    assert "more behind" not in told


def test_levels_directions_and_windows_are_taken(call: Call) -> None:
    near = call("lineage", "sales.raw", "--direction=downstream", "--json").answer
    assert {node["name"] for node in near["nodes"]} == {"raw", "shop.ipynb#load", "staged"}
    assert near["frontier"] == [STAGED]
    assert "There is more behind 1 of these." in call("lineage", "sales.raw", "--direction=downstream").out
    far = call("lineage", "sales.raw", "--levels=2", "--direction=undirected", "--json").answer
    assert {node["name"] for node in far["nodes"]} >= {"summed", "shop.ipynb#sum"}
    late = call("lineage", "sales.staged", "--start=3", "--end=4", "--json").answer
    assert {(edge["source"], edge["target"]) for edge in late["edges"]} == {(STAGED, SUM), (SUM, SUMMED)}
    assert "What made it: nothing that is known" in call("lineage", "sales.staged", "--start=3", "--end=4").out


def test_what_is_wrong_is_one_line_and_an_exit_code(call: Call) -> None:
    for arguments, status in (
        (("sales.none",), 1),
        (("staged",), 1),
        (("sales.staged", "--start=now", "--end=now-1d"), 2),
        (("sales.staged", "--start=soon"), 2),
        (("sales.staged", "--as-of=now-1d"), 1),
        (("sales.staged", "--levels=0"), 2),
        (("sales.staged", "--direction=up"), 2),
        ((), 2),
    ):
        done = call("lineage", *arguments)
        assert (done.status, done.out) == (status, ""), arguments
        assert len(done.err.strip().splitlines()) == 1, arguments
