"""Proposals from a Kafka topic: each is applied once, as the configured principal."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from relay.conftest import Topics, build_kafka_settings, wait_until_true
from support.catalog import ADA
from support.catalog import write_metadata as write
from support.kafka.broker import Broker
from support.kafka.broker_proxy import open_proxy
from support.kafka.topic_listener import open_topic_listener
from support.relay_process import RelayProcess, run_refused_relay, start_relay_process
from support.urns import build_table_urn

URN = build_table_urn("proposed")


@pytest.fixture
def topic(broker: Broker) -> str:
    name = f"proposals-{uuid.uuid4().hex[:8]}"
    broker.create_topic(name, max_message_bytes="3000000")
    return name


def proposal(value: Any, urn: str = URN, **more: Any) -> dict[str, Any]:
    document = {"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "datasetProperties"}
    return document | {"aspect": {"value": json.dumps(value), "contentType": "application/json"}} | more


def send(broker: Broker, topic: str, *messages: Any) -> None:
    """Send messages to a topic with the URN as key, like DataHub's clients."""
    producer = Producer({"bootstrap.servers": broker.servers, "message.max.bytes": 3_000_000})
    for one in messages:
        body = one if isinstance(one, bytes) or one is None else json.dumps(one).encode()
        producer.produce(topic, body, URN.encode())
    assert producer.flush(30) == 0


@contextmanager
def consuming(
    broker: Broker, topic: str, folder: Path, store: StorageChoice, sinks: Any = None, policy: str = "", **options: Any
) -> Iterator[RelayProcess]:
    settings = {"servers": broker.servers, "topic": topic, "principal": "kafka", "group": uuid.uuid4().hex} | options
    with start_relay_process(folder, store, sinks=sinks or {}, policy=policy, kafka_proposals=settings) as relay:
        yield relay


def list_descriptions(catalog: Catalog, urn: str = URN) -> list[str]:
    """Return the descriptions of an entity, newest first."""
    return [one["description"] for one in list_versions(catalog, urn)]


def list_versions(catalog: Catalog, urn: str = URN) -> list[Any]:
    found = catalog.feed.read_visible_changes(0, 500, {"urn": urn}, ADA)
    return [one.value for one in reversed(found) if one.aspect == "datasetProperties" and one.value is not None]


def test_valid_proposals_are_applied_and_invalid_ones_reported(
    broker: Broker, topic: str, topics: Topics, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    send(
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
    sinks = {"kafka": build_kafka_settings(broker, topics, server=False)}
    with consuming(broker, topic, tmp_path, store, sinks) as relay:
        wait_until_true(lambda: "last" in list_descriptions(catalog))
        with open_topic_listener(broker.servers, [topics["failed"], topics["versioned"]]) as listener:
            received = listener.wait_for_records(
                lambda found: (
                    sum(one.topic == topics["failed"] for one in found) >= 7
                    and sum(one.key == URN and one.topic == topics["versioned"] for one in found) >= 4
                )
            )
        assert relay.stop() == 0
    assert list_descriptions(catalog) == ["last", "first"]
    changes = list(catalog.feed.read_visible_changes(0, 500, {"urn": URN}, ADA))
    assert {one.actor for one in changes} == {"kafka"}
    failed = [one.value for one in received if one.topic == topics["failed"]]
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
    letters, _ = catalog.dead_letters.list_visible_page("message", 50, "", ADA)
    assert len(letters) == 7
    assert {one.sender for one in letters} == {Principal("kafka", None, frozenset({"read", "emit"}))}


def test_redelivered_message_has_no_effect(
    broker: Broker, topic: str, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    messages = [proposal({"description": str(number)}) for number in range(20)]
    send(broker, topic, *messages, b"poison")
    with consuming(broker, topic, tmp_path / "a", store) as first:
        wait_until_true(lambda: len(list_descriptions(catalog)) >= 5)
        first.kill()
    # Another consumer group starts at the beginning, like one whose offsets expired.
    with consuming(broker, topic, tmp_path / "b", store):
        wait_until_true(lambda: catalog.dead_letters.list_visible_page("message", 50, "", ADA)[0])
        send(broker, topic, proposal({"description": "20"}))
        wait_until_true(lambda: "20" in list_descriptions(catalog))
    assert list_descriptions(catalog) == [str(number) for number in reversed(range(21))]
    assert len(catalog.dead_letters.list_visible_page("message", 50, "", ADA)[0]) == 1


def test_recreated_topic_is_read_from_beginning(
    broker: Broker, topic: str, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    send(broker, topic, proposal({"description": "a"}), proposal({"description": "b"}))
    with consuming(broker, topic, tmp_path / "a", store):
        wait_until_true(lambda: "b" in list_descriptions(catalog))
    broker.delete_topic(topic)
    broker.create_topic(topic)
    send(broker, topic, proposal({"description": "c"}))
    with consuming(broker, topic, tmp_path / "b", store):
        wait_until_true(lambda: "c" in list_descriptions(catalog))


def test_consumer_recovers_after_empty_broker_list(broker: Broker, topic: str, topics: Topics, tmp_path: Path) -> None:
    often = tmp_path / "often.properties"
    # Refresh metadata quickly, and let Kafka drop a lost consumer early.
    often.write_text("topic.metadata.refresh.interval.ms=100\nsession.timeout.ms=6000\n")
    store = choose_sqlite_store(tmp_path / "store.db")
    catalog = open_or_create_catalog(store, IdentityRules())
    with open_proxy(broker) as veil, open_topic_listener(broker.servers, [topics["versioned"]]) as listener:

        def check_round_trip(description: str) -> None:
            send(broker, topic, proposal({"description": description}))
            wait_until_true(lambda: description in list_descriptions(catalog))
            listener.wait_for_records(lambda received: any(description in str(one.value) for one in received))

        to = {"servers": veil.servers, "properties_file": str(often)}
        with consuming(
            broker, topic, tmp_path, store, {"kafka": build_kafka_settings(broker, topics, server=False, **to)}, **to
        ):
            check_round_trip("before")
            veil.send_empty_broker_lists(20)
            check_round_trip("after")
    catalog.close()


def test_dead_letter_can_be_replayed_after_fix(
    broker: Broker, topic: str, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    # USER metadata does not create a namespace.
    send(broker, topic, proposal({"properties": {"owner": "kafka"}, "tags": []}, aspectName="businessMetadata"))
    with consuming(broker, topic, tmp_path / "a", store, scopes=["read", "annotate", "emit"]):
        (letter,) = wait_until_true(lambda: catalog.dead_letters.list_visible_page("message", 50, "", ADA)[0])
    assert [(str(one.urn), one.aspect) for one in letter.proposals] == [(URN, "businessMetadata")]
    assert letter.refusal.cause == "NotFound"
    write(catalog, URN, {"rows": "7"})
    (written,) = catalog.dead_letters.retry_and_delete_letter(letter.id, ADA)
    assert (written.aspect, written.version) == ("businessMetadata", 1)
    assert catalog.feed.read_visible_changes(written.seq - 1, 1, {}, ADA)[0].actor == "kafka"
    assert catalog.dead_letters.list_visible_page("message", 50, "", ADA)[0] == []


def test_configured_principal_is_subject_to_site_policy(
    broker: Broker, topic: str, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    hidden, own = (
        build_table_urn("pay", "hr"),
        {"auditHeader": {"actor": "urn:li:corpuser:root"}, "headers": {"actor": "root"}},
    )
    send(broker, topic, proposal({"description": "rejected"}, hidden, **own), proposal({"description": "fine"}, **own))
    with consuming(broker, topic, tmp_path, store, policy="support.policies.KafkaDeniedInHr"):
        wait_until_true(lambda: "fine" in list_descriptions(catalog))
        (letter,) = wait_until_true(lambda: catalog.dead_letters.list_visible_page("message", 50, "", ADA)[0])
    assert (letter.refusal.cause, letter.sender.user) == ("AccessDenied", "kafka")
    assert list_descriptions(catalog, hidden) == []


KAFKA = {"servers": "h:1", "principal": "ingestion"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "nothing to relay"),
    ({"sinks": {"k": {"kind": "kafka"}}}, "sink k: the option servers"),
    ({"kafka_proposals": {"servers": "h:1"}}, "the option principal"),
    ({"kafka_proposals": {"principal": "x"}}, "the option servers"),
    ({"kafka_proposals": KAFKA | {"topic": ""}}, "the option topic"),
    ({"kafka_proposals": KAFKA | {"scopes": ["all"]}}, "the option scopes"),
    ({"kafka_proposals": KAFKA | {"password": "hidden"}}, "unknown option 'password'"),
    ({"kafka_proposals": KAFKA | {"properties_file": "/nowhere"}}, "the properties_file cannot be read"),
]


@pytest.mark.parametrize(("settings", "expected"), WRONG)
def test_invalid_relay_settings_print_one_line_and_exit(
    settings: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    status, output = run_refused_relay(tmp_path, choose_sqlite_store(tmp_path / "store.db"), **settings)
    assert status == 2
    assert expected in output
    assert output.count("\n") == 1
    assert "hidden" not in output
