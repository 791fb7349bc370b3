"""Proposals from a real Kafka: each is applied once, as the principal of the settings, whatever else is on the topic."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice, sqlite_file
from relay.conftest import Topics, kafka, until
from support.catalog import ADA
from support.catalog import say as tell
from support.kafka.broker import Broker
from support.kafka.heard import listening
from support.kafka.veil import veiled
from support.relaying import Relaying, refused, relaying
from support.urns import table

URN = table("proposed")


@pytest.fixture
def topic(broker: Broker) -> str:
    name = f"proposals-{uuid.uuid4().hex[:8]}"
    broker.make_topic(name, max_message_bytes="3000000")
    return name


def proposal(value: Any, urn: str = URN, **more: Any) -> dict[str, Any]:
    told = {"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "datasetProperties"}
    return told | {"aspect": {"value": json.dumps(value), "contentType": "application/json"}} | more


def say(broker: Broker, topic: str, *messages: Any) -> None:
    """Put messages on a topic, as a client of DataHub does: by URN."""
    producer = Producer({"bootstrap.servers": broker.servers, "message.max.bytes": 3_000_000})
    for one in messages:
        body = one if isinstance(one, bytes) or one is None else json.dumps(one).encode()
        producer.produce(topic, body, URN.encode())
    assert producer.flush(30) == 0


@contextmanager
def taking(
    broker: Broker, topic: str, folder: Path, store: StoreChoice, sinks: Any = None, policy: str = "", **options: Any
) -> Iterator[Relaying]:
    told = {"servers": broker.servers, "topic": topic, "principal": "kafka", "group": uuid.uuid4().hex} | options
    with relaying(folder, store, sinks=sinks or {}, policy=policy, kafka_proposals=told) as relay:
        yield relay


def described(catalog: Catalog, urn: str = URN) -> list[str]:
    """The descriptions that an entity had, newest first."""
    return [one["description"] for one in versions(catalog, urn)]


def versions(catalog: Catalog, urn: str = URN) -> list[Any]:
    found = catalog.feed.changes(0, 500, {"urn": urn}, ADA)
    return [one.value for one in reversed(found) if one.aspect == "datasetProperties" and one.value is not None]


def test_what_is_proposed_is_applied_and_told_and_what_is_not_is_a_failure(
    broker: Broker, topic: str, topics: Topics, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    say(
        broker,
        topic,
        proposal({"description": "first"}),
        b"\x00 no JSON \xff",
        None,
        b'{"a": ' + b"1" * 1_500_000 + b"}",
        proposal({"description": "x"}, "urn:li:unheard:x", entityType="unheard"),
        proposal({"description": 7}),
        proposal({"owner": "ada"}, changeType="RESTATE"),
        proposal({"properties": {"owner": "kafka"}, "tags": []}, aspectName="businessMetadata"),
        proposal({"description": "last"}, auditHeader={"actor": "urn:li:corpuser:root"}),
    )
    sinks = {"kafka": kafka(broker, topics, server=False)}
    with taking(broker, topic, tmp_path, store, sinks) as relay:
        until(lambda: "last" in described(catalog))
        with listening(broker.servers, [topics["failed"], topics["versioned"]]) as listener:
            heard = listener.wait(
                lambda found: (
                    sum(one.topic == topics["failed"] for one in found) >= 7
                    and sum(one.key == URN and one.topic == topics["versioned"] for one in found) >= 4
                )
            )
        assert relay.stop() == 0
    assert described(catalog) == ["last", "first"]
    changes = list(catalog.feed.changes(0, 500, {"urn": URN}, ADA))
    assert {one.actor for one in changes} == {"kafka"}
    failed = [one.value for one in heard if one.topic == topics["failed"]]
    causes = sorted(one["error"].partition(":")[0] for one in failed)
    assert causes == sorted(
        [
            "MalformedBody",
            "MalformedBody",
            "TooLarge",
            "UnknownEntityType",
            "InvalidInstance",
            "InvalidInstance",
            "AccessDenied",
        ]
    )
    assert all(one["metadataChangeProposal"]["changeType"] for one in failed)
    letters, _ = catalog.dead_letters.page("message", 50, "", ADA)
    assert len(letters) == 7
    assert {one.sender for one in letters} == {Principal("kafka", None, frozenset({"read", "emit"}))}


def test_a_message_that_is_handed_to_us_again_has_no_effect(
    broker: Broker, topic: str, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    messages = [proposal({"description": str(number)}) for number in range(20)]
    say(broker, topic, *messages, b"poison")
    with taking(broker, topic, tmp_path / "a", store) as first:
        until(lambda: len(described(catalog)) >= 5)
        first.kill()
    # Another group begins at the beginning, and one that was forgotten would, too.
    with taking(broker, topic, tmp_path / "b", store):
        until(lambda: catalog.dead_letters.page("message", 50, "", ADA)[0])
        say(broker, topic, proposal({"description": "20"}))
        until(lambda: "20" in described(catalog))
    assert described(catalog) == [str(number) for number in reversed(range(21))]
    assert len(catalog.dead_letters.page("message", 50, "", ADA)[0]) == 1


def test_a_topic_that_is_made_anew_is_read_from_its_beginning(
    broker: Broker, topic: str, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    say(broker, topic, proposal({"description": "a"}), proposal({"description": "b"}))
    with taking(broker, topic, tmp_path / "a", store):
        until(lambda: "b" in described(catalog))
    broker.remove_topic(topic)
    broker.make_topic(topic)
    say(broker, topic, proposal({"description": "c"}))
    with taking(broker, topic, tmp_path / "b", store):
        until(lambda: "c" in described(catalog))


def test_kafka_is_found_again_after_it_said_that_no_broker_is_there(
    broker: Broker, topic: str, topics: Topics, tmp_path: Path
) -> None:
    often = tmp_path / "often.properties"
    # It asks at once, and Kafka does not wait long for one that is gone.
    often.write_text("topic.metadata.refresh.interval.ms=100\nsession.timeout.ms=6000\n")
    store = sqlite_file(tmp_path / "store.db")
    catalog = open_catalog(store, Identity())
    with veiled(broker) as veil, listening(broker.servers, [topics["versioned"]]) as listener:

        def goes_both_ways(description: str) -> None:
            say(broker, topic, proposal({"description": description}))
            until(lambda: description in described(catalog))
            listener.wait(lambda heard: any(description in str(one.value) for one in heard))

        to = {"servers": veil.servers, "properties_file": str(often)}
        with taking(broker, topic, tmp_path, store, {"kafka": kafka(broker, topics, server=False, **to)}, **to):
            goes_both_ways("before")
            veil.shake(20)
            goes_both_ways("after")
    catalog.close()


def test_a_failure_can_be_applied_again_when_what_was_wrong_is_right(
    broker: Broker, topic: str, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    # What people say makes no namespace.
    say(broker, topic, proposal({"properties": {"owner": "kafka"}, "tags": []}, aspectName="businessMetadata"))
    with taking(broker, topic, tmp_path / "a", store, scopes=["read", "annotate", "emit"]):
        (letter,) = until(lambda: catalog.dead_letters.page("message", 50, "", ADA)[0])
    assert [(str(one.urn), one.aspect) for one in letter.proposals] == [(URN, "businessMetadata")]
    assert letter.refusal.cause == "NotFound"
    tell(catalog, URN, {"rows": "7"})
    (written,) = catalog.dead_letters.replay(letter.id, ADA)
    assert (written.aspect, written.version) == ("businessMetadata", 1)
    assert catalog.feed.changes(written.seq - 1, 1, {}, ADA)[0].actor == "kafka"
    assert catalog.dead_letters.page("message", 50, "", ADA)[0] == []


def test_the_principal_of_the_settings_may_do_what_the_sites_policy_lets_it(
    broker: Broker, topic: str, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    hidden, own = table("pay", "hr"), {"auditHeader": {"actor": "urn:li:corpuser:root"}, "headers": {"actor": "root"}}
    say(broker, topic, proposal({"description": "rejected"}, hidden, **own), proposal({"description": "fine"}, **own))
    with taking(broker, topic, tmp_path, store, policy="support.policies.Reviewed"):
        until(lambda: "fine" in described(catalog))
        (letter,) = until(lambda: catalog.dead_letters.page("message", 50, "", ADA)[0])
    assert (letter.refusal.cause, letter.sender.user) == ("AccessDenied", "kafka")
    assert described(catalog, hidden) == []


KAFKA = {"servers": "h:1", "principal": "ingestion"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "there is nothing to relay"),
    ({"sinks": {"k": {"kind": "kafka"}}}, "the sink k: the option servers"),
    ({"kafka_proposals": {"servers": "h:1"}}, "the option principal"),
    ({"kafka_proposals": {"principal": "x"}}, "the option servers"),
    ({"kafka_proposals": KAFKA | {"topic": ""}}, "the option topic"),
    ({"kafka_proposals": KAFKA | {"scopes": ["all"]}}, "the option scopes"),
    ({"kafka_proposals": KAFKA | {"password": "hidden"}}, "unknown option 'password'"),
    ({"kafka_proposals": KAFKA | {"properties_file": "/nowhere"}}, "its properties_file cannot be read"),
]


@pytest.mark.parametrize(("settings", "told"), WRONG)
def test_a_relay_that_is_set_wrongly_says_so_in_a_line_and_ends(
    settings: dict[str, Any], told: str, tmp_path: Path
) -> None:
    status, said = refused(tmp_path, sqlite_file(tmp_path / "store.db"), **settings)
    assert status == 2
    assert told in said
    assert said.count("\n") == 1
    assert "hidden" not in said
