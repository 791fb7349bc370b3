"""`jupyter colophon lineage`, on a local store and on a server."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from live import LiveServer
from support.catalog import ADA, open_catalog_file, record_run
from support.commands import CommandResult, Commands
from support.urns import build_cell_urn, build_table_urn

Call = Callable[..., CommandResult]
RAW, STAGED, SUMMED = build_table_urn("raw"), build_table_urn("staged"), build_table_urn("summed")
LOAD, SUM = build_cell_urn("load"), build_cell_urn("sum")


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """Run a command on a catalog with the lineage raw → staged → summed; the second run has not ended."""
    if request.param == "store":
        catalog = open_catalog_file(database)
        record_run(catalog, LOAD, "1", ("read", RAW), ("write", STAGED), start=1_000, end=2_000)
        record_run(catalog, SUM, "1", ("read", STAGED), ("write", SUMMED), start=3_000)
        catalog.close()
        return colophon
    server: LiveServer = request.getfixturevalue("served")
    client = server.create_client()
    times = ({"start": "1970-01-01T00:00:01Z", "end": "1970-01-01T00:00:02Z"}, {"start": "1970-01-01T00:00:03Z"})
    for program, source, target, time in ((LOAD, RAW, STAGED, times[0]), (SUM, STAGED, SUMMED, times[1])):
        status = "succeeded" if "end" in time else "running"
        run = client.start_run({"program": program, "runId": "1", "status": status, **time})["urn"]
        accesses = [{"data": source, "mode": "read"}, {"data": target, "mode": "write"}]
        client.record_accesses(run, {"accesses": accesses})
    client.close()
    commands = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": server.token})
    return lambda *arguments: commands.run(*arguments, f"--url={server.url}")


def test_ended_declared_lineage_is_shown_with_times(colophon: Commands, database: Path) -> None:
    catalog, summed = open_catalog_file(database), Urn.parse(SUMMED)
    lineage = {"upstreams": [{"dataset": RAW, "type": "TRANSFORMED"}]}
    catalog.write_path.apply_proposals_atomically([Proposal(summed, "upstreamLineage", "upsert", lineage)], ADA)
    assert "declared since " in colophon("lineage", "sales.summed").out
    catalog.write_path.apply_proposals_atomically([Proposal(summed, "upstreamLineage", "delete")], ADA)
    catalog.close()
    text = colophon("lineage", "sales.summed", "--start=now-1h").out
    assert re.search(r"from sales.raw  \(declared from \S+Z until \S+Z", text), text


def test_lineage_prints_the_runs_as_events_of_openlineage(call: Call) -> None:
    events = [json.loads(line) for line in call("lineage", "sales.staged", "--format=openlineage").out.splitlines()]
    shown = [
        (event["eventType"], event["eventTime"], event["job"]["name"].rpartition("#")[2])
        for event in sorted(events, key=lambda event: event["eventTime"])
    ]
    assert shown == [
        ("START", "1970-01-01T00:00:01.000Z", "load"),
        ("COMPLETE", "1970-01-01T00:00:02.000Z", "load"),
        ("START", "1970-01-01T00:00:03.000Z", "sum"),
    ]


def test_lineage_prints_trees_of_both_directions(call: Call) -> None:
    assert call("lineage", "sales.staged").out.splitlines() == [
        "sales.staged  lineage, both, 1 level",
        STAGED,
        "upstream",
        f"└─ written by shop.ipynb#load ({LOAD})  (1 run, last 1970-01-01T00:00:02.000Z)",
        "   └─ from sales.raw",
        "downstream",
        f"└─ read by shop.ipynb#sum ({SUM})  (1 run, running)",
        "   └─ to sales.summed",
    ]


def test_lineage_accepts_levels_direction_and_times(call: Call) -> None:
    near = call("lineage", "sales.raw", "--direction=downstream", "--json").answer
    assert {node["name"] for node in near["nodes"]} == {"raw", "shop.ipynb#load", "staged"}
    assert near["frontier"] == [STAGED]
    assert "More lineage after 1 node" in call("lineage", "sales.raw", "--direction=downstream").out
    far = call("lineage", "sales.raw", "--levels=2", "--direction=undirected", "--json").answer
    assert {node["name"] for node in far["nodes"]} >= {"summed", "shop.ipynb#sum"}
    late = call("lineage", "sales.staged", "--start=3", "--end=4", "--json").answer
    assert {(edge["source"], edge["target"]) for edge in late["edges"]} == {(STAGED, SUM), (SUM, SUMMED)}
    upstream = call("lineage", "sales.staged", "--start=3", "--end=4").out.splitlines()[3]
    assert upstream == "└─ nothing between 1970-01-01T00:00:03.000Z and 1970-01-01T00:00:04.000Z"


def test_lineage_errors_print_one_line(call: Call) -> None:
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
