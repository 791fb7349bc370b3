"""Catalogs on a store of its own, and relays that deliver from them."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.relay.relay import Relay
from jupyter_colophon.service.changes.sinks import states
from support.kafka import broker as brokers
from support.kafka.broker import Broker
from support.receiver import Receiver, receiving
from support.stores import CATALOGS, READY

SECRET = "a secret of both sides"
Deliver = Callable[..., Relay]
Topics = dict[str, str]
broker = brokers.broker


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_name" in metafunc.fixturenames:
        catalogs = getattr(metafunc.module, "STORES_ASKED", CATALOGS)
        metafunc.parametrize("store_name", metafunc.config.getoption("--storage-provider") or catalogs, scope="session")


@pytest.fixture
def store(store_name: str, tmp_path: Path) -> Iterator[StoreChoice]:
    with READY[store_name](tmp_path) as choice:
        yield choice


@pytest.fixture
def catalog(store: StoreChoice) -> Iterator[Catalog]:
    made = open_catalog(store, Identity())
    yield made
    made.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def deliver(catalog: Catalog) -> Iterator[Deliver]:
    """Begins to deliver to sinks, `hook={…}`; a second time is a second server on the same store."""
    relays: list[Relay] = []

    def begin(to: Catalog | None = None, **sinks: Mapping[str, Any]) -> Relay:
        relay = Relay(sinks, lambda: to or catalog, lambda schema, data: None)
        relay.start()
        relays.append(relay)
        return relay

    yield begin
    for relay in relays:
        relay.close()


@pytest.fixture
def topics() -> Topics:
    """Topics of the test's own."""
    mark = uuid.uuid4().hex[:8]
    return {what: f"{what}-{mark}" for what in ("versioned", "timeseries", "failed", "records", "audit")}


def kafka(broker: Broker, topics: Topics, **options: Any) -> dict[str, Any]:
    """The settings of a sink that tries again at once."""
    usual = {"kind": "kafka", "servers": broker.servers, "topics": topics, "retry_delay_s": 0.05, "lease_s": 4}
    return usual | options


def hook(receiver: Receiver, **options: Any) -> dict[str, Any]:
    """The settings of a webhook that tries again at once."""
    usual = {
        "kind": "webhook",
        "url": receiver.url,
        "secret": SECRET,
        "allow_private": True,
        "retry_delay_s": 0.02,
        "lease_s": 1,
    }
    return usual | options


def state(catalog: Catalog, name: str = "hook") -> Any:
    """How the sink is doing."""
    return states(catalog.provider, [name])[0]


def until(fits: Callable[[], Any]) -> Any:
    """What this is, when it is something."""
    for _ in range(6_000):
        if found := fits():
            return found
        time.sleep(0.05)
    raise AssertionError("it never was so")
