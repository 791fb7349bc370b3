"""What an access policy hides passes none of the ways on which changes and programs leave the server.

Each way is also opened deliberately, and the test notices: lists, search, lineage, exports and writes are tested by
random policies in `tests/service/test_policies.py`.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.relay import relay, sink_worker
from jupyter_colophon.service.changes.feed import ChangeFeed
from jupyter_colophon.service.changes.inbox import ProposalInbox
from jupyter_colophon.service.instances.access import InstanceAccess
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.write_authorization import WriteAuthorization
from support.change_socket import open_change_socket
from support.events import open_event_stream
from support.urns import ORDERS, build_table_urn
from support.webhook_receiver import WebhookReceiver, start_webhook_receiver

#: The name of everything that is hidden from `ada`.
MARK = "quxlefrob"
SECRET = build_table_urn(MARK)
SECRET_FLOW, FLOW = (f"urn:li:dataFlow:(colophon,{name},sales)" for name in (MARK, "etl"))
POLICY = "urn:li:accessPolicy:channels"
EVENT = "urn:jupyter-colophon:events:change:v1"
RULES = [
    {"role": "viewer", "to": ["user:ada"], "on": {"namespace": ["sales"]}},
    {"role": "viewer", "to": ["*"], "on": {"tag": ["shown"]}},
    {"deny": ["read"], "to": ["*"], "on": {"tag": ["pii"]}},
]
STAGES = [
    {"name": "a", "type": "source", "plugin": "file", "properties": {"path": "/a", "format": "csv"}},
    {"name": "b", "type": "sink", "plugin": "file", "properties": {"path": "/b"}},
]


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with start_webhook_receiver() as started:
        yield started


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], receiver: WebhookReceiver) -> dict[str, Any]:
    webhook = {"kind": "webhook", "url": receiver.url, "secret": "a secret of both sides", "allow_private": True}
    jp_server_config["Colophon"] |= {
        "sinks": {"of-ada": webhook | {"principal": "ada"}, "bus": {"kind": "jupyter-events"}}
    }
    return jp_server_config


@dataclass
class World:
    """A server with policies in force, two callers, and the destinations of its changes."""

    api: Any
    ada: dict[str, str]
    server: Any
    receiver: WebhookReceiver
    fetch: Any
    port: int
    base_url: str
    written: int = 0

    async def call(self, *request: Any, **options: Any) -> Any:
        """Call the API as `ada`."""
        return await self.api(*request, anonymous=True, headers=self.ada, **options)

    async def put(self, urn: str, aspect: str, value: Any) -> int:
        done = await self.api("PUT", "entities", urn, "aspects", aspect, body=value)
        assert done.status == 200, done.body
        return int(done.body["seq"])

    async def set_rules(self, rules: list[dict[str, Any]]) -> None:
        await self.put(POLICY, "accessRules", {"rules": rules})

    async def change_both(self) -> int:
        """Change what is hidden, then what is shown; return the number of the last change."""
        self.written += 1
        number = str(self.written)
        for urn, tag in ((SECRET, "pii"), (ORDERS, "shown")):
            seq = await self.put(urn, "businessMetadata", {"properties": {"n": number, "owner": "ada"}, "tags": [tag]})
        return seq

    @property
    def catalog(self) -> Any:
        return self.server.web_app.settings[SETTING].get_or_open_catalog()


@pytest.fixture
def world(
    api: Any,
    kernel: dict[str, str],
    jp_serverapp: Any,
    receiver: WebhookReceiver,
    http_server_client: Any,
    jp_http_port: int,
    jp_base_url: str,
    jp_asyncio_loop: Any,
) -> World:
    made = World(api, kernel, jp_serverapp, receiver, http_server_client.fetch, jp_http_port, jp_base_url)
    jp_asyncio_loop.run_until_complete(_fill(made))
    return made


async def _fill(made: World) -> None:
    # Before anything else: sinks deliver what is written before there are policies.
    await made.set_rules(RULES)
    for space in ("sales", "hr"):
        await made.put(f"urn:li:namespace:{space}", "status", {"removed": False})
    await made.change_both()
    for urn, tag in ((SECRET_FLOW, "pii"), (FLOW, "shown")):
        await made.put(urn, "businessMetadata", {"properties": {}, "tags": [tag]})
    for name, space in ((MARK, "hr"), ("shown", "sales")):
        metadata = {"namespace": space, "stages": STAGES, "connections": [{"from": "a", "to": "b"}]}
        pipeline = {"name": name, "display_name": name, "schema_name": "pipeline", "metadata": metadata}
        done = await made.api("POST", "schemaspaces", "pipelines", "instances", body=pipeline)
        assert done.status == 201, done.body


async def _follow_socket(world: World) -> Any:
    url = f"ws://127.0.0.1:{world.port}{world.base_url}colophon/api/changes/ws"
    listener = await open_change_socket(url, world.ada)
    last = await world.change_both()
    seen = await listener.read_until(lambda change: change["seq"] == last)
    listener.socket.close()
    return seen


async def _follow_events(world: World) -> Any:
    stream = await open_event_stream(world.port, f"{world.base_url}colophon/api/changes/stream", world.ada)
    await stream.read_next()
    last = await world.change_both()
    seen = await stream.read_until(lambda change: change["seq"] == last)
    stream.close()
    return seen


async def _poll(world: World) -> Any:
    head = (await world.call("GET", "changes", params={"limit": 0})).body["cursor"]
    hub = world.server.web_app.settings[SETTING].change_hub
    waiting = asyncio.ensure_future(world.call("GET", "changes", params={"after": head, "waitSeconds": 30}))
    while not hub.count:
        await asyncio.sleep(0.01)
    await world.change_both()
    return (await waiting).body["changes"]


async def _ask_assistant(world: World) -> Any:
    head = (await world.call("GET", "changes", params={"limit": 0})).body["cursor"]
    await world.change_both()
    call = {"name": "colophon_changes", "arguments": {"after": head}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = await world.fetch(
        f"{world.base_url}colophon/mcp", method="POST", headers=world.ada | accepted, body=json.dumps(message)
    )
    return answer.body.decode()


async def _receive_webhook(world: World) -> Any:
    last = await world.change_both()
    await asyncio.to_thread(world.receiver.wait_until, lambda one: last in one.accepted_sequence_numbers)
    return world.receiver.got


async def _listen_to_bus(world: World) -> Any:
    received: list[Any] = []

    async def listen(logger: Any, schema_id: str, data: Any) -> None:
        received.append(data)

    while EVENT not in world.server.event_logger.schemas:
        await asyncio.sleep(0.01)
    world.server.event_logger.add_listener(schema_id=EVENT, listener=listen)
    last = await world.change_both()
    while not any(event["seq"] == last for event in received):
        await asyncio.sleep(0.01)
    return received


async def _list_applications(world: World) -> Any:
    return (await world.call("GET", "entities", params={"type": "dataFlow"})).body["entities"]


async def _ask_what_to_be_notified_of(world: World) -> Any:
    return (await world.call("POST", "me", "owned", body={"urns": [SECRET, ORDERS]})).body["urns"]


async def _list_pipelines(world: World) -> Any:
    listed = (await world.call("GET", "schemaspaces", "pipelines", "instances")).body["instances"]
    return [instance["name"] for instance in listed]


async def _apply_from_inbox(world: World) -> Any:
    """Send a batch as a contributor, who is not one any more when it is applied."""
    catalog = world.catalog
    catalog.inbox.stop_thread()
    await world.set_rules([*RULES, {"role": "contributor", "to": ["user:ada"], "on": {"namespace": ["sales"]}}])
    value = {"properties": {"note": MARK}, "tags": ["shown"]}
    proposal = {"urn": ORDERS, "aspect": "businessMetadata", "operation": "upsert", "value": value}
    accepted = await world.call("POST", "proposals", body={"proposals": [proposal]}, params={"async": "true"})
    assert accepted.status == 202
    await world.set_rules(RULES)
    inbox = ProposalInbox(catalog.provider, catalog.write_path, catalog.write_path.now)
    inbox.start_applying_in_background()
    while (await world.api("GET", "health")).body["inbox"]["pending"]:
        await asyncio.sleep(0.01)
    inbox.stop_thread()
    return [ORDERS, (await world.api("GET", "entities", ORDERS, "aspects", "businessMetadata")).body["value"]]


@dataclass(frozen=True)
class Channel:
    """A way on which something hidden could leave, a word of what is shown on it, and a patch that opens it."""

    look: Callable[[World], Awaitable[Any]]
    shown: str
    hole: tuple[Any, str, Any]


def _filter_no_changes(self: Any, changes: Any, where: Any, principal: Any) -> Any:
    return list(changes)


def _select_all_changes(catalog: Any, options: Any, changes: Any) -> Any:
    return changes


_FEED = (ChangeFeed, "filter_visible_changes", _filter_no_changes)
CHANNELS = {
    "WebSocket": Channel(_follow_socket, ORDERS, _FEED),
    "server-sent events": Channel(_follow_events, ORDERS, _FEED),
    "long poll": Channel(_poll, ORDERS, _FEED),
    "assistant": Channel(_ask_assistant, ORDERS, _FEED),
    "sink": Channel(_receive_webhook, ORDERS, (sink_worker, "select_changes_of_sink", _select_all_changes)),
    "event bus": Channel(_listen_to_bus, ORDERS, (relay, "select_changes_of_sink", _select_all_changes)),
    "applications": Channel(
        _list_applications,
        FLOW,
        (ReadPolicy, "filter_visible_of_types", lambda self, tx, principal, items, describe: list(items)),
    ),
    "notifications": Channel(
        _ask_what_to_be_notified_of,
        ORDERS,
        (ReadPolicy, "filter_visible_entities", lambda self, principal, urns: list(urns)),
    ),
    "pipelines": Channel(
        _list_pipelines,
        "shown",
        (InstanceAccess, "may_see_instance", lambda self, principal, key, name, metadata: True),
    ),
    "inbox": Channel(
        _apply_from_inbox, ORDERS, (WriteAuthorization, "_may", lambda self, principal, permission, resource, tx: True)
    ),
}


async def test_nothing_hidden_passes_any_channel(world: World) -> None:
    for name, channel in CHANNELS.items():
        seen = json.dumps(await channel.look(world))
        assert (name, channel.shown in seen, MARK in seen) == (name, True, False)


async def test_a_hole_in_any_channel_is_noticed(world: World) -> None:
    for name, channel in CHANNELS.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(*channel.hole)
            seen = json.dumps(await channel.look(world))
        assert (name, MARK in seen) == (name, True)


async def test_a_changed_policy_filters_an_open_stream(world: World) -> None:
    url = f"ws://127.0.0.1:{world.port}{world.base_url}colophon/api/changes/ws"
    listener = await open_change_socket(url, world.ada)
    last = await world.change_both()
    assert {change["urn"] for change in await listener.read_until(lambda one: one["seq"] == last)} == {ORDERS}
    await world.set_rules([{"role": "viewer", "to": ["user:ada"], "on": {"tag": ["pii"]}}])
    hidden = await world.change_both()
    # What is visible now follows, and what no longer is does not, on the same connection.
    await world.set_rules([{"role": "viewer", "to": ["user:ada"]}])
    last = await world.change_both()
    seen = await listener.read_until(lambda one: one["seq"] == last)
    assert [change["urn"] for change in seen if change["seq"] == hidden] == []
    assert {change["urn"] for change in seen if change["seq"] < hidden} >= {SECRET}
    listener.socket.close()
