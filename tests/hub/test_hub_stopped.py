"""The hub is away: single-user servers and the service go on, refuse whom they cannot identify, and lose nothing."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.client.transport import ServerAddress, Transport
from support.hub import is_answered, needs_hub
from support.hub_apart import HubApart
from support.postgres import create_empty_store

pytestmark = needs_hub
#: Alice also has the namespace of her notebooks, and `default`, where her program is.
POLICY = {
    "rules": [
        {"role": "contributor", "to": ["group:red"], "on": {"namespace": ["red"]}},
        {"role": "contributor", "to": ["user:alice"], "on": {"namespace": ["user_alice", "default"]}},
        {"role": "viewer", "to": ["user:service:robot"], "on": {"namespace": ["red"]}},
    ]
}
WAYS = ["hangs", "stopped", "killed", "killed with its proxy"]
#: A program that adds a tag every moment, until a file exists.
PROGRAM = """
import itertools, pathlib, time
from jupyter_colophon import metadata
folder = pathlib.Path({folder!r})
for number in itertools.count(1):
    with metadata.run("red.spark.load", arguments={{}}) as context:
        context.metadata.add_tags({urn!r}, f"n{{number}}")
    (folder / "count").write_text(str(number))
    if (folder / "enough").exists():
        break
    time.sleep(0.5)
(folder / "done").touch()
"""
#: The aspect with the tags of users.
TAGS = "businessMetadata"
ADDRESS = "import os; print(os.environ['COLOPHON_URL'], os.environ['COLOPHON_TOKEN'])"


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubApart]:
    """A hub with a member of the group red, one of another group, and an admin."""
    folder = tmp_path_factory.mktemp("hub")
    (folder / "policies").mkdir()
    (folder / "policies" / "teams.json").write_text(json.dumps(POLICY))
    with create_empty_store() as store:
        running = HubApart(
            folder,
            {"red": ["alice"], "blue": ["bob"], "platform": ["grace"]},
            {"writers": ["red", "blue"], "admins": ["platform"]},
            [
                "--allow-root",
                "--storage-provider=postgresql",
                *(f"--Colophon.storage_options={name}={value}" for name, value in store.options.items()),
                f"--Colophon.policy_folder={folder / 'policies'}",
                "--Colophon.admins=group:platform",
                "--HubIdentityProvider.cache_seconds=1",
            ],
        )
        try:
            running.start()
            running.hub.start_server("alice")
            yield running
            running.hub.call("DELETE", "users/alice/server")
        finally:
            running.stop()


@pytest.fixture(scope="module")
def tokens(apart: HubApart) -> dict[str, str]:
    """The token of each user, and one of a program, which the hub does not know."""
    found = {user: apart.hub.create_token(user)[0] for user in ("alice", "bob", "grace")}
    admin = apart.connect(found["grace"])
    apart.hub.wait_until(lambda: is_answered(admin))
    admin.write_aspect("urn:li:namespace:red", "status", {"removed": False})
    program = admin.create_service_token({"name": "robot", "scopes": ["read"], "namespaces": ["red"]})
    return found | {"robot": program["token"]}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_lost_or_shown_while_the_hub_is_away(
    apart: HubApart, tokens: dict[str, str], tmp_path: Path, way: str
) -> None:
    urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,red.{way.replace(' ', '_')},PROD)"
    alice, bob, robot = (apart.connect(tokens[name]) for name in ("alice", "bob", "robot"))
    kernel = apart.hub.open_notebook("alice", tokens["alice"], f"{way}.ipynb")
    url, kernel_token = kernel.run(ADDRESS, "c1").text.split()
    notebook = Operations(Transport(ServerAddress(url, kernel_token)))
    kernel.begin(PROGRAM.format(folder=str(tmp_path), urn=urn), "c2")
    wait_for(lambda: read_tags(alice, urn))
    assert refuse(lambda: read_tags(bob, urn)).status == 404
    stream = follow_changes(apart, tokens["alice"])

    apart.take_hub_away(way)
    try:
        # As long as the hub's last answer counts, everyone is who they were.
        for catalog in (alice, notebook):
            refusal = read_until_refused(catalog, lambda me: me["user"]["username"] == "alice")
            assert (refusal.status, "JupyterHub cannot check the token" in str(refusal)) == (503, True)
        # Open streams end: it is unknown whether their reader may still read.
        assert b"event: hello" in read_to_end(stream)
        for catalog in (bob, apart.connect("f" * 32)):
            assert refuse(lambda reader=catalog: read_tags(reader, urn)).status == 503
        # A token of the catalog itself needs no hub.
        assert read_tags(robot, urn)
        # The program goes on, and what it reports waits.
        before = read_count(tmp_path)
        wait_for(lambda: read_count(tmp_path) > before + 3)
        assert any(file.stat().st_size for file in (apart.hub.folder / "alice").rglob("colophon/outbox/**/*.jsonl"))
        assert f"n{read_count(tmp_path)}" not in read_tags(robot, urn)
    finally:
        apart.bring_hub_back(way)

    (tmp_path / "enough").touch()
    wait_for((tmp_path / "done").exists)
    expected = {f"n{number}" for number in range(1, read_count(tmp_path) + 1)}
    wait_for(lambda: set(read_tags(alice, urn)) == expected)
    assert refuse(lambda: read_tags(bob, urn)).status == 404
    written = [change for change in alice.read_changes(urn=urn, limit=500)["changes"] if change["aspect"] == TAGS]
    assert {change["actor"] for change in written} == {"alice"}
    # Each report was applied once.
    assert len(written) == len(expected)


def read_tags(catalog: Operations, urn: str) -> list[str]:
    return list(catalog.read_entity_metadata(urn)["USER"]["tags"])


def read_count(folder: Path) -> int:
    return int((folder / "count").read_text() or "0")


def refuse(request: Callable[[], Any]) -> RequestFailed:
    """Return the refusal of a request."""
    with pytest.raises(RequestFailed) as refusal:
        request()
    return refusal.value


def read_until_refused(catalog: Operations, is_right: Callable[[dict[str, Any]], bool]) -> RequestFailed:
    """Return the first refusal; until then, every answer must be right."""
    for _ in range(600):
        try:
            assert is_right(catalog.read_me())
        except RequestFailed as refusal:
            return refusal
        time.sleep(0.1)
    raise AssertionError("the catalog answers without the hub")


def wait_for(condition: Callable[[], Any]) -> None:
    """Wait until a condition holds, with requests that fail for now."""
    for _ in range(600):
        try:
            if condition():
                return
        except (RequestFailed, ServerUnavailable, FileNotFoundError):
            pass
        time.sleep(0.1)
    raise AssertionError("the condition does not hold in time")


def follow_changes(apart: HubApart, token: str) -> http.client.HTTPResponse:
    parts = urlsplit(apart.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=120)
    headers = {"Authorization": f"token {token}", "Accept": "text/event-stream"}
    connection.request("GET", f"{parts.path}colophon/api/changes/stream", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    return response


def read_to_end(stream: http.client.HTTPResponse) -> bytes:
    blocks = []
    while block := stream.read1(65_536):
        blocks.append(block)
    return b"".join(blocks)
