"""Commands on entities, on the store of this machine and on a server's: what they say and what they change."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from live import LiveServer
from support.catalog import metadata
from support.commands import Commands, Done

Call = Callable[..., Done]


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """Calls a command. `sales.orders` is there, with an owner of machines' own, and nothing of people's."""
    if request.param == "store":
        return colophon
    server: LiveServer = request.getfixturevalue("served")
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
    catalog = server.catalog()
    catalog.write_aspect(urn, "technicalMetadata", metadata({"owner": "ops"}, ["faa"]))
    catalog.write_aspect(urn, "businessMetadata", metadata())
    catalog.close()
    asking = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": server.token})
    return lambda *arguments: asking.bare(*arguments, f"--url={server.url}")


def test_what_is_tagged_and_set_is_shown_found_and_taken_back(call: Call) -> None:
    assert call("tag", "sales.orders", "gold", "daily").out == "sales.orders was changed.\n"
    assert call("tag", "sales.orders", "gold").out == "sales.orders was so already.\n"
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
    found = call("search", "tags:gold", "--json").answer
    assert [one["name"] for one in found["hits"]] == ["orders"]
    listed = call("search", "tags:gold", "--type=dataset").out
    assert listed.splitlines()[0] == "tags:gold  1 found"
    # What is listed is what other commands take.
    assert call("show", listed.splitlines()[-1].split()[0]).status == 0
    assert call("search", "tags:gold", "--type=dataFlow").out == "tags:gold  nothing found\n"
    assert [one["name"] for one in call("search", "--tag=gold", "--platform=spark", "--json").answer["hits"]] == [
        "orders"
    ]
    assert call("search", "--tag=gold", "--scope=SYSTEM", "--platform=hive").out == "*  nothing found\n"
    assert call("tag", "sales.orders", "gold", "--remove").status == 0
    assert call("unset", "sales.orders", "note").status == 0
    shown = call("show", "sales.orders", "--json").answer
    assert (shown["user"], shown["user_tags"]) == ({"team": "ops"}, ["daily"])


@pytest.mark.parametrize("call", ["server"], indirect=True)
def test_show_names_what_references_refer_to_and_writes_times(call: Call, served: LiveServer) -> None:
    urn, term = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)", "urn:li:glossaryTerm:9f2c"
    catalog = served.catalog()
    catalog.write_aspect(term, "glossaryTermInfo", {"definition": "d", "termSource": "INTERNAL", "name": "Net revenue"})
    stamp = {"time": 0, "actor": "urn:li:corpuser:ada"}
    catalog.write_aspect(urn, "glossaryTerms", {"terms": [{"urn": term}], "auditStamp": stamp})
    catalog.close()
    text = call("show", "sales.orders").out
    assert "terms (SYSTEM): Net revenue\n" in text
    assert "9f2c" not in text
    assert re.search(r"^created \d{4}-\d\d-\d\dT\S+Z by \S+, updated \d{4}-", text, re.MULTILINE)
    assert "creation-time" not in text


def test_a_value_of_many_lines_stays_in_its_row(call: Call) -> None:
    call("set", "sales.orders", "note=one\ntwo\r\nproperty\tthree\x1b")
    (row,) = (line for line in call("show", "sales.orders").out.split("\n") if "note" in line)
    assert row == "  note  one⏎two⏎property three\ufffd"


def test_a_file_is_named_by_its_path(call: Call, colophon: Commands) -> None:
    here = str(colophon.home / "data/staff.csv")
    for path, said in (("/data/staff.csv", "/data/staff.csv"), (here, "./data/staff.csv")):
        urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)"
        assert call("dataset", "create", said, "--json").answer["urn"] == urn
        assert call("tag", said, "staff").out == f"{said} was changed.\n"
        assert call("set", said, "owner=ada").status == 0
        assert call("unset", said, "owner").status == 0
        assert call("show", said, "--json").answer["user_tags"] == ["staff"]
        assert urn in call("lineage", said).out
        assert call("runs", said).out == "There is none.\n"
        assert call("dataset", "delete", said).status == 0


def test_keys_and_their_values_are_counted(call: Call) -> None:
    call("set", "sales.orders", "Team=ops")
    keys = call("keys", "--prefix=tea", "--json").answer["keys"]
    assert [(one["text"], one["kind"], one["scope"]) for one in keys] == [("Team", "property", "USER")]
    assert "Team  property  USER   1" in call("keys", "--prefix=tea").out
    assert call("keys", "--values=team", "--json").answer["values"][0]["text"] == "ops"
    assert call("keys", "--prefix=zzz").out == "no key begins with zzz\n"


def test_namespaces_are_made_listed_and_deleted(call: Call) -> None:
    assert call("namespace", "create", "fresh").out == "Namespace fresh was made.\n"
    assert call("namespace", "create", "fresh").out == "Namespace fresh was there already.\n"
    assert "fresh" in call("namespace", "list", "--json").answer["namespaces"]
    assert call("namespace", "delete", "fresh").out == "Namespace fresh was deleted.\n"
    assert "fresh" not in call("namespace", "list").out
    full = call("namespace", "delete", "sales")
    assert (full.status, "still contains entities" in full.err) == (1, True)


def test_changes_are_listed_as_lines_records_and_messages(call: Call) -> None:
    listed = [json.loads(line) for line in call("changes", "--namespace=sales", "--json").out.splitlines()]
    assert {one["namespace"] for one in listed} == {"sales"}
    last = listed[-1]["seq"]
    call("tag", "sales.orders", "fresh")
    after = f"--after={last}"
    line = call("changes", after).out.strip().splitlines()[-1]
    assert "businessMetadata" in line
    assert "sales.orders" in line
    records = call("changes", "--namespace=sales", after, "--format=record").out.splitlines()
    assert json.loads(records[-1])["changes"]["additions"]["tags"] == ["fresh"]
    audit = call("changes", "--namespace=sales", after, "--format=audit").out.splitlines()
    assert json.loads(audit[-1])["type"] == "METADATA_CHANGE"
    head = json.loads(records[-1])["seq"]
    assert call("changes", f"--after={head}").out == ""


def test_changes_are_followed_as_they_happen(call: Call, colophon: Commands, request: pytest.FixtureRequest) -> None:
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
        heard: list[str] = []
        reader = threading.Thread(target=lambda: heard.append(following.stdout.readline()), daemon=True)
        reader.start()
        # It begins with what comes: when that is, only a change shows.
        for number in range(300):
            call("tag", "sales.orders", f"t{number}")
            reader.join(timeout=0.2)
            if heard:
                break
        following.terminate()
    told = json.loads(heard[0])
    assert (told["aspect"], told["operation"]) == ("businessMetadata", "update" if told["previous"] else "create")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["show", "sales.nothing"], 1, "not found"),
        (["tag", "sales.nothing", "x"], 1, "not found"),
        (["show", "orders"], 1, "is not a valid name of data"),
        (["show", "data/x.csv"], 1, "the path of a file (from /)"),
        (
            ["tag", "sales.orders", "no tag"],
            1,
            "is not valid; /tags/0: only the letters A to Z and a to z, digits, _ and - ",
        ),
        (["tag", "sales.orders"], 2, "required: TAG (see jupyter colophon tag --help)"),
        (["set", "sales.orders", "x"], 2, "KEY=VALUE"),
        (["search"], 2, "needs words or a filter"),
        (["search", "a*b"], 1, "*"),
        (["search", "x", "--limit=0"], 2, "jupyter colophon: argument --limit: must be a whole number from 1 to 500"),
        (["search", "x", "--limit=few"], 2, "jupyter colophon: argument --limit: must be a whole number from 1 to 500"),
        (["changes", "--namespace=nowhere"], 1, "not found"),
        (["changes", "--after=999999"], 1, "the change log ends at"),
        (["changes", "--after=-1"], 2, "argument --after: must be a whole number from 0"),
        (["changes", "--format=record"], 2, "say --namespace=NAME"),
        (["changes", "--format=xml"], 2, "argument --format: invalid choice: 'xml'"),
        (["namespace", "drop", "x"], 2, "invalid choice: 'drop'"),
        (["namespace", "create", "a-b"], 1, "namespace"),
        (["lineage", "sales.orders", "--start=rubbish"], 2, "--start: a time is"),
        (["lineage", "sales.orders", "--as-of=rubbish"], 2, "--as-of: a time is"),
        (["runs", "sales.orders", "--end=rubbish"], 2, "--end: a time is"),
        (["runs", "sales.orders", "--start=2", "--end=1"], 2, "--start: is after --end"),
        (["show", "sales.orders", "--wrong"], 2, "--wrong"),
    ],
)
def test_what_cannot_be_done_is_one_line(call: Call, words: list[str], status: int, told: str) -> None:
    done = call(*words)
    assert (done.status, done.out) == (status, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_a_server_that_is_not_there_and_a_store_without_a_catalog_are_told(colophon: Commands, tmp_path: Path) -> None:
    away = colophon.bare("search", "x", "--url=http://127.0.0.1:9")
    assert (away.status, away.err.count("\n")) == (1, 1)
    wrong = colophon.bare("search", "x", "--url=ftp://x")
    assert wrong.status == 2
    none = colophon("show", "sales.orders", database=tmp_path / "none.db")
    assert (none.status, "not found" in none.err) == (1, True)
    assert not (tmp_path / "none.db").exists()
