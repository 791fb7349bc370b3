"""Sinks of a real server: configured sinks get the changes, and health has their state."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from support.catalog import build_metadata_value
from support.urns import ORDERS
from support.webhook_receiver import WebhookReceiver, start_webhook_receiver

SECRET = "a secret of both sides"


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with start_webhook_receiver() as made:
        yield made


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], receiver: WebhookReceiver) -> dict[str, Any]:
    jp_server_config["Colophon"] |= {
        "sinks": {
            "audit": {
                "kind": "webhook",
                "url": receiver.url,
                "secret": SECRET,
                "allow_private": True,
                "retry_delay_seconds": 0.1,
            },
            "bus": {"kind": "jupyter-events"},
            "inside": {"kind": "webhook", "url": receiver.url, "secret": SECRET, "retry_delay_seconds": 0.1},
        }
    }
    return jp_server_config


async def health(api: Any, name: str, fits: Any) -> Any:
    for _ in range(6_000):
        sinks = (await api("GET", "health", answers="health")).body["sinks"]
        (found,) = [one for one in sinks if one["name"] == name]
        if fits(found):
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(found)


async def test_sink_delivers_and_health_has_its_state(
    api: Any, sales: None, receiver: WebhookReceiver, jp_serverapp: Any
) -> None:
    received: list[Any] = []

    async def listen(logger: Any, schema_id: str, data: Any) -> None:
        received.append(data)

    catalog = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog()
    while catalog.feed.listeners < 3:
        await asyncio.sleep(0.05)
    await api("PUT", "entities", ORDERS, "aspects", "technicalMetadata", body=build_metadata_value({"first": "1"}))
    while "urn:jupyter-colophon:events:change:v1" not in jp_serverapp.event_logger.schemas:
        await asyncio.sleep(0.05)
    jp_serverapp.event_logger.add_listener(schema_id="urn:jupyter-colophon:events:change:v1", listener=listen)
    await health(api, "audit", lambda one: one["lag"] == 0)
    written = await api(
        "PUT", "entities", ORDERS, "aspects", "technicalMetadata", body=build_metadata_value({"secret": "Hidden"})
    )
    seq = written.body["seq"]
    await asyncio.get_running_loop().run_in_executor(
        None, receiver.wait_until, lambda one: seq in one.accepted_sequence_numbers
    )
    audit = await health(api, "audit", lambda one: one["lag"] == 0)
    assert (audit["kind"], audit["problem"], audit["deadLetters"], audit["oldestPending"]) == ("webhook", "", 0, None)
    inside = await health(api, "inside", lambda one: one["attempts"] > 0)
    assert "on this machine or its network" in inside["problem"]
    assert inside["lag"] > 0
    while not any(one["seq"] == seq for one in received):
        await asyncio.sleep(0.05)
    assert [one for one in received if one["seq"] == seq] == [{"seq": seq, "urn": ORDERS}]
