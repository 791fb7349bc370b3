"""Commands on entities, on a local store and on a server."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn, make_variable_urn
from live import LiveServer
from support.catalog import build_metadata_value
from support.commands import CommandResult, Commands

Call = Callable[..., CommandResult]


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """Run a command on a catalog with `sales.orders`, which has an owner in SYSTEM and no USER metadata."""
    if request.param == "store":
        return colophon
    server: LiveServer = request.getfixturevalue("served")
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
    catalog = server.create_client()
    catalog.write_aspect(urn, "technicalMetadata", build_metadata_value({"owner": "ops"}, ["faa"]))
    catalog.write_aspect(urn, "businessMetadata", build_metadata_value())
    catalog.close()
    commands = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": server.token})
    return lambda *arguments: commands.run(*arguments, f"--url={server.url}")


def test_tags_and_properties_are_set_shown_and_removed(call: Call) -> None:
    assert call("tag", "sales.orders", "gold", "daily").out == "sales.orders updated.\n"
    assert call("tag", "sales.orders", "gold").out == "sales.orders unchanged.\n"
    assert call("set", "sales.orders", "team=ops", "note=a = b", "--json").answer["changed"] is True
    shown = call("show", "sales.orders", "--json").answer
    assert (shown["user"], shown["user_tags"]) == ({"team": "ops", "note": "a = b"}, ["daily", "gold"])
    assert (shown["system"]["owner"], shown["system_tags"]) == ("ops", ["faa"])
    assert {"creation-time", "created-by", "last-update-time"} <= set(shown["system"])
    text = call("show", "sales.orders").out
    assert text.splitlines()[:2] == [
        "sales.orders  urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)",
        "tags (USER): gold, daily",
    ]
    assert "\n  note  a = b\n" in text
    result = call("search", "tags:gold", "--json").answer
    assert [one["name"] for one in result["hits"]] == ["orders"]
    listed = call("search", "tags:gold", "--type=dataset").out
    assert listed.splitlines()[0] == "tags:gold  1 found"
    # Listed names are accepted by other commands.
    assert call("show", listed.splitlines()[-1].split()[0]).status == 0
    assert call("search", "tags:gold", "--type=dataFlow").out == "tags:gold  nothing found\n"
    assert [one["name"] for one in call("search", "--tag=gold", "--platform=spark", "--json").answer["hits"]] == [
        "orders"
    ]
    assert call("search", "--tag=gold", "--scope=SYSTEM", "--platform=hive").out == "nothing found\n"
    assert call("tag", "sales.orders", "gold", "--remove").status == 0
    assert call("unset", "sales.orders", "note").status == 0
    shown = call("show", "sales.orders", "--json").answer
    assert (shown["user"], shown["user_tags"]) == ({"team": "ops"}, ["daily"])


@pytest.mark.parametrize("call", ["server"], indirect=True)
def test_show_prints_names_of_references_and_times(call: Call, served: LiveServer) -> None:
    urn, term = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)", "urn:li:glossaryTerm:9f2c"
    catalog = served.create_client()
    catalog.write_aspect(term, "glossaryTermInfo", {"definition": "d", "termSource": "INTERNAL", "name": "Net revenue"})
    stamp = {"time": 0, "actor": "urn:li:corpuser:ada"}
    catalog.write_aspect(urn, "glossaryTerms", {"terms": [{"urn": term}], "auditStamp": stamp})
    catalog.close()
    text = call("show", "sales.orders").out
    assert "terms (SYSTEM): Net revenue\n" in text
    assert "9f2c" not in text
    assert re.search(r"^created \d{4}-\d\d-\d\dT\S+Z by \S+, updated \d{4}-", text, re.MULTILINE)
    assert "creation-time" not in text


def test_multiline_value_stays_in_its_row(call: Call) -> None:
    call("set", "sales.orders", "note=one\ntwo\r\nproperty\tthree\x1b")
    (row,) = (line for line in call("show", "sales.orders").out.split("\n") if "note" in line)
    assert row == "  note  one⏎two⏎property three\ufffd"


def test_file_is_addressed_by_path(call: Call, colophon: Commands) -> None:
    here = str(colophon.home / "data/staff.csv")
    for path, text in (("/data/staff.csv", "/data/staff.csv"), (here, "./data/staff.csv")):
        urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)"
        assert call("dataset", "create", text, "--json").answer["urn"] == urn
        assert call("tag", text, "staff").out == f"{text} updated.\n"
        assert call("set", text, "owner=ada").status == 0
        assert call("unset", text, "owner").status == 0
        assert call("show", text, "--json").answer["user_tags"] == ["staff"]
        assert urn in call("lineage", text).out
        assert call("runs", text).out == "No runs.\n"
        assert call("dataset", "delete", text).status == 0


@pytest.mark.parametrize("call", ["server"], indirect=True)
def test_stale_cells_of_a_notebook_are_listed(call: Call, colophon: Commands, served: LiveServer) -> None:
    frame = str(make_variable_urn(DEFAULT_NAMESPACE, "cells.ipynb", "set", "frame"))
    report = "urn:li:dataset:(urn:li:dataPlatform:file,/cells/out.csv,PROD)"
    catalog = served.create_client()
    for minute, (cell, data, mode) in enumerate(
        [("set", frame, "write"), ("use", frame, "read"), ("other", report, "write"), ("set", frame, "write")]
    ):
        start = f"2026-11-20T12:0{minute}:00.000Z"
        program = str(make_cell_program_urn(DEFAULT_NAMESPACE, "cells.ipynb", cell))
        run = {"program": program, "runId": f"cells-{minute}", "start": start, "end": start, "status": "succeeded"}
        urn = catalog.start_run(run)["urn"]
        catalog.record_accesses(urn, {"accesses": [{"data": data, "mode": mode, "time": start}]})
    catalog.close()
    (cell,) = call("cells", "cells.ipynb", "--stale", "--json").answer["cells"]
    assert (cell["cell"], [change["data"] for change in cell["changes"]]) == ("use", [frame])
    file = colophon.home / "cells.ipynb"
    file.write_text(json.dumps({"cells": [{"cell_type": "code", "id": name} for name in ("use", "set")]}))
    lines = call("cells", "cells.ipynb", f"--file={file}").out.splitlines()
    assert [line.split()[:2] for line in lines[2:]] == [["use", "stale"], ["set", "fresh"]]
    assert "frame" in lines[2]
    assert call("cells", "unknown.ipynb").out == "No cell that read or wrote data is recorded.\n"
    for text, reason in (("[", "is not a notebook"), (None, "No such file")):
        file.unlink() if text is None else file.write_text(text)
        refused = call("cells", "cells.ipynb", f"--file={file}")
        assert (refused.status != 0, reason in refused.err) == (True, True)


def test_keys_and_values_are_counted(call: Call) -> None:
    call("set", "sales.orders", "Team=ops")
    keys = call("keys", "--prefix=tea", "--json").answer["keys"]
    assert [(one["text"], one["kind"], one["scope"]) for one in keys] == [("Team", "property", "USER")]
    assert "Team  property  USER   1" in call("keys", "--prefix=tea").out
    assert call("keys", "--values=team", "--json").answer["values"][0]["text"] == "ops"
    assert call("keys", "--prefix=zzz").out == "no keys begin with zzz\n"


def test_namespaces_are_created_listed_and_deleted(call: Call) -> None:
    assert call("namespace", "create", "fresh").out == "Namespace fresh created.\n"
    assert call("namespace", "create", "fresh").out == "Namespace fresh already exists.\n"
    assert "fresh" in call("namespace", "list", "--json").answer["namespaces"]
    assert call("namespace", "delete", "fresh").out == "Namespace fresh deleted.\n"
    assert "fresh" not in call("namespace", "list").out
    full = call("namespace", "delete", "sales")
    assert (full.status, "still contains entities" in full.err) == (1, True)


def test_changes_are_listed_in_each_format(call: Call) -> None:
    listed = [json.loads(line) for line in call("changes", "--namespace=sales", "--json").out.splitlines()]
    assert {one["namespace"] for one in listed} == {"sales"}
    last = listed[-1]["seq"]
    call("tag", "sales.orders", "fresh")
    after = f"--after={last}"
    line = call("changes", after).out.strip().splitlines()[-1]
    assert "   businessMetadata: " in line
    assert line.endswith(" tags.")
    assert "sales.orders" in line
    records = call("changes", "--namespace=sales", after, "--format=record").out.splitlines()
    assert json.loads(records[-1])["changes"]["additions"]["tags"] == ["fresh"]
    audit = call("changes", "--namespace=sales", after, "--format=audit").out.splitlines()
    assert json.loads(audit[-1])["type"] == "METADATA_CHANGE"
    head = json.loads(records[-1])["seq"]
    assert call("changes", f"--after={head}").out == ""


def test_changes_are_followed(call: Call, colophon: Commands, request: pytest.FixtureRequest) -> None:
    kind = request.node.callspec.params["call"]
    where = (
        [f"--url={request.getfixturevalue('served').url}"] if kind == "server" else [f"--database={colophon.database}"]
    )
    token = {"COLOPHON_TOKEN": request.getfixturevalue("served").token} if kind == "server" else {}
    command = [
        sys.executable,
        "-m",
        "jupyter_colophon.cli",
        "changes",
        "--follow",
        "--json",
        "--namespace=sales",
        *where,
    ]
    environment = colophon.whole_environment | token
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=colophon.home) as following:
        assert following.stdout is not None
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.append(following.stdout.readline()), daemon=True)
        reader.start()
        # The command prints only changes after its start: change something until it does.
        for number in range(300):
            call("tag", "sales.orders", f"t{number}")
            reader.join(timeout=0.2)
            if lines:
                break
        following.terminate()
    result = json.loads(lines[0])
    assert (result["aspect"], result["operation"]) == ("businessMetadata", "update" if result["previous"] else "create")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["show", "sales.nothing"], 1, "not found"),
        (["show", "sales.orderz"], 1, "dataset 'sales.orderz' not found; did you mean 'sales.orders'?"),
        (["tag", "sales.nothing", "x", "--remove"], 1, "dataset 'sales.nothing' not found"),
        (["show", "orders"], 1, "is not a valid dataset name"),
        (["show", "data/x.csv"], 1, "the path of a file (from /)"),
        (
            ["tag", "sales.orders", "no tag"],
            1,
            "is not valid; /tags/0: must have 1 to 50 characters: letters A-Z and a-z, ",
        ),
        (["tag", "sales.orders"], 2, "required: TAG (see jupyter colophon tag --help)"),
        (["set", "sales.orders", "x"], 2, "KEY=VALUE"),
        (["search"], 2, "needs words or a filter"),
        (["search", "a*b"], 1, "*"),
        (["search", "x", "--limit=0"], 2, "jupyter colophon: argument --limit: must be an integer from 1 to 500"),
        (["search", "x", "--limit=few"], 2, "jupyter colophon: argument --limit: must be an integer from 1 to 500"),
        (["changes", "--namespace=nowhere"], 1, "not found"),
        (["changes", "--after=999999"], 1, "the change log ends at"),
        (["changes", "--after=-1"], 2, "argument --after: must be an integer of at least 0"),
        (["changes", "--format=record"], 2, "--format=record requires --namespace=NAME"),
        (["changes", "--format=xml"], 2, "argument --format: invalid value 'xml'; choose from change, record, audit"),
        (["namespace", "drop", "x"], 2, "unknown subcommand 'drop'"),
        (["namespace", "create", "a-b"], 1, "namespace"),
        (["lineage", "sales.orders", "--start=rubbish"], 2, "--start: expected a time"),
        (["lineage", "sales.orders", "--as-of=rubbish"], 2, "--as-of: expected a time"),
        (["runs", "sales.orders", "--end=rubbish"], 2, "--end: expected a time"),
        (["runs", "sales.orders", "--start=2", "--end=1"], 2, "--start: must not be after --end"),
        (["show", "sales.orders", "--wrong"], 2, "--wrong"),
    ],
)
def test_failure_prints_one_line(call: Call, words: list[str], status: int, message: str) -> None:
    done = call(*words)
    assert (done.status, done.out) == (status, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_missing_server_and_catalog_are_reported(colophon: Commands, tmp_path: Path) -> None:
    away = colophon.run("search", "x", "--url=http://127.0.0.1:9")
    assert (away.status, away.err.count("\n")) == (1, 1)
    wrong = colophon.run("search", "x", "--url=ftp://x")
    assert wrong.status == 2
    none = colophon("show", "sales.orders", database=tmp_path / "none.db")
    assert (none.status, "not found" in none.err) == (1, True)
    assert not (tmp_path / "none.db").exists()
