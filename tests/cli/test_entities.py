"""Commands on datasets, applications and namespaces, on a local store and on a server."""

import getpass
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from live import LiveServer
from support.catalog import ADA, open_catalog_file
from support.commands import CommandResult, Commands
from support.urns import CELL

Call = Callable[..., CommandResult]


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """Run a command on a catalog with the empty namespace `shop`."""
    if request.param == "store":
        commands: Call = colophon
    else:
        server: LiveServer = request.getfixturevalue("served")
        bare = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": server.token}).run
        url = f"--url={server.url}"
        commands = lambda *arguments: bare(*arguments, url)  # noqa: E731  the same words for both
    assert commands("namespace", "create", "shop").status == 0
    return commands


def test_dataset_is_created_shown_listed_and_deleted(call: Call, tmp_path: Path) -> None:
    avro = tmp_path / "schema.json"
    avro.write_text(json.dumps({"type": "record", "name": "r", "fields": [{"name": "price", "type": "int"}]}))
    options = [
        "--type=table",
        "--description=All orders",
        "--ttl=604800",
        f"--schema={avro}",
        "--setting=format=parquet",
    ]
    text = ["--property=owner=ada", "--property=note=a = b", "--tag=gold", "--tag=raw"]
    assert call("dataset", "create", "shop.orders", *options, *text).out == "Dataset shop.orders saved.\n"
    again = call("dataset", "create", "shop.orders", *options, *text, "--json").answer
    assert (again["changed"], "shop.orders" in again["urn"]) == (False, True)
    shown = call("dataset", "show", "shop.orders", "--json").answer
    assert (shown["user"], shown["user_tags"]) == ({"owner": "ada", "note": "a = b"}, ["gold", "raw"])
    assert (shown["system"]["type"], shown["system"]["ttl"]) == ("table", "604800")
    assert "All orders" in call("dataset", "show", "shop.orders").out
    listed = call("dataset", "list", "--namespace=shop", "--json").answer["entities"]
    assert [(one["name"], one["namespace"]) for one in listed] == [("orders", "shop")]
    assert "orders  shop" in call("dataset", "list").out
    assert call("search", "schema:price", "--json").answer["total"] == 1
    assert call("dataset", "delete", "shop.orders").out == "Dataset shop.orders deleted.\n"
    gone = call("dataset", "show", "shop.orders")
    assert (gone.status, "not found" in gone.err) == (1, True)
    assert call("dataset", "list", "--namespace=shop").out == "No entities.\n"
    assert call("namespace", "delete", "shop").status == 0


def test_namespace_delete_removes_its_files(colophon: Commands) -> None:
    assert colophon("namespace", "create", "shop").status == 0
    data = colophon.home / "data"
    events = data / "colophon" / "streams" / "shop" / "clicks-1"
    events.mkdir(parents=True)
    pipeline = {"stages": [{"name": "a", "type": "source", "plugin": "table", "properties": {"name": "t"}}]}
    schedule = {"pipeline": "flow", "every": "P1D"}
    stored: dict[str, list[Path]] = {"shop": [], "sales": []}
    for space, schema, members in (
        ("pipelines", "pipeline", pipeline),
        ("pipelines", "schedule", schedule),
        ("saved-searches", "saved-search", {"query": "*"}),
    ):
        for namespace, places in stored.items():
            place = data / "metadata" / space / f"{schema}-{namespace}.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            document = {"display_name": schema, "schema_name": schema, "metadata": {"namespace": namespace, **members}}
            place.write_text(json.dumps(document), "utf-8")
            places.append(place)
    assert colophon("namespace", "delete", "shop").out == "Namespace shop deleted.\n"
    assert [place.name for place in stored["shop"] if place.exists()] == []
    assert [place.name for place in stored["sales"] if not place.exists()] == []
    assert not events.parent.exists()


def test_application_is_redeployed_and_deleted(call: Call) -> None:
    first = ["--program=flows/Load", "--program=spark/Join", "--artifact=jar", "--plugin=Table=Table:source"]
    assert call("app", "create", "shop.etl", *first, "--schedule=nightly=at two").out == "Application shop.etl saved.\n"
    shown = call("app", "show", "shop.etl", "--json").answer
    assert {"Flow:Load", "Spark:Join", "artifact", "plugin:Table", "schedule:nightly"} <= shown["system"].keys()
    call("app", "create", "shop.etl", "--tag=mine")
    call("app", "create", "shop.etl", "--program=spark/Join")
    shown = call("app", "show", "shop.etl", "--json").answer
    assert ("Flow:Load" in shown["system"], "Spark:Join" in shown["system"], shown["user_tags"]) == (
        False,
        True,
        ["mine"],
    )
    call("app", "create", "shop.etl", "--remove-all-programs")
    assert "Spark:Join" not in call("app", "show", "shop.etl", "--json").answer["system"]
    assert [one["name"] for one in call("app", "list", "--namespace=shop", "--json").answer["entities"]] == ["etl"]
    assert call("app", "delete", "shop.etl").status == 0
    assert call("namespace", "delete", "shop").status == 0


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["dataset", "create", "none.orders"], 1, "namespace 'none' not found"),
        (["dataset", "create", "orders"], 1, "is not a valid dataset name"),
        (["dataset", "create", "shop.x", "--property=x"], 2, "KEY=VALUE"),
        (["dataset", "create", "shop.x", "--tag=no tag"], 1, "is not valid"),
        (["dataset", "create", "shop.x", "--schema=/nowhere"], 1, "/nowhere"),
        (["dataset", "create"], 2, "required: NAME"),
        (["dataset", "delete", "shop.nothing"], 1, "not found"),
        (["dataset", "drop", "shop.x"], 2, "unknown subcommand 'drop'"),
        (["app", "create", "etl"], 1, "<namespace>.<application>"),
        (["app", "create", "urn:li:namespace:x"], 1, "it is the URN of a namespace"),
        (["app", "create", "shop.etl", "--program=Load"], 2, "TYPE/PROGRAM"),
        (["app", "create", "shop.etl", "--program=rockets/x"], 1, "rockets"),
        (["namespace", "create", "system"], 1, "reserved"),
    ],
)
def test_failure_prints_one_line(call: Call, words: list[str], status: int, message: str) -> None:
    done = call(*words)
    assert (done.status, done.out, done.err.count("\n")) == (status, "", 1), done
    assert message in done.err


def test_schema_must_be_text(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "schema"
    file.write_bytes(b"id\xff\xfe")
    done = call("dataset", "create", "shop.orders", f"--schema={file}")
    assert (done.status, done.out, done.err) == (1, "", f"jupyter colophon: the file {file} is not UTF-8\n")
    assert call("dataset", "list", "--namespace=shop").out == "No entities.\n"
    file.write_text("id LONG, größe DOUBLE")
    assert call("dataset", "create", "shop.orders", f"--schema={file}").status == 0


def test_programs_are_listed_and_found_by_their_titles(colophon: Commands, database: Path) -> None:
    catalog = open_catalog_file(database)
    flow = Urn.parse("urn:li:dataFlow:(airflow,daily,default)")
    names = {flow: ("dataFlowInfo", {"name": "Daily loads"}), Urn.parse(CELL): ("dataJobInfo", {"name": "Clean rows"})}
    info = {"type": {"string": "COMMAND"}, "customProperties": {}}
    catalog.write_path.apply_proposals_atomically(
        [
            Proposal(urn, aspect, "upsert", value | (info if urn.type == "dataJob" else {"customProperties": {}}))
            for urn, (aspect, value) in names.items()
        ],
        ADA,
    )
    catalog.close()
    assert f"daily     Daily loads  default    {flow}" in colophon("app", "list").out
    assert f"Clean rows ({CELL})" in colophon("search", "clean").out
    (hit,) = colophon("search", "clean", "--json").answer["hits"]
    assert (hit["urn"], hit["displayName"]) == (CELL, "Clean rows")


def test_can_answers_by_its_exit_code(call: Call) -> None:
    user = getpass.getuser()
    answer = call("can", user, "write", "shop.orders", "--group=etl", "--json")
    assert (answer.status, answer.answer["permission"], answer.answer["groups"]) == (0, "annotate", ["etl"])
    assert call("can", user, "read", "shop.orders").out == "yes: no access policies are in force\n"
    assert call("can", user, "own", "shop.orders").status == 2
