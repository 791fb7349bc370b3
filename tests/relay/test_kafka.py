"""Delivery of changes to a Kafka broker: complete and in order for each entity, despite outages and invalid changes."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.sinks import get_follower_name_of_sink
from relay.conftest import Deliver, Topics, build_kafka_settings, read_sink_state, wait_until_true
from support.catalog import ADA, record_run, write_metadata
from support.changes import add_changes
from support.kafka.broker import PASSWORD, USER, Broker
from support.kafka.topic_listener import TopicRecord, open_topic_listener
from support.relay_process import start_relay_process
from support.urns import CELL, build_table_urn

#: test_webhook.py tests the relay on each store.
STORES_REQUESTED = ["sqlite"]
URNS = [build_table_urn(f"t{n}") for n in range(5)]


def wait_until_started(catalog: Catalog) -> None:
    """Wait until the sink has a position: it receives changes from then on."""
    wait_until_true(
        lambda: catalog.provider.tx_runner.run(
            lambda tx: cursors.find_follower_row(tx, get_follower_name_of_sink("kafka")), read_only=True
        )
    )


def write(catalog: Catalog, rounds: int, start: int = 0, urns: Sequence[str] = URNS) -> None:
    """Write `rounds` consecutive numbers to each entity."""
    for number in range(start, start + rounds):
        for urn in urns:
            write_metadata(catalog, urn, {"number": str(number)})


def numbers(received: Sequence[TopicRecord], urn: str) -> list[int]:
    """Return the numbers received for an entity, in order of first arrival; a repeated event must be identical."""
    events: dict[str, Any] = {}
    for one in received:
        if one.key == urn and one.value.get("aspectName") == "technicalMetadata":
            assert events.setdefault(one.event, one.value) == one.value
    return [int(json.loads(one["aspect"]["value"])["properties"]["number"]) for one in events.values()]


def received_all(rounds: int, urns: Sequence[str] = URNS) -> Callable[[Sequence[TopicRecord]], bool]:
    """Return a predicate: all numbers of each entity were received."""
    return lambda received: all(len(numbers(received, urn)) >= rounds for urn in urns)


def test_change_is_published_in_datahub_and_cdap_formats(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver
) -> None:
    deliver(kafka=build_kafka_settings(broker, topics))
    wait_until_started(catalog)
    urn = build_table_urn("orders")
    write(catalog, 2, urns=[urn])
    with open_topic_listener(broker.servers, [topics["versioned"], topics["records"], topics["audit"]]) as listener:
        received = listener.wait_for_records(lambda found: sum(one.key == urn for one in found) >= 9)
    log = [one.value for one in received if one.topic == topics["versioned"] and one.key == urn]
    assert [(one["aspectName"], one["changeType"]) for one in log] == [
        ("datasetKey", "CREATE"),
        ("status", "UPSERT"),
        ("technicalMetadata", "UPSERT"),
        ("technicalMetadata", "UPSERT"),
    ]
    last = log[-1]
    assert (last["entityType"], last["entityUrn"], last["created"]["actor"]) == ("dataset", urn, "urn:li:corpuser:ada")
    assert json.loads(last["previousAspectValue"]["value"]) == {"properties": {"number": "0"}, "tags": []}
    assert last["aspect"] == {"value": '{"properties":{"number":"1"},"tags":[]}', "contentType": "application/json"}
    records = [
        one.value["updated"]["properties"] for one in received if one.topic == topics["records"] and one.key == urn
    ]
    assert records == [{"number": "0"}, {"number": "1"}]
    audits = [one.value["type"] for one in received if one.topic == topics["audit"] and one.key == urn]
    assert audits == ["CREATE", "METADATA_CHANGE", "METADATA_CHANGE"]
    # A change has the same event id on every topic.
    assert {one.event for one in received if one.topic == topics["records"]} < {
        one.event for one in received if one.topic == topics["versioned"]
    }


def test_topic_can_be_disabled(broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver) -> None:
    deliver(kafka=build_kafka_settings(broker, topics | {"records": "", "audit": None}))
    wait_until_started(catalog)
    write(catalog, 1)
    with open_topic_listener(broker.servers, list(topics.values())) as listener:
        received = listener.wait_for_records(received_all(1))
    wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    assert {one.topic for one in received} == {topics["versioned"]}


def test_next_relay_continues_after_kill_in_order(
    broker: Broker, topics: Topics, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    sinks = {"kafka": build_kafka_settings(broker, topics, server=False)}
    writer = threading.Thread(target=write, args=(catalog, 120))
    with start_relay_process(tmp_path / "a", store, sinks=sinks) as first:
        wait_until_started(catalog)
        with open_topic_listener(broker.servers, [topics["versioned"]]) as listener:
            writer.start()
            listener.wait_for_records(lambda received: len(received) > 100)
            first.kill()
            writer.join()
            with start_relay_process(tmp_path / "b", store, sinks=sinks):
                received = listener.wait_for_records(received_all(120))
                wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    for urn in URNS:
        assert numbers(received, urn) == list(range(120))


def test_frozen_relay_is_replaced_and_does_no_harm_on_resume(
    broker: Broker, topics: Topics, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    sinks = {"kafka": build_kafka_settings(broker, topics, server=False)}
    with start_relay_process(tmp_path / "a", store, sinks=sinks) as first:
        wait_until_started(catalog)
        with (
            start_relay_process(tmp_path / "b", store, sinks=sinks),
            open_topic_listener(broker.servers, [topics["versioned"]]) as listener,
        ):
            write(catalog, 10)
            listener.wait_for_records(lambda received: len(received) > 10)
            first.freeze()
            write(catalog, 10, 10)
            listener.wait_for_records(received_all(20))
            first.resume()
            write(catalog, 10, 20)
            received = listener.wait_for_records(received_all(30))
            wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    for urn in URNS:
        assert numbers(received, urn) == list(range(30))


def test_second_relay_takes_over_when_first_stops(
    broker: Broker, topics: Topics, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    # A long lease, so that a busy machine causes no takeover.
    sinks = {"kafka": build_kafka_settings(broker, topics, server=False, lease_seconds=30)}
    with (
        start_relay_process(tmp_path / "a", store, sinks=sinks) as first,
        start_relay_process(tmp_path / "b", store, sinks=sinks),
    ):
        wait_until_started(catalog)
        with open_topic_listener(broker.servers, [topics["versioned"]]) as listener:
            write(catalog, 10)
            listener.wait_for_records(received_all(10))
            assert first.stop() == 0
            write(catalog, 10, 10)
            received = listener.wait_for_records(received_all(20))
        wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    # After an orderly stop nothing is delivered twice.
    assert len(received) == len({one.event for one in received})
    for urn in URNS:
        assert numbers(received, urn) == list(range(20))


def test_oversized_or_unserializable_change_becomes_dead_letter(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver
) -> None:
    deliver(kafka=build_kafka_settings(broker, topics | {"records": "", "audit": ""}))
    wait_until_started(catalog)
    write(catalog, 3)
    # Larger than the broker accepts, larger than the client accepts, and a damaged change.
    for name, size in (("large", 700_000), ("huge", 2_000_000)):
        write_metadata(catalog, build_table_urn(name), {f"k{n}": "x" * 50_000 for n in range(size // 50_000)})
    broken = _broken(catalog)
    write(catalog, 3, 3)
    with open_topic_listener(broker.servers, [topics["versioned"]]) as listener:
        received = listener.wait_for_records(received_all(6))
    wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    for urn in URNS:
        assert numbers(received, urn) == list(range(6))
    letters, _ = catalog.dead_letters.list_visible_page("delivery", 50, "", ADA)
    assert [one.refusal.detail for one in letters if one.seq == broken] == [
        "the change cannot be serialized (InvalidName)"
    ]
    problems = {one.seq: (str(one.proposals[0].urn), one.refusal.detail) for one in letters if one.seq != broken}
    assert sorted(problems.values()) == [
        (build_table_urn("huge"), "the record is larger than the maximum of Kafka (1000000 bytes)"),
        (build_table_urn("large"), "Kafka rejected the record (MSG_SIZE_TOO_LARGE)"),
    ]


def test_password_from_properties_file_is_used_and_not_logged(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def configure(password: str) -> dict[str, Any]:
        file = tmp_path / f"{password}.properties"
        login = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "sasl.username": USER}
        login["sasl.password"] = password
        file.write_text("".join(f"{name}={value}\n" for name, value in login.items()))
        return build_kafka_settings(
            broker, topics, servers=broker.password_protected_servers, properties_file=str(file)
        )

    first = deliver(kafka=configure("another-one"))
    wait_until_started(catalog)
    write(catalog, 1)
    problem = wait_until_true(lambda: read_sink_state(catalog, "kafka").problem)
    assert "_AUTHENTICATION" in problem
    first.close()
    # Changes that waited are delivered with the correct password.
    deliver(kafka=configure(PASSWORD))
    with open_topic_listener(broker.servers, [topics["versioned"]]) as listener:
        listener.wait_for_records(received_all(1))
    wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    assert all(one not in caplog.text + problem for one in ("another-one", PASSWORD))


def test_full_client_queue_sends_each_record_once(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver, tmp_path: Path
) -> None:
    few = tmp_path / "kafka.properties"
    few.write_text("queue.buffering.max.messages=7\n")
    deliver(kafka=build_kafka_settings(broker, topics, properties_file=str(few)))
    wait_until_started(catalog)
    write(catalog, 40)
    with open_topic_listener(broker.servers, [topics["versioned"]]) as listener:
        received = listener.wait_for_records(received_all(40))
    wait_until_true(lambda: read_sink_state(catalog, "kafka").undelivered == 0)
    for urn in URNS:
        assert numbers(received, urn) == list(range(40))
    assert len(received) == len({one.event for one in received})
    assert catalog.dead_letters.list_visible_page("delivery", 50, "", ADA)[0] == []
    # Client retries are deduplicated: the broker knows the producer id and its sequence numbers.
    assert min(broker.list_producer_ids(topics["versioned"])) >= 0


def test_default_topics_have_datahub_and_cdap_names(
    broker: Broker, store: StorageChoice, catalog: Catalog, tmp_path: Path
) -> None:
    broker.create_topic("MetadataChangeProposal_v1")
    sink = {"kind": "kafka", "servers": broker.servers, "server": False, "lease_seconds": 4}
    taken = {"servers": broker.servers, "principal": "kafka"}
    with start_relay_process(tmp_path, store, sinks={"kafka": sink}, kafka_proposals=taken):
        wait_until_started(catalog)
        urn, profile = build_table_urn("orders"), {"timestampMillis": 1, "rowCount": 7}
        write_metadata(catalog, urn, {"number": "0"})
        catalog.write_path.apply_proposals_atomically(
            [Proposal(Urn.parse(urn), "datasetProfile", "upsert", profile)], ADA
        )
        record_run(catalog, CELL, "r1", ("read", urn))
        producer = Producer({"bootstrap.servers": broker.servers})
        producer.produce("MetadataChangeProposal_v1", b"poison")
        assert producer.flush(30) == 0
        with open_topic_listener(broker.servers, NAMES) as listener:
            received = listener.wait_for_records(
                lambda found: {one.topic for one in found} == {*NAMES} and "ACCESS" in kinds(found)
            )
    assert {"CREATE", "METADATA_CHANGE", "ACCESS"} <= kinds(received)
    moments = [one for one in received if one.topic == "MetadataChangeLog_Timeseries_v1"]
    # While topics are created, a batch with a delayed record is sent again.
    (profile_event,) = {one.event: one for one in moments}.values()
    assert (profile_event.key, profile_event.value["entityUrn"], profile_event.value["aspectName"]) == (
        urn,
        urn,
        "datasetProfile",
    )
    assert json.loads(profile_event.value["aspect"]["value"])["rowCount"] == 7
    for one in received:
        assert one.key == one.value.get("entityUrn", one.key)


#: The topics that DataHub and CDAP use (spec DH-10).
NAMES = [
    "MetadataChangeLog_Versioned_v1",
    "MetadataChangeLog_Timeseries_v1",
    "FailedMetadataChangeProposal_v1",
    "cdap-metadata-updates",
    "audit",
]


def kinds(received: Sequence[TopicRecord]) -> set[str]:
    """Return the types of the audit messages."""
    return {one.value["type"] for one in received if one.topic == "audit"}


def _broken(catalog: Catalog) -> int:
    """Insert a damaged change, whose entity has an invalid URN, and return its number."""
    row = {"time": 1, "urn": "urn:li:dataset:(", "type": "dataset", "namespace": "sales", "name": "?"}
    row |= {"aspect": "technicalMetadata", "operation": "update", "version": 1, "scope": "SYSTEM", "actor": "ada"}
    row |= {
        "via": None,
        "run": None,
        "previous_system": None,
        "system": None,
        "token": None,
        "previous": None,
        "value": '{"properties":{"a":"b"},"tags":[]}',
    }
    return catalog.provider.tx_runner.run(lambda tx: add_changes(tx, row)[0])


WRONG = [
    ({}, "the option servers must be"),
    ({"servers": "h:1", "topics": {"logs": "x"}}, "unknown topic 'logs'"),
    ({"servers": "h:1", "topics": {"audit": 3}}, "the topic audit must be a name"),
    ({"servers": "h:1", "password": "hidden"}, "unknown option 'password'"),
    ({"servers": "h:1", "properties_file": "/nowhere"}, "the properties_file cannot be read"),
    ({"servers": "h:1", "properties": "hidden"}, "line 1 of the properties_file is not name=value"),
    ({"servers": "h:1", "properties": "acks=hidden"}, "the properties_file must not set 'acks'"),
    ({"servers": "h:1", "properties": "sasl.passwort=hidden"}, "rejects the property sasl.passwort"),
    ({"servers": "h:1", "properties": "socket.timeout.ms=hidden"}, "rejects the property socket.timeout.ms"),
    ({"servers": "h:1", "properties": "ssl.ca.location=/hidden\nsecurity.protocol=ssl"}, "rejects a property"),
]


@pytest.mark.parametrize(("options", "expected"), WRONG)
def test_invalid_sink_options_are_reported_without_values(
    options: dict[str, Any], expected: str, catalog: Catalog, deliver: Deliver, tmp_path: Path
) -> None:
    options = dict(options)
    if "properties" in options:
        file = tmp_path / "kafka.properties"
        file.write_text(options.pop("properties"))
        options["properties_file"] = str(file)
    relay = deliver(kafka={"kind": "kafka"} | options)
    found = wait_until_true(lambda: relay.problems.get("kafka"))
    assert expected in found
    assert "hidden" not in found
