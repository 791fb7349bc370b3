"""Kafka and Avro in pipelines and crawls, with the connectors that PySpark does not include, and a broker.

`make long-pipelines-kafka` runs it, in an environment with the newest PySpark for which all connectors are published;
Spark downloads them (spark.jars.packages). pytest does not collect it by its name.
"""

import json
import uuid
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyspark
import pytest
from confluent_kafka import Producer
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.preview import preview_stages
from jupyter_colophon.pipelines.runner import PipelineOutcome, run_pipeline
from jupyter_colophon.spark.crawl.crawling import crawl_and_record
from jupyter_colophon.spark.crawl.options import CrawlOptions
from jupyter_colophon.spark.session import get_session
from pyspark.sql import SparkSession
from support import servers
from support.catalog import ADA
from support.kafka import broker as brokers
from support.kafka.broker import LOGIN, PASSWORD, USER, Broker
from support.published_pipelines import open_workspaces

catalog, known, server, broker = servers.catalog, servers.known, servers.server, brokers.broker
pytestmark = pytest.mark.usefixtures("known")
PACKAGES = [f"org.apache.spark:{name}_2.13:{pyspark.__version__}" for name in ("spark-sql-kafka-0-10", "spark-avro")]
IVY = Path(__file__).with_name("ivysettings.xml")
SCHEMA = "page STRING, ms BIGINT"
CLICKS = [{"page": f"/{number % 3}", "ms": number} for number in range(200)]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    settings = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g"}
    settings |= {"spark.jars.packages": ",".join(PACKAGES), "spark.jars.ivySettings": str(IVY)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(tmp_path_factory.mktemp("jupyter")))
        made = get_session("connectors", **settings)
    yield made
    made.stop()


@pytest.fixture
def topic(broker: Broker) -> str:
    """Create a topic with clicks, a message that is not JSON, and one without a value."""
    name = f"clicks-{uuid.uuid4().hex[:8]}"
    broker.create_topic(name)
    send(broker, name, *(json.dumps(one).encode() for one in CLICKS), b"no JSON", None)
    return name


def send(broker: Broker, topic: str, *values: bytes | None) -> None:
    producer = Producer({"bootstrap.servers": broker.servers})
    for number, value in enumerate(values):
        producer.produce(topic, value, str(number).encode())
    assert producer.flush(30) == 0


def ran(spark: SparkSession, *lines: str, **stages: dict[str, Any]) -> PipelineOutcome:
    """Run a pipeline of these stages, connected as `one > other > third`."""
    return run_pipeline(check_and_prepare_pipeline("connectors", document(*lines, **stages), load_plugins()), spark)


def document(*lines: str, **stages: dict[str, Any]) -> dict[str, Any]:
    pairs = [{"from": one, "to": other} for line in lines for one, other in pairwise(line.split(" > "))]
    documents = [{"name": name, **one} for name, one in stages.items()]
    return {"metadata": {"namespace": "shop", "stages": documents, "connections": pairs}}


def source(plugin: str, **properties: Any) -> dict[str, Any]:
    return {"type": "source", "plugin": plugin, "properties": properties}


def sink(plugin: str, **properties: Any) -> dict[str, Any]:
    return {"type": "sink", "plugin": plugin, "properties": properties}


def sql(query: str) -> dict[str, Any]:
    return {"type": "transform", "plugin": "sql", "properties": {"query": query}}


def of_topic(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:kafka,{name},PROD)"


def of_file(path: Path) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)"


def columns(catalog: Any, urn: str) -> set[tuple[str, str, str]]:
    graph = catalog.read_lineage(urn, direction="upstream", levels=1, columns=True)
    # All pipelines here are the same program: leave out the columns of its other outputs.
    mine = [one for one in graph["columns"] if one["target"] == urn]
    return {(one["source"], one["sourceField"], one["targetField"]) for one in mine}


def test_pipeline_between_topics_and_files(
    spark: SparkSession, broker: Broker, topic: str, catalog: Any, tmp_path: Path
) -> None:
    place, slow, files = {"servers": broker.servers}, f"slow-{topic}", tmp_path.resolve() / "slow"
    there = ran(
        spark,
        "clicks > chosen > published",
        "chosen > kept",
        clicks=source("kafka", topic=topic, schema=SCHEMA, **place),
        chosen=sql("SELECT upper(page) AS page, ms FROM clicks WHERE ms >= 100"),
        published=sink("kafka", topic=slow, key="page", **place),
        kept=sink("file", path=str(files)),
    )
    assert (there.status, there.error) == ("succeeded", "")
    selected = sorted((one["page"].upper(), one["ms"]) for one in CLICKS if one["ms"] >= 100)
    assert sorted(map(tuple, spark.read.parquet(str(files)).collect())) == selected
    touched = {(one["component"], one["data"], one["mode"]) for one in catalog.read_run(there.run)["accesses"]}
    assert touched == {
        ("clicks", of_topic(topic), "read"),
        ("published", of_topic(slow), "write"),
        ("kept", of_file(files), "write"),
    }
    value = (of_topic(topic), "value")
    assert columns(catalog, of_topic(slow)) == {(*value, "key"), (*value, "value")}
    assert columns(catalog, of_file(files)) == {(*value, "page"), (*value, "ms")}

    back = ran(
        spark,
        "slow > lines",
        slow=source("kafka", topic=slow, **place),
        lines=sink("file", path=str(tmp_path / "lines"), format="json"),
    )
    assert (back.status, back.error) == ("succeeded", "")
    read = spark.read.json(str(tmp_path / "lines")).collect()
    assert sorted((one["page"], one["ms"]) for one in (json.loads(row.value) for row in read)) == selected
    assert all(row.key == json.loads(row.value)["page"] and row.topic == slow for row in read)
    graph = catalog.read_lineage(of_file(tmp_path.resolve() / "lines"), direction="upstream")
    assert {of_topic(topic), of_topic(slow)} <= {one["source"] for one in graph["edges"]}


def test_stages_read_same_offsets_and_next_run_continues(
    spark: SparkSession, broker: Broker, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {"servers": broker.servers, "topic": topic}
    # The pipeline writes to the topic that it reads: the second sink must not find these messages.
    first = ran(
        spark,
        "clicks > again",
        "clicks > kept",
        clicks=source("kafka", **place),
        again=sink("kafka", **place),
        kept=sink("file", path=str(tmp_path / "first")),
    )
    assert (first.status, first.error) == ("succeeded", "")
    assert spark.read.parquet(str(tmp_path / "first")).count() == len(CLICKS) + 2
    (offsets,) = [line.partition("reads up to ")[2] for line in first.lines if "reads up to" in line]
    # This run uses a listener with authentication; the password is in the environment.
    monkeypatch.setenv("CLICKS_LOGIN", f'{LOGIN} username="{USER}" password="{PASSWORD}";')
    login = {"options": {"kafka.security.protocol": "SASL_PLAINTEXT", "kafka.sasl.mechanism": "PLAIN"}}
    login["options_from"] = {"kafka.sasl.jaas.config": "CLICKS_LOGIN"}
    second = ran(
        spark,
        "clicks > kept",
        clicks=source("kafka", servers=broker.password_protected_servers, topic=topic, **login, **{"from": offsets}),
        kept=sink("file", path=str(tmp_path / "second")),
    )
    assert {one.name: one.rows for one in second.stages} == {"clicks": len(CLICKS) + 2, "kept": len(CLICKS) + 2}


def test_published_pipeline_of_a_topic(
    spark: SparkSession, broker: Broker, catalog: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, folder = f"views-{uuid.uuid4().hex[:8]}", tmp_path.resolve()
    broker.create_topic(topic)
    send(broker, topic, *(json.dumps(click).encode() for click in CLICKS))
    monkeypatch.setenv("COLOPHON_DATAPREP_HOSTS", "127.0.0.1")
    monkeypatch.setenv("COLOPHON_SECRET_CLICKS", f'{LOGIN} username="{USER}" password="{PASSWORD}";')
    login = {"security": "SASL_PLAINTEXT", "user": USER, "passwordSecret": "clicks"}
    connection = {"type": "kafka", "servers": broker.password_protected_servers, **login}
    directives = ["uppercase :page", "filter-rows-on exp:{ms >= 100}"]
    with open_workspaces(tmp_path) as workspaces:
        workspaces.catalog.secrets.put("shop", "clicks", PASSWORD, "", ADA)
        pipeline = workspaces.publish(connection, topic, directives, folder / "out")
    assert PASSWORD not in json.dumps(pipeline)
    outcome = run_pipeline(check_and_prepare_pipeline("views", pipeline, load_plugins()), spark)
    assert (outcome.status, outcome.error) == ("succeeded", "")
    expected = sorted((click["page"].upper(), click["ms"]) for click in CLICKS if click["ms"] >= 100)
    assert sorted(map(tuple, spark.read.parquet(str(folder / "out")).collect())) == expected
    touched = {(access["data"], access["mode"]) for access in catalog.read_run(outcome.run)["accesses"]}
    assert touched == {(of_topic(topic), "read"), (of_file(folder / "out"), "write")}
    value = (of_topic(topic), "value")
    assert {(*value, "page"), (*value, "ms")} <= columns(catalog, of_file(folder / "out"))


def test_message_not_matching_schema_is_row_of_nulls(spark: SparkSession, broker: Broker, topic: str) -> None:
    stages = {
        "clicks": source("kafka", servers=broker.servers, topic=topic, schema=SCHEMA),
        "bad": sql("SELECT count(*) AS n FROM clicks WHERE page IS NULL AND ms IS NULL"),
        "out": sink("table", name="bad"),
    }
    shown = preview_stages(
        check_and_prepare_pipeline("shown", document("clicks > bad > out", **stages), load_plugins()), spark
    )
    assert [one.error for one in shown] == ["", ""]
    assert shown[-1].rows == ({"n": 2},)


NO_DESCRIPTION = "returned no description of the topic"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"topic": "nosuch"}, "LookupError: Kafka has no topic nosuch"),
        ({"servers": "127.0.0.1:9"}, f"{NO_DESCRIPTION} TOPIC (TimeoutException)"),
        ({"options": {"kafka.security.protocol": "hidden"}}, f"{NO_DESCRIPTION} TOPIC (ConfigException)"),
        (
            {"from": '{"TOPIC": {"0": 1}}'},
            "LookupError: from must have an offset for each partition: 0, 1, 2",
        ),
        ({"until": '{"TOPIC": {"0": -1, "1": -1, "2": 9000}}'}, "LookupError: until is beyond the end of partition 2"),
        (
            {"options_from": {"kafka.sasl.jaas.config": "NOWHERE"}},
            "the environment variable NOWHERE for kafka.sasl.jaas.config is not set",
        ),
    ],
)
def test_unreadable_topic_fails_with_one_line_error(
    more: dict[str, Any], expected: str, spark: SparkSession, broker: Broker, topic: str
) -> None:
    place = {"servers": broker.servers, "topic": topic}
    place |= {name: value.replace("TOPIC", topic) if isinstance(value, str) else value for name, value in more.items()}
    stages = {"clicks": source("kafka", **place), "out": sink("table", name="never")}
    outcome = ran(spark, "clicks > out", **stages)
    assert outcome.status == "failed"
    assert expected.replace("TOPIC", topic) in outcome.error
    assert "hidden" not in outcome.error
    assert [one.status for one in outcome.stages] == ["failed", "waiting"]


def test_unwritable_topic_fails_with_one_line_error(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(2).write.parquet(str(tmp_path / "numbers"))
    stages = {"numbers": source("file", path=str(tmp_path / "numbers"))}
    stages["out"] = sink("kafka", servers="127.0.0.1:9", topic="numbers")
    outcome = ran(spark, "numbers > out", **stages)
    assert outcome.error == "LookupError: Kafka returned no description of the topic numbers (TimeoutException)"


def test_avro_is_written_read_and_crawled(
    spark: SparkSession, catalog: Operations, server: Any, tmp_path: Path
) -> None:
    place = tmp_path.resolve()
    spark.createDataFrame([(1, "Ada"), (2, None)], "id LONG, who STRING").write.parquet(str(place / "staff"))
    there = ran(
        spark,
        "staff > avro",
        staff=source("file", path=str(place / "staff")),
        avro=sink("file", path=str(place / "avro"), format="avro"),
    )
    assert (there.status, there.error) == ("succeeded", "")
    back = ran(
        spark,
        "avro > copy",
        avro=source("file", path=str(place / "avro"), format="avro", schema="id BIGINT, who STRING"),
        copy=sink("file", path=str(place / "copy")),
    )
    assert (back.status, back.error) == ("succeeded", "")
    assert sorted(spark.read.parquet(str(place / "copy")).collect()) == [(1, "Ada"), (2, None)]
    assert columns(catalog, of_file(place / "copy")) == {
        (of_file(place / "avro"), "id", "id"),
        (of_file(place / "avro"), "who", "who"),
    }
    report = crawl_and_record(catalog, lambda: spark, CrawlOptions(str(place / "avro")))
    assert [(one.status, one.rows, one.columns) for one in report.lines] == [("new", 2, 2)]
    requested = {"urn": of_file(place / "avro"), "aspect": "datasetProfile", "entity": "dataset"}
    response = server.call("POST", "colophon/datahub/aspects?action=getTimeseriesAspectValues", requested)
    profile = json.loads(response["value"]["values"][0]["aspect"]["value"])
    assert {one["fieldPath"]: one["nullCount"] for one in profile["fieldProfiles"]} == {"id": 0, "who": 1}
