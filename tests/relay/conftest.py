"""Catalogs on separate stores, and relays that deliver their changes."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.relay.relay import SinkRelay
from jupyter_colophon.service.changes.sinks import read_sink_states
from support.kafka import broker as brokers
from support.kafka.broker import Broker
from support.stores import CATALOGS, READY
from support.webhook_receiver import WebhookReceiver, start_webhook_receiver

SECRET = "a secret of both sides"
Deliver = Callable[..., SinkRelay]
Topics = dict[str, str]
broker = brokers.broker


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_name" in metafunc.fixturenames:
        catalogs = getattr(metafunc.module, "STORES_REQUESTED", CATALOGS)
        metafunc.parametrize("store_name", metafunc.config.getoption("--storage-provider") or catalogs, scope="session")


@pytest.fixture
def store(store_name: str, tmp_path: Path) -> Iterator[StorageChoice]:
    with READY[store_name](tmp_path) as choice:
        yield choice


@pytest.fixture
def catalog(store: StorageChoice) -> Iterator[Catalog]:
    made = open_or_create_catalog(store, IdentityRules())
    yield made
    made.close()


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with start_webhook_receiver() as made:
        yield made


@pytest.fixture
def deliver(catalog: Catalog) -> Iterator[Deliver]:
    """Return a function that starts delivery to sinks, `hook={…}`; a second call is a second server on the same store."""
    relays: list[SinkRelay] = []

    def begin(to: Catalog | None = None, **sinks: Mapping[str, Any]) -> SinkRelay:
        relay = SinkRelay(sinks, lambda: to or catalog, lambda schema, data: None)
        relay.start()
        relays.append(relay)
        return relay

    yield begin
    for relay in relays:
        relay.close()


@pytest.fixture
def topics() -> Topics:
    """Return topic names unique to the test."""
    mark = uuid.uuid4().hex[:8]
    return {what: f"{what}-{mark}" for what in ("versioned", "timeseries", "failed", "records", "audit")}


def build_kafka_settings(broker: Broker, topics: Topics, **options: Any) -> dict[str, Any]:
    """Return the settings of a Kafka sink with a short retry delay."""
    usual = {
        "kind": "kafka",
        "servers": broker.servers,
        "topics": topics,
        "retry_delay_seconds": 0.05,
        "lease_seconds": 4,
    }
    return usual | options


def build_webhook_settings(receiver: WebhookReceiver, **options: Any) -> dict[str, Any]:
    """Return the settings of a webhook with a short retry delay."""
    usual = {
        "kind": "webhook",
        "url": receiver.url,
        "secret": SECRET,
        "allow_private": True,
        "retry_delay_seconds": 0.02,
        "lease_seconds": 1,
    }
    return usual | options


def read_sink_state(catalog: Catalog, name: str = "hook") -> Any:
    """Return the state of a sink."""
    return read_sink_states(catalog.provider, [name])[0]


def wait_until_true(fits: Callable[[], Any]) -> Any:
    """Wait until the function returns a true value, and return it."""
    for _ in range(6_000):
        if found := fits():
            return found
        time.sleep(0.05)
    raise AssertionError("the condition was never fulfilled")
