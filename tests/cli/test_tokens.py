"""Service tokens from the command line."""

import re
import time
from collections.abc import Callable
from pathlib import Path

from live import LiveServer
from support.commands import CommandResult, Commands

TOKEN = re.compile(r"colophon_[A-Za-z0-9_-]{43}\n")
REFUSED_S = 120


def wait_until_refused(run: Callable[[], CommandResult]) -> CommandResult:
    """Repeat a command until it fails."""
    until = time.monotonic() + REFUSED_S
    while (done := run()).status == 0 and time.monotonic() < until:
        time.sleep(0.1)
    return done


def test_tokens_are_created_listed_rotated_and_revoked(colophon: Commands, database: Path, served: LiveServer) -> None:
    url = f"--url={served.url}"
    owner = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": served.token}).run
    call = lambda *arguments: owner(*arguments, url)  # noqa: E731  the same words for all commands
    assert call("namespace", "create", "shop").status == 0
    created = call("tokens", "create", "ci", "--scope=read", "--scope=emit", "--namespace=shop")
    assert TOKEN.fullmatch(created.out)
    listed = call("tokens", "list", "--json").answer["serviceTokens"]
    assert [(token["name"], token["scopes"], token["namespaces"]) for token in listed] == [
        ("ci", ["emit", "read"], ["shop"])
    ]
    table = call("tokens", "list").out
    assert ("emit, read" in table, "never" in table, created.out.strip() in table) == (True, True, False)
    again = call("tokens", "create", "ci")
    assert (again.status, "already exists" in again.err) == (1, True)
    # Commands of the program use the token.
    program = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": created.out.strip()}).run

    def list_namespaces() -> CommandResult:
        return program("namespace", "list", "--json", url)

    assert list_namespaces().answer["namespaces"] == ["shop"]
    denied = program("tokens", "list", url)
    assert (denied.status, "service tokens" in denied.err) == (1, True)
    rotated = call("tokens", "rotate", "ci")
    assert TOKEN.fullmatch(rotated.out)
    assert wait_until_refused(list_namespaces).status == 1
    assert call("tokens", "revoke", "ci").out == "Service token ci revoked.\n"
    assert call("tokens", "list").out == "No tokens.\n"
    missing = call("tokens", "revoke", "ci")
    assert (missing.status, "not found" in missing.err) == (1, True)


def test_token_is_created_in_the_store_of_this_machine(colophon: Commands) -> None:
    assert colophon("namespace", "create", "shop").status == 0
    assert TOKEN.fullmatch(colophon("tokens", "create", "ci", "--expires-in-days=7").out)
    token = colophon("tokens", "list", "--json").answer["serviceTokens"][0]
    assert (token["scopes"], token["namespaces"]) == (["read"], None)
    refused = colophon("tokens", "rotate", "ci", "--expires-in-days=1000")
    assert (refused.status, "at most 365" in refused.err) == (1, True)
