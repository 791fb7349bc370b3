"""Changes on a real Kafka: everything is there, in order for each entity, whatever is away, large or broken."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from jupyter_colophon.wiring import Catalog
from relay.conftest import Deliver, until
from support.catalog import say
from support.kafka.broker import Broker
from support.kafka.heard import Heard, listening
from support.urns import table

TOPICS = {"versioned": "log", "timeseries": "series", "failed": "failed", "records": "records", "audit": "audit"}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    made = Broker(tmp_path_factory.mktemp("kafka") / "node")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def topics(broker: Broker, request: pytest.FixtureRequest) -> dict[str, str]:
    """Topics of the test's own."""
    mark = f"{abs(hash(request.node.nodeid)):x}"
    return {what: f"{name}-{mark}" for what, name in TOPICS.items()}


def kafka(broker: Broker, topics: dict[str, str], **options: Any) -> dict[str, Any]:
    return {"kind": "kafka", "servers": broker.servers, "topics": topics, "pause_s": 0.05, "lease_s": 6} | options


def write(catalog: Catalog, urns: Sequence[str], rounds: int) -> None:
    for number in range(rounds):
        for urn in urns:
            say(catalog, urn, {"number": str(number)})


def numbers(heard: Sequence[Heard], urn: str) -> list[int]:
    """The values of `number` of an entity's business metadata as they came, each event once."""
    seen: dict[str, Any] = {}
    for one in heard:
        if one.key == urn and one.value.get("aspectName") == "technicalMetadata":
            seen.setdefault(one.event, one.value)
    return [int(json.loads(one["aspect"]["value"])["properties"]["number"]) for one in seen.values()]


def test_changes_are_told_in_datahubs_words_and_in_cdaps(
    broker: Broker, topics: dict[str, str], catalog: Catalog, deliver: Deliver
) -> None:
    urns = [table(f"t{n}") for n in range(5)]
    deliver(k=kafka(broker, topics))
    until(lambda: catalog.feed.listeners >= 1)
    write(catalog, urns, 20)
    with listening(broker.servers, [topics["versioned"], topics["records"], topics["audit"]]) as listener:
        heard = listener.wait(lambda found: sum(one.topic == topics["audit"] for one in found) >= 105)
    for urn in urns:
        assert numbers(heard, urn) == list(range(20))
