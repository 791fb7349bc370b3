"""Commands on entities, on the store of this machine and on a server's: what they say and what they change."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from live import LiveServer, live_server
from support.catalog import metadata
from support.commands import Commands, Done

Call = Callable[..., Done]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """Calls a command. `sales.orders` is there, with an owner of machines' own, and nothing of people's."""
    if request.param == "store":
        return colophon
    server: LiveServer = request.getfixturevalue("served")
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
    catalog = server.catalog()
    catalog.put_aspect(urn, "technicalMetadata", metadata({"owner": "ops"}, ["faa"]))
    catalog.put_aspect(urn, "businessMetadata", metadata())
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
    text = call("show", "sales.orders").out
    assert "orders (dataset of sales)" in text
    assert "property   note" in text
    found = call("search", "tags:gold", "--json").answer
    assert [one["name"] for one in found["hits"]] == ["orders"]
    assert "1 of 1" in call("search", "tags:gold", "--type=dataset").out
    assert call("search", "tags:gold", "--type=dataFlow").out == "Nothing was found.\n"
    assert call("tag", "sales.orders", "gold", "--remove").status == 0
    assert call("unset", "sales.orders", "note").status == 0
    shown = call("show", "sales.orders", "--json").answer
    assert (shown["user"], shown["user_tags"]) == ({"team": "ops"}, ["daily"])


def test_keys_and_their_values_are_counted(call: Call) -> None:
    call("set", "sales.orders", "Team=ops")
    keys = call("keys", "--prefix=te", "--json").answer["keys"]
    assert [(one["text"], one["kind"], one["scope"]) for one in keys] == [("Team", "property", "USER")]
    assert "Team   property   USER    1" in call("keys", "--prefix=te").out
    assert call("keys", "--values=team", "--json").answer["values"][0]["text"] == "ops"
    assert call("keys", "--prefix=zzz").out == "There is none.\n"


def test_namespaces_are_made_listed_and_deleted(call: Call) -> None:
    assert call("namespace", "create", "fresh").out == "Namespace fresh was made.\n"
    assert "fresh" in call("namespace", "list", "--json").answer["namespaces"]
    assert call("namespace", "delete", "fresh").out == "Namespace fresh was deleted.\n"
    assert "fresh" not in call("namespace", "list").out
    full = call("namespace", "delete", "sales")
    assert (full.status, "still holds entities" in full.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["show", "sales.nothing"], 1, "there is no"),
        (["tag", "sales.nothing", "x"], 1, "there is no"),
        (["show", "orders"], 1, "is no name of data"),
        (["tag", "sales.orders", "no tag"], 1, "is not valid; /"),
        (["tag", "sales.orders"], 2, "tag ENTITY TAG"),
        (["set", "sales.orders", "x"], 2, "KEY=VALUE"),
        (["search"], 2, "search WORD"),
        (["search", "a*b"], 1, "*"),
        (["search", "x", "--limit=0"], 2, "jupyter colophon: The value of the 'limit' trait"),
        (["search", "x", "--limit=few"], 2, "jupyter colophon: The 'limit' trait"),
        (["namespace", "drop", "x"], 2, "list, create NAME or delete NAME"),
        (["namespace", "create", "a-b"], 1, "namespace"),
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
    assert (none.status, "no catalog" in none.err) == (1, True)
    assert not (tmp_path / "none.db").exists()
