"""Changes on a real Kafka: everything is there, in order for each entity, whatever is away, large or broken."""

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
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.sinks import follower
from relay.conftest import Deliver, Topics, kafka, state, until
from support.catalog import ADA, say, touch
from support.changes import add_changes
from support.kafka.broker import PASSWORD, USER, Broker
from support.kafka.heard import Heard, listening
from support.relaying import relaying
from support.urns import CELL, table

#: What the relay asks of a store, test_webhook.py asks of each.
STORES_ASKED = ["sqlite"]
URNS = [table(f"t{n}") for n in range(5)]


def begun(catalog: Catalog) -> None:
    """Wait until somebody delivers to the sink: it begins with what comes then."""
    until(lambda: catalog.provider.tx_runner.run(lambda tx: cursors.read(tx, follower("kafka")), read_only=True))


def write(catalog: Catalog, rounds: int, start: int = 0, urns: Sequence[str] = URNS) -> None:
    """Have each entity say so many numbers, one after the other."""
    for number in range(start, start + rounds):
        for urn in urns:
            say(catalog, urn, {"number": str(number)})


def numbers(heard: Sequence[Heard], urn: str) -> list[int]:
    """The numbers that an entity said, as they were heard first. An event that comes again is the same event."""
    events: dict[str, Any] = {}
    for one in heard:
        if one.key == urn and one.value.get("aspectName") == "technicalMetadata":
            assert events.setdefault(one.event, one.value) == one.value
    return [int(json.loads(one["aspect"]["value"])["properties"]["number"]) for one in events.values()]


def heard_all(rounds: int, urns: Sequence[str] = URNS) -> Callable[[Sequence[Heard]], bool]:
    """Whether each entity was heard to say all its numbers."""
    return lambda heard: all(len(numbers(heard, urn)) >= rounds for urn in urns)


def test_a_change_is_told_in_datahubs_words_and_in_cdaps(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver
) -> None:
    deliver(kafka=kafka(broker, topics))
    begun(catalog)
    urn = table("orders")
    write(catalog, 2, urns=[urn])
    with listening(broker.servers, [topics["versioned"], topics["records"], topics["audit"]]) as listener:
        heard = listener.wait(lambda found: sum(one.key == urn for one in found) >= 9)
    log = [one.value for one in heard if one.topic == topics["versioned"] and one.key == urn]
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
    records = [one.value["updated"]["properties"] for one in heard if one.topic == topics["records"] and one.key == urn]
    assert records == [{"number": "0"}, {"number": "1"}]
    audits = [one.value["type"] for one in heard if one.topic == topics["audit"] and one.key == urn]
    assert audits == ["CREATE", "METADATA_CHANGE", "METADATA_CHANGE"]
    # One change has one event id, wherever it is told.
    assert {one.event for one in heard if one.topic == topics["records"]} < {
        one.event for one in heard if one.topic == topics["versioned"]
    }


def test_a_topic_can_be_switched_off(broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver) -> None:
    deliver(kafka=kafka(broker, topics | {"records": "", "audit": None}))
    begun(catalog)
    write(catalog, 1)
    with listening(broker.servers, list(topics.values())) as listener:
        heard = listener.wait(heard_all(1))
    until(lambda: state(catalog, "kafka").behind == 0)
    assert {one.topic for one in heard} == {topics["versioned"]}


def test_what_a_killed_relay_left_is_told_by_the_next_in_order(
    broker: Broker, topics: Topics, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    told = {"kafka": kafka(broker, topics, server=False)}
    writer = threading.Thread(target=write, args=(catalog, 120))
    with relaying(tmp_path / "a", store, sinks=told) as first:
        begun(catalog)
        with listening(broker.servers, [topics["versioned"]]) as listener:
            writer.start()
            listener.wait(lambda heard: len(heard) > 100)
            first.kill()
            writer.join()
            with relaying(tmp_path / "b", store, sinks=told):
                heard = listener.wait(heard_all(120))
                until(lambda: state(catalog, "kafka").behind == 0)
    for urn in URNS:
        assert numbers(heard, urn) == list(range(120))


def test_a_relay_that_hangs_is_taken_over_from_and_spoils_nothing_when_it_goes_on(
    broker: Broker, topics: Topics, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    told = {"kafka": kafka(broker, topics, server=False)}
    with relaying(tmp_path / "a", store, sinks=told) as first:
        begun(catalog)
        with relaying(tmp_path / "b", store, sinks=told), listening(broker.servers, [topics["versioned"]]) as listener:
            write(catalog, 10)
            listener.wait(lambda heard: len(heard) > 10)
            first.freeze()
            write(catalog, 10, 10)
            listener.wait(heard_all(20))
            first.thaw()
            write(catalog, 10, 20)
            heard = listener.wait(heard_all(30))
            until(lambda: state(catalog, "kafka").behind == 0)
    for urn in URNS:
        assert numbers(heard, urn) == list(range(30))


def test_of_two_relays_one_leads_and_the_other_goes_on_when_it_stops(
    broker: Broker, topics: Topics, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    # Nobody is taken over from because the machine is busy.
    told = {"kafka": kafka(broker, topics, server=False, lease_s=30)}
    with relaying(tmp_path / "a", store, sinks=told) as first, relaying(tmp_path / "b", store, sinks=told):
        begun(catalog)
        with listening(broker.servers, [topics["versioned"]]) as listener:
            write(catalog, 10)
            listener.wait(heard_all(10))
            assert first.stop() == 0
            write(catalog, 10, 10)
            heard = listener.wait(heard_all(20))
        until(lambda: state(catalog, "kafka").behind == 0)
    # Who stops in peace leaves nothing to be told twice.
    assert len(heard) == len({one.event for one in heard})
    for urn in URNS:
        assert numbers(heard, urn) == list(range(20))


def test_what_is_too_large_or_cannot_be_told_is_a_dead_letter_and_the_others_go_on(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver
) -> None:
    deliver(kafka=kafka(broker, topics | {"records": "", "audit": ""}))
    begun(catalog)
    write(catalog, 3)
    # More than the broker takes, more than the client takes, and what is no change of any entity.
    for name, size in (("large", 700_000), ("huge", 2_000_000)):
        say(catalog, table(name), {f"k{n}": "x" * 50_000 for n in range(size // 50_000)})
    broken = _broken(catalog)
    write(catalog, 3, 3)
    with listening(broker.servers, [topics["versioned"]]) as listener:
        heard = listener.wait(heard_all(6))
    until(lambda: state(catalog, "kafka").behind == 0)
    for urn in URNS:
        assert numbers(heard, urn) == list(range(6))
    letters, _ = catalog.dead_letters.page("delivery", 50, "", ADA)
    assert [one.refusal.detail for one in letters if one.seq == broken] == ["it cannot be told (InvalidName)"]
    told = {one.seq: (str(one.proposals[0].urn), one.refusal.detail) for one in letters if one.seq != broken}
    assert sorted(told.values()) == [
        (table("huge"), "it is larger than Kafka takes (1000000 bytes)"),
        (table("large"), "Kafka refuses it (MSG_SIZE_TOO_LARGE)"),
    ]


def test_a_broker_that_asks_for_a_password_gets_that_of_the_file_and_nobody_else_does(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def told(password: str) -> dict[str, Any]:
        file = tmp_path / f"{password}.properties"
        login = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "sasl.username": USER}
        login["sasl.password"] = password
        file.write_text("".join(f"{name}={value}\n" for name, value in login.items()))
        return kafka(broker, topics, servers=broker.guarded, properties_file=str(file))

    first = deliver(kafka=told("another-one"))
    begun(catalog)
    write(catalog, 1)
    problem = until(lambda: state(catalog, "kafka").problem)
    assert "_AUTHENTICATION" in problem
    first.close()
    # What waited for the right one is told.
    deliver(kafka=told(PASSWORD))
    with listening(broker.servers, [topics["versioned"]]) as listener:
        listener.wait(heard_all(1))
    until(lambda: state(catalog, "kafka").behind == 0)
    assert all(one not in caplog.text + problem for one in ("another-one", PASSWORD))


def test_more_than_the_client_holds_waits_and_each_record_is_there_once(
    broker: Broker, topics: Topics, catalog: Catalog, deliver: Deliver, tmp_path: Path
) -> None:
    few = tmp_path / "kafka.properties"
    few.write_text("queue.buffering.max.messages=7\n")
    deliver(kafka=kafka(broker, topics, properties_file=str(few)))
    begun(catalog)
    write(catalog, 40)
    with listening(broker.servers, [topics["versioned"]]) as listener:
        heard = listener.wait(heard_all(40))
    until(lambda: state(catalog, "kafka").behind == 0)
    for urn in URNS:
        assert numbers(heard, urn) == list(range(40))
    assert len(heard) == len({one.event for one in heard})
    assert catalog.dead_letters.page("delivery", 50, "", ADA)[0] == []
    # What the client sends again is there once: the broker knows its producer, and how far it had it.
    assert min(broker.producers(topics["versioned"])) >= 0


def test_the_topics_have_datahubs_and_cdaps_names_where_none_are_told(
    broker: Broker, store: StoreChoice, catalog: Catalog, tmp_path: Path
) -> None:
    broker.make_topic("MetadataChangeProposal_v1")
    sink = {"kind": "kafka", "servers": broker.servers, "server": False, "lease_s": 4}
    taken = {"servers": broker.servers, "principal": "kafka"}
    with relaying(tmp_path, store, sinks={"kafka": sink}, kafka_proposals=taken):
        begun(catalog)
        urn, profile = table("orders"), {"timestampMillis": 1, "rowCount": 7}
        say(catalog, urn, {"number": "0"})
        catalog.write_path.propose([Proposal(Urn.parse(urn), "datasetProfile", "upsert", profile)], ADA)
        touch(catalog, CELL, "r1", ("read", urn))
        producer = Producer({"bootstrap.servers": broker.servers})
        producer.produce("MetadataChangeProposal_v1", b"poison")
        assert producer.flush(30) == 0
        with listening(broker.servers, NAMES) as listener:
            heard = listener.wait(lambda found: {one.topic for one in found} == {*NAMES} and "ACCESS" in kinds(found))
    assert {"CREATE", "METADATA_CHANGE", "ACCESS"} <= kinds(heard)
    moments = [one for one in heard if one.topic == "MetadataChangeLog_Timeseries_v1"]
    # While topics are made, a batch of which one record came too late is sent again.
    (told,) = {one.event: one for one in moments}.values()
    assert (told.key, told.value["entityUrn"], told.value["aspectName"]) == (urn, urn, "datasetProfile")
    assert json.loads(told.value["aspect"]["value"])["rowCount"] == 7
    for one in heard:
        assert one.key == one.value.get("entityUrn", one.key)


#: The topics that DataHub and CDAP use (spec DH-10).
NAMES = [
    "MetadataChangeLog_Versioned_v1",
    "MetadataChangeLog_Timeseries_v1",
    "FailedMetadataChangeProposal_v1",
    "cdap-metadata-updates",
    "audit",
]


def kinds(heard: Sequence[Heard]) -> set[str]:
    """What audit messages are of."""
    return {one.value["type"] for one in heard if one.topic == "audit"}


def _broken(catalog: Catalog) -> int:
    """Damage in the log: a change whose entity has no URN; returns its number."""
    row = {"time": 1, "urn": "urn:li:dataset:(", "type": "dataset", "namespace": "sales", "name": "?"}
    row |= {"aspect": "technicalMetadata", "operation": "update", "version": 1, "scope": "SYSTEM", "actor": "ada"}
    row |= {
        "via": None,
        "run": None,
        "previous_system": None,
        "system": None,
        "previous": None,
        "value": '{"properties":{"a":"b"},"tags":[]}',
    }
    return catalog.provider.tx_runner.run(lambda tx: add_changes(tx, row)[0])


WRONG = [
    ({}, "the option servers must be"),
    ({"servers": "h:1", "topics": {"logs": "x"}}, "there is no topic 'logs'"),
    ({"servers": "h:1", "topics": {"audit": 3}}, "its topic audit must be a name"),
    ({"servers": "h:1", "password": "hidden"}, "unknown option 'password'"),
    ({"servers": "h:1", "properties_file": "/nowhere"}, "its properties_file cannot be read"),
    ({"servers": "h:1", "properties": "hidden"}, "line 1 of its properties_file is not name=value"),
    ({"servers": "h:1", "properties": "acks=hidden"}, "its properties_file may not say 'acks'"),
    ({"servers": "h:1", "properties": "sasl.passwort=hidden"}, "refuses the property sasl.passwort"),
    ({"servers": "h:1", "properties": "socket.timeout.ms=hidden"}, "refuses the property socket.timeout.ms"),
    ({"servers": "h:1", "properties": "ssl.ca.location=/hidden\nsecurity.protocol=ssl"}, "refuses a property"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_a_sink_that_is_set_wrongly_is_told_without_what_it_was_told(
    options: dict[str, Any], told: str, catalog: Catalog, deliver: Deliver, tmp_path: Path
) -> None:
    options = dict(options)
    if "properties" in options:
        file = tmp_path / "kafka.properties"
        file.write_text(options.pop("properties"))
        options["properties_file"] = str(file)
    relay = deliver(kafka={"kind": "kafka"} | options)
    found = until(lambda: relay.problems.get("kafka"))
    assert told in found
    assert "hidden" not in found
