"""`jupyter colophon requests`, on a local store and on a server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from live import LiveServer
from support.commands import CommandResult, Commands
from support.urns import ORDERS

Call = Callable[..., CommandResult]


@pytest.fixture(scope="module")
def served(served: LiveServer) -> LiveServer:
    """A server with a table that `ops` owns."""
    catalog = served.create_client()
    catalog.write_aspect(ORDERS, "technicalMetadata", {"properties": {}, "tags": []})
    catalog.write_aspect(ORDERS, "businessMetadata", {"properties": {"owner": "ops"}, "tags": []})
    catalog.close()
    return served


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, served: LiveServer, tmp_path: Path) -> Call:
    """Run a command on the catalog's file or on its server."""
    home = tmp_path / "home"
    home.mkdir()
    commands = Commands(home, served.data / "colophon" / "colophon.db", environment={"COLOPHON_TOKEN": served.token})
    if request.param == "store":
        return commands
    return lambda *arguments: commands.run(*arguments, f"--url={served.url}")


def test_question_about_a_column_is_answered(call: Call) -> None:
    request = call(
        "requests", "ask", "sales.orders", "Which unit?", "--column=amount", "--kind=describe", "--json"
    ).answer
    assert (request["state"], [person["name"] for person in request["assignees"]]) == ("open", ["ops"])
    urn = request["urn"]

    def list_states(*options: str) -> list[str]:
        found = call("requests", "list", *options, "--json").answer["requests"]
        return [request["state"] for request in found if request["urn"] == urn]

    assert list_states("--about=sales.orders") == list_states("--list=asked") == list_states("--state=open") == ["open"]
    assert call("requests", "comment", urn, "I look it up.", "--json").answer["state"] == "open"
    response = call("requests", "answer", urn, "Euro.", "--json").answer
    assert [comment["text"] for comment in response["comments"]] == ["I look it up.", "Euro."]
    assert list_states("--state=open") == []
    assert list_states("--state=answered") == ["answered"]
    lines = call("requests", "show", urn).out.splitlines()
    assert lines[0] == "answered: Which unit?"
    assert lines[-1].endswith(": Euro.")
    assert call("requests", "reopen", urn, "--json").answer["state"] == "open"
    assert "Which unit?" in call("requests", "list").out


def test_request_to_read_is_granted(call: Call, tmp_path: Path) -> None:
    request = call("requests", "ask", "sales.orders", "May I?", "--kind=read", "--json").answer
    refused = call("requests", "grant", request["urn"])
    assert (refused.status, "no access policies are in force" in refused.err) == (1, True)
    policy = tmp_path / "team.yaml"
    policy.write_text("rules: [{role: viewer, to: ['*']}]")
    assert call("policies", "set", "team", str(policy)).status == 0
    try:
        granted = call("requests", "grant", request["urn"], "Sure.", "--json").answer
        assert (granted["state"], granted["comments"][-1]["text"].partition("\n")[0]) == ("answered", "Sure.")
        (rule,) = call("policies", "show", "granted-requests", "--json").answer["document"]["rules"]
        user = request["author"]["owner"].rpartition(":")[2]
        assert rule == {"role": "viewer", "to": [f"user:{user}"], "on": {"urnPrefix": [ORDERS]}}
    finally:
        for name in ("granted-requests", "team"):
            call("policies", "delete", name)
