"""Connections of the application dataprep to Kafka: topics, samples of messages, and what is refused."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import BadRequest, NotFound
from support.catalog import ADA
from support.kafka.broker import PASSWORD, USER, Broker
from support.stores import open_new_catalog
from support.system_apps import call_app, open_shipped_apps

Call = Callable[..., Any]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with open_new_catalog("sqlite", tmp_path) as opened:
        opened.deployer.create_or_update_namespace("sales", {}, ADA)
        yield opened


@pytest.fixture
def call(catalog: Catalog, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """`call("GET", "connections")`, with the connection `kafka` to the broker."""
    monkeypatch.setenv("COLOPHON_DATAPREP_HOSTS", "127.0.0.1")
    apps = open_shipped_apps(catalog, ["dataprep"])

    def call_method(method: str, path: str, body: Any = None, /, **query: str) -> Any:
        values = {name: [value] for name, value in query.items()}
        return call_app(apps, method, f"/v2/contexts/sales/{path}", body, query=values)

    call_method("PUT", "connections/kafka", {"type": "kafka", "servers": broker.servers})
    yield call_method
    apps.close()


@pytest.fixture
def orders(broker: Broker) -> Iterator[str]:
    """A topic with five JSON objects in two partitions."""
    broker.create_topic("shop.orders", 2)
    producer = Producer({"bootstrap.servers": broker.servers})
    for number in range(5):
        value = json.dumps({"n": number, "item": f"i{number}"})
        producer.produce("shop.orders", value, key=f"k{number}", partition=number % 2)
    producer.flush(60)
    yield "shop.orders"
    broker.delete_topic("shop.orders")


def test_topics_are_browsed_and_messages_sampled(call: Call, broker: Broker, orders: str) -> None:
    document = {"type": "kafka", "servers": broker.servers}
    assert call("POST", "connections/test", document)["message"].startswith("Kafka with ")
    (topic,) = [entry for entry in call("GET", "connections/kafka/browse")["entries"] if entry["name"] == orders]
    assert (topic["partitions"], topic["path"], topic["canSample"]) == (2, orders, True)
    call("PUT", "connections/texts", document | {"format": "text"})
    assert call("POST", "connections/texts/sample", {"path": orders, "limit": 1})["columns"][1]["name"] == "value"
    page = call("POST", "connections/kafka/sample", {"path": orders})
    assert [row[0] for row in page["rows"]] == [0, 2, 4, 1, 3]
    newest = call("POST", "connections/kafka/sample", {"path": orders, "from": "latest", "limit": 2})
    assert sorted(row[0] for row in newest["rows"]) == [3, 4]
    texts = call("POST", "connections/kafka/sample", {"path": orders, "format": "text", "limit": 5})
    assert [column["name"] for column in texts["columns"]] == [
        "key",
        "value",
        "topic",
        "partition",
        "offset",
        "timestamp",
    ]
    assert texts["rows"][1][:5] == ["k2", '{"n": 2, "item": "i2"}', orders, 0, 1]
    lines = call("POST", "connections/kafka/sample", {"path": orders, "format": "csv", "limit": 1})
    assert [column["name"] for column in lines["columns"]] == ["column_1", "column_2"]
    with pytest.raises(NotFound, match="topic 'missing' not found"):
        call("POST", "connections/kafka/sample", {"path": "missing"})


def test_unusual_messages_are_shown_or_refused(call: Call, broker: Broker) -> None:
    topic = "shop.unusual"
    broker.create_topic(topic, 1, message_timestamp_after_max_ms=str(2**62))
    producer = Producer({"bootstrap.servers": broker.servers})
    producer.produce(topic, '{"a": "\\ud800"}', timestamp=2**61)
    producer.flush(60)
    assert call("POST", "connections/kafka/sample", {"path": topic, "limit": 1})["rows"] == [["?"]]
    (row,) = call("POST", "connections/kafka/sample", {"path": topic, "format": "text", "limit": 1})["rows"]
    assert row[5] is None
    producer.produce(topic, f'{{"a": {"[" * 600}{"]" * 600}}}')
    producer.flush(60)
    with pytest.raises(BadRequest, match="a value is nested too deeply"):
        call("POST", "connections/kafka/sample", {"path": topic})
    broker.delete_topic(topic)


def test_workspace_of_a_topic_becomes_a_pipeline_unless_its_messages_are_csv(
    call: Call, broker: Broker, orders: str
) -> None:
    created = call("POST", "workspaces", {"name": "Orders", "connection": "kafka", "path": orders})
    read = call("GET", f"workspaces/{created['id']}/pipeline", sink="/tmp/out")["metadata"]["stages"][0]
    assert (read["plugin"], read["properties"]) == (
        "kafka",
        {"servers": broker.servers, "topic": orders, "schema": "`n` BIGINT, `item` STRING"},
    )
    compile(call("GET", f"workspaces/{created['id']}/cell", library="pyspark")["source"], "cell", "exec")
    lines = call("POST", "workspaces", {"name": "Lines", "connection": "kafka", "path": orders, "format": "csv"})
    with pytest.raises(BadRequest, match="the stage kafka reads no CSV"):
        call("GET", f"workspaces/{lines['id']}/pipeline", sink="/tmp/out")


def test_password_is_a_secret(call: Call, catalog: Catalog, broker: Broker, orders: str) -> None:
    catalog.secrets.put("sales", "relay", PASSWORD, "", ADA)
    document = {
        "type": "kafka",
        "servers": broker.password_protected_servers,
        "security": "SASL_PLAINTEXT",
        "user": USER,
        "passwordSecret": "relay",
    }
    assert PASSWORD not in json.dumps(call("PUT", "connections/guarded", document))
    assert orders in [entry["name"] for entry in call("GET", "connections/guarded/browse")["entries"]]
    catalog.secrets.put("sales", "relay", "wrong", "", ADA)
    with pytest.raises(BadRequest, match="Kafka refuses it, or does not answer"):
        call("GET", "connections/guarded/browse")
