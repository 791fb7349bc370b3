"""Plugins for tables, databases, streams, topics, the catalog and notifications."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.core.identity.names import make_stream_urn
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.preview import preview_stages
from jupyter_colophon.pipelines.runner import PipelineOutcome, run_pipeline
from pyspark.sql import SparkSession
from support.servers import catalog, known, server
from support.webhook_receiver import start_webhook_receiver

__all__ = ["catalog", "known", "server"]
pytestmark = pytest.mark.usefixtures("known")
CLICKS = str(make_stream_urn("shop", "clicks"))
ORDERS = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.orders,PROD)"


def stage(name: str, type_: str, plugin: str, /, **properties: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "plugin": plugin, "properties": properties}


def run_stages(
    spark: SparkSession, stages: list[dict[str, Any]], *connections: tuple[str, str], **more: str
) -> PipelineOutcome:
    pairs = [{"from": one, "to": other} for one, other in connections]
    document = {"metadata": {"namespace": "shop", "stages": stages, "connections": pairs}}
    return run_pipeline(check_and_prepare_pipeline("plugins", document, load_plugins(), more), spark)


def test_plugins_read_and_write_tables_databases_streams_and_catalog(
    spark: SparkSession, catalog: Any, server: Any, tmp_path: Path
) -> None:
    place = {"url": f"jdbc:derby:{tmp_path}/base;create=true", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}
    with start_webhook_receiver() as receiver:
        written = run_stages(
            spark,
            [
                stage("orders", "source", "table", name="orders"),
                stage("copy", "sink", "table", name="${copy}", mode="overwrite"),
                stage("base", "sink", "jdbc", table="APP.ORDERS", **place),
                stage("clicks", "sink", "stream", name="clicks"),
                stage("labels", "transform", "sql", query=f"SELECT '{ORDERS}' AS urn, '${{label}}' AS label FROM orders"),
                stage("labelled", "sink", "colophon", tags=["counted"], scope="USER"),
                stage("notified", "action", "notify", url=f"http://127.0.0.1:{receiver.port}/", message="${label}"),
            ],
            ("orders", "copy"),
            ("orders", "base"),
            ("orders", "clicks"),
            ("orders", "labels"),
            ("labels", "labelled"),
            ("clicks", "notified"),
            label="ä",
            copy="pipeline_copy",
        )  # fmt: skip
        assert (written.status, written.error) == ("succeeded", "")
        assert [(one["stage"], one["message"], one["run"]) for one in receiver.got] == [("notified", "ä", written.run)]
    assert spark.table("shop.pipeline_copy").count() == 2
    touched = {(one["component"], one["data"]) for one in catalog.read_run(written.run)["accesses"]}
    assert {("orders", ORDERS), ("clicks", CLICKS)} <= touched
    assert any(name == "base" and "derby" in urn for name, urn in touched)

    _read_back(spark, catalog, server, tmp_path / "lines", place)


def _read_back(spark: SparkSession, catalog: Any, server: Any, lines: Path, place: dict[str, str]) -> None:
    """Read what was written, and check that lineage names the stream and not its folder."""
    read = [
        stage("base", "source", "jdbc", table="APP.ORDERS", **place),
        stage("clicks", "source", "stream", name="shop.clicks", body="STRUCT<id: LONG, day: STRING>", since="2026-01-01"),
        stage("found", "source", "colophon", query="*", namespace="shop", tag="counted"),
        stage("both", "transform", "sql", query=(
            "SELECT b.ID AS id, c.body.day AS day, f.name AS name FROM base b JOIN clicks c ON b.ID = c.body.id CROSS JOIN found f"
        )),
        stage("lines", "sink", "file", path=str(lines), format="json"),
    ]  # fmt: skip
    ends = [("base", "both"), ("clicks", "both"), ("found", "both"), ("both", "lines")]
    # The server makes events readable about a second after they were written.
    transport = server.create_transport("/colophon/v3")
    folder = Path(transport.request("GET", "/namespaces/shop/streams/clicks").body["events"])
    pause = threading.Event()
    while not list(folder.glob("day=*/*.jsonl")):
        pause.wait(0.05)
    outcome = run_stages(spark, read, *ends)
    assert (outcome.status, outcome.error) == ("succeeded", "")
    rows = sorted((row.id, row.day, row.name) for row in spark.read.json(str(lines)).collect())
    assert rows == [(1, "mon", "orders"), (2, "tue", "orders")]
    graph = catalog.read_lineage(
        f"urn:li:dataset:(urn:li:dataPlatform:file,{lines},PROD)", direction="upstream", columns=True
    )
    # Spark read a folder, which the catalog knows as the stream.
    assert CLICKS in {edge["source"] for edge in graph["edges"]}
    assert (CLICKS, "day") in {(edge["source"], edge["targetField"]) for edge in graph["columns"]}
    assert not any(str(folder) in json.dumps(edge) for edge in graph["edges"])


@pytest.mark.parametrize(
    ("plugin", "settings", "package"),
    [
        ("kafka", {"servers": "localhost:9", "topic": "orders"}, "spark-sql-kafka-0-10_2.13"),
        ("file", {"path": "out", "format": "avro"}, "spark-avro_2.13"),
    ],
)
def test_missing_connector_fails_before_any_stage(
    plugin: str, settings: dict[str, str], package: str, spark: SparkSession, tmp_path: Path
) -> None:
    stages = [
        stage("orders", "source", "table", name="orders"),
        stage("first", "sink", "file", path=f"{tmp_path}/first"),
        stage("out", "sink", plugin, **settings),
    ]
    outcome = run_stages(spark, stages, ("orders", "first"), ("orders", "out"))
    assert [one.status for one in outcome.stages] == ["waiting"] * 3
    expected = (
        f"Spark has no connector for {settings.get('format', plugin)}: start it with the setting spark.jars.packages"
    )
    assert f"{expected}=org.apache.spark:{package}:{spark.version}" in outcome.error
    stages = [stage("data", "source", plugin, **settings), stage("out", "sink", "table", name="never")]
    pairs = [{"from": "data", "to": "out"}]
    metadata = {"namespace": "shop", "stages": stages, "connections": pairs}
    (shown,) = preview_stages(check_and_prepare_pipeline("shown", {"metadata": metadata}, load_plugins()), spark)
    assert package in shown.error


OFFSETS = [
    ("from", "latest"),
    ("from", '{"other": {"0": 1}}'),
    ("from", '{"orders": {"0": -1}}'),
    ("until", "earliest"),
    ("until", '{"orders": {"0": -2}}'),
    ("until", '{"orders": {"0": 1.5}}'),
    ("until", '{"orders": {"-1": 1}}'),
    ("until", '{"orders": [1]}'),
    ("until", "{}"),
]


@pytest.mark.parametrize(("name", "value"), OFFSETS)
def test_invalid_topic_offsets_are_rejected_before_run(name: str, value: str) -> None:
    settings = {"servers": "localhost:9", "topic": "orders", name: value}
    stages = [stage("topic", "source", "kafka", **settings), stage("out", "sink", "table", name="out")]
    metadata = {"namespace": "shop", "stages": stages, "connections": [{"from": "topic", "to": "out"}]}
    with pytest.raises(InvalidInstance) as refused:
        check_and_prepare_pipeline("offsets", {"metadata": metadata}, load_plugins())
    assert [one.pointer for one in refused.value.problems] == [f"/metadata/stages/0/properties/{name}"]


def test_missing_stream_fails_run(spark: SparkSession) -> None:
    outcome = run_stages(
        spark,
        [stage("clicks", "source", "stream", name="nosuch"), stage("out", "sink", "table", name="from_stream")],
        ("clicks", "out"),
    )
    assert "no such stream" in outcome.error


def test_preview_keeps_decimals_and_rejects_unknown_arguments(spark: SparkSession) -> None:
    query = "SELECT 10.50BD AS pay, 1 AS `a.b``c`, 2 AS pay FROM orders LIMIT 1"
    stages = [
        stage("orders", "source", "table", name="orders"),
        stage("asked", "transform", "sql", query=query),
        stage("out", "sink", "table", name="out"),
    ]
    metadata = {"namespace": "shop", "stages": stages, "connections": [
        {"from": "orders", "to": "asked"}, {"from": "asked", "to": "out"}
    ]}  # fmt: skip
    shown = preview_stages(check_and_prepare_pipeline("shown", {"metadata": metadata}, load_plugins()), spark)[-1]
    assert shown.rows == ({"pay": 2, "a.b`c": 1},)
    metadata["stages"][1]["properties"]["query"] = "SELECT 10.50BD AS pay FROM orders LIMIT 1"
    shown = preview_stages(check_and_prepare_pipeline("shown", {"metadata": metadata}, load_plugins()), spark)[-1]
    assert shown.rows == ({"pay": "10.50"},)
    with pytest.raises(InvalidInstance) as refused:
        check_and_prepare_pipeline("shown", {"metadata": metadata}, load_plugins(), {"souce": "x"})
    assert [one.pointer for one in refused.value.problems] == ["/arguments/souce"]


def test_file_whose_name_is_a_pattern_is_read_by_its_name(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in (("a[1].csv", "named"), ("a1.csv", "matched")):
        (tmp_path / name).write_text(f"{text}\n")

    def read(path: str, **options: str) -> list[object]:
        stages = [
            stage("files", "source", "file", path=str(tmp_path / path), format="csv", options=options),
            stage("out", "sink", "table", name="out"),
        ]
        metadata = {"namespace": "shop", "stages": stages, "connections": [{"from": "files", "to": "out"}]}
        pipeline = check_and_prepare_pipeline("patterns", {"metadata": metadata}, load_plugins())
        shown = preview_stages(pipeline, spark)[0]
        return sorted(row["_c0"] for row in shown.rows) or [shown.error]

    assert read("a[1].csv") == ["named"]
    assert read("a*.csv") == ["matched", "named"]
    (error,) = read("a[1].csv", multiLine="true")
    assert "multi-line records cannot be read" in str(error)
