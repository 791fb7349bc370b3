"""Pipelines on a Spark session and a server: data, metadata, lineage, metrics and failures."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.client.programs.outbox_sender import get_or_create_outbox_sender
from jupyter_colophon.client.transport import ServerAddress
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.pipelines.artifact_plugins import load_plugins_for_run, load_plugins_with_declared
from jupyter_colophon.pipelines.check import PreparedPipeline, check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.preview import preview_stages
from jupyter_colophon.pipelines.runner import run_pipeline
from jupyter_colophon.wrangling import DirectivePlugin, apply_recipe_to_dataframe
from live import run_live_server
from pyspark.sql import SparkSession
from support.artifacts import build_wheel
from support.commands import Commands
from support.servers import catalog, known, server

__all__ = ["catalog", "known", "server"]
pytestmark = pytest.mark.usefixtures("known")
_DATASET_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
FILE = "urn:li:dataset:(urn:li:dataPlatform:file,{},PROD)"


@pytest.fixture
def place(tmp_path: Path, spark: SparkSession) -> Iterator[Path]:
    """Create a folder with employees, one column of which is confidential."""
    folder = tmp_path.resolve()
    rows = [(1, "Ada", 5), (2, "Bob", 7), (2, "Bob", 7), (3, None, 9)]
    spark.createDataFrame(rows, "id LONG, empName STRING, pay LONG").write.parquet(str(folder / "employee"))
    return folder


def stage(name: str, type_: str, plugin: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "plugin": plugin, "properties": properties}


def pipeline(stages: list[dict[str, Any]], *connections: str, **more: Any) -> PreparedPipeline:
    """Return a pipeline of these stages, connected as `one > other > third`."""
    pairs = []
    for line in connections:
        names = line.split(" > ")
        pairs += [{"from": one, "to": other} for one, other in pairwise(names)]
    metadata = {"namespace": "staff", "stages": stages, "connections": pairs, **more}
    return check_and_prepare_pipeline("copies", {"metadata": metadata}, load_plugins())


def annotate(catalog: Any, urn: str, *tags: str, **properties: str) -> None:
    value = {"properties": properties, "tags": list(tags)}
    catalog.submit_proposals(
        {"proposals": [{"urn": urn, "aspect": "businessMetadata", "operation": "upsert", "value": value}]}
    )


def read_annotations(catalog: Any, urn: str) -> tuple[dict[str, str], list[str]]:
    """Return the USER properties and tags of an entity after the inbox was emptied."""
    pause = threading.Event()
    while catalog.read_health()["inbox"]["pending"]:
        pause.wait(0.01)
    found = (
        read_or_none_if_absent(lambda: catalog.read_entity_metadata(urn)) or {"USER": {"properties": {}, "tags": []}}
    )["USER"]
    return found["properties"], found["tags"]


def rows(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.read.parquet(str(path)).collect()), key=str)


def test_documented_example_runs(spark: SparkSession, catalog: Any, place: Path) -> None:
    source, sink = FILE.format(place / "employee"), FILE.format(place / "staff")
    annotate(catalog, source, "hr", owner="Ada")
    annotate(catalog, f"urn:li:schemaField:({source},empName)", "confidential", label="name")
    prepared = pipeline(
        [
            stage("employees", "source", "file", path="${source}"),
            stage("renamed", "transform", "projection", rename={"empName": "who"}),
            stage("masked", "transform", "mask", tagged=["confidential"], how="redact"),
            stage("staff", "sink", "file", path="${sink}"),
            stage("annotated", "action", "propagate", fields={"empName": "who"}),
        ],
        "employees > renamed > masked > staff > annotated",
        arguments={"source": str(place / "employee"), "sink": str(place / "staff")},
    )
    lines: list[str] = []
    outcome = run_pipeline(prepared, spark, log=lines.append)
    assert (outcome.status, outcome.error, outcome.waiting, outcome.dropped) == ("succeeded", "", 0, 0)
    assert rows(spark, place / "staff") == [(1, "***", 5), (2, "***", 7), (2, "***", 7), (3, None, 9)]
    assert read_annotations(catalog, sink) == ({"owner": "Ada"}, ["hr"])
    assert read_annotations(catalog, f"urn:li:schemaField:({sink},who)") == ({"label": "name"}, ["confidential"])
    assert "masked hides who" in lines
    recorded = catalog.read_run(outcome.run)
    assert recorded["program"].endswith("(colophon,copies,staff),workflows.copies)")
    assert (recorded["status"], recorded["arguments"]["sink"]) == ("succeeded", str(place / "staff"))
    touched = {(one["data"], one["mode"], one["component"]) for one in recorded["accesses"]}
    assert touched == {(source, "read", "employees"), (sink, "write", "staff")}
    assert {one.name: (one.status, one.rows) for one in outcome.stages} == {
        "employees": ("succeeded", 4),
        "renamed": ("succeeded", 4),
        "masked": ("succeeded", 4),
        "staff": ("succeeded", 4),
        "annotated": ("succeeded", None),
    }
    figures = {name: recorded["facts"].get(f"stage.staff.{name}") for name in ("at", "in", "rows", "tries")}
    assert figures == {"at": 3, "in": 4, "rows": 4, "tries": None}
    assert "stage.employees.in" not in recorded["facts"]
    assert "masked hides who" in recorded["facts"]["log"]
    graph = catalog.read_lineage(sink, direction="upstream", levels=1, columns=True)
    columns = {(one["sourceField"], one["targetField"]) for one in graph["columns"]}
    assert columns == {("id", "id"), ("empName", "who"), ("pay", "pay")}


def test_sink_lineage_includes_only_connected_sources(spark: SparkSession, catalog: Any, place: Path) -> None:
    """Regression: every source of a run was recorded as an input of every sink."""
    spark.createDataFrame([(1, "x")], "id LONG, team STRING").write.parquet(str(place / "team"))
    prepared = pipeline(
        [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("teams", "source", "file", path=str(place / "team")),
            stage("ids", "transform", "projection", keep=["id"]),
            stage("both", "joiner", "join", on=["id"]),
            stage("first", "sink", "file", path=str(place / "first")),
            stage("second", "sink", "file", path=str(place / "second")),
            stage("third", "sink", "file", path=str(place / "third")),
        ],
        "employees > ids > first > second",
        "teams > second",
        "employees > both > third",
        "teams > both",
    )
    assert run_pipeline(prepared, spark).status == "succeeded"
    employee, team = FILE.format(place / "employee"), FILE.format(place / "team")
    for name, sources in (("first", {employee}), ("second", {team}), ("third", {employee, team})):
        graph = catalog.read_lineage(FILE.format(place / name), direction="upstream", levels=1)
        assert {node["urn"] for node in graph["nodes"] if node["type"] == "dataset" and node["level"]} == sources


SLOW = """
def transform(data):
    from pyspark.sql.functions import udf

    @udf("long")
    def waited(pay):
        import os, time

        while not os.path.exists({flag!r}):
            time.sleep(0.05)
        return pay

    return data.withColumn("pay", waited("pay"))
"""


def test_running_pipeline_reports_stage_status(spark: SparkSession, catalog: Any, place: Path) -> None:
    flag = place / "go on"
    prepared = pipeline(
        [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("slow", "transform", "python", code=SLOW.format(flag=str(flag))),
            stage("staff", "sink", "file", path=str(place / "staff")),
            stage("annotated", "action", "set-metadata", dataset="staff", tags=["new"]),
        ],
        "employees > slow > staff > annotated",
    )
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(run_pipeline, prepared, spark)
        pause = threading.Event()
        facts: dict[str, Any] = {}
        while facts.get("stage.staff.status") != "running" and not ending.done():
            pause.wait(0.1)
            under_way = catalog.list_runs(program=str(prepared.pipeline.program), status="running")["runs"]
            facts = catalog.read_run(under_way[0]["urn"])["facts"] if under_way else {}
        flag.touch()
        outcome = ending.result()
    statuses = [facts.get(f"stage.{name}.status") for name in ("employees", "slow", "staff", "annotated")]
    assert statuses == ["succeeded", "succeeded", "running", "waiting"]
    assert "stage.staff.ms" not in facts
    ended = catalog.read_run(outcome.run)["facts"]
    assert [ended[f"stage.{name}.status"] for name in ("staff", "annotated")] == ["succeeded", "succeeded"]


def test_propagation_rule_copies_metadata_to_sinks_and_columns(spark: SparkSession, catalog: Any, place: Path) -> None:
    source, sink = FILE.format(place / "employee"), FILE.format(place / "sums")
    annotate(catalog, source, "hr", "raw", owner="Ada")
    annotate(catalog, f"urn:li:schemaField:({source},pay)", "confidential", "raw", unit="EUR")
    query = "SELECT lower(empName) AS who, sum(pay) AS total FROM employees WHERE id > 0 GROUP BY empName"
    prepared = pipeline(
        [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("summed", "transform", "sql", query=query),
            stage("sums", "sink", "file", path=str(place / "sums")),
        ],
        "employees > summed > sums",
        propagation={"tags": ["conf*", "hr"], "properties": ["unit"]},
    )
    assert run_pipeline(prepared, spark).status == "succeeded"
    assert read_annotations(catalog, sink) == ({}, ["hr"])
    assert read_annotations(catalog, f"urn:li:schemaField:({sink},total)") == ({"unit": "EUR"}, ["confidential"])
    assert read_annotations(catalog, f"urn:li:schemaField:({sink},who)") == ({}, [])


def test_all_transforms_produce_expected_data(spark: SparkSession, place: Path) -> None:
    code = "def transform(data):\n    return data.withColumn('twice', data['total'] * 2)"
    spark.createDataFrame([(1, "x"), (2, "y")], "id LONG, team STRING").write.parquet(str(place / "teams"))
    prepared = pipeline(
        [
            stage("employees", "source", "file", path=str(place / "employee"), schema="id BIGINT, empName STRING, pay BIGINT"),
            stage("teams", "source", "file", path=str(place / "teams"), schema="id BIGINT, team STRING"),
            stage("once", "transform", "deduplicate", by=["id"]),
            stage("named", "transform", "filter", condition="empName IS NOT NULL"),
            stage("joined", "joiner", "join", on=["id"]),
            stage("grouped", "aggregator", "group-by", by=["team"], aggregates=[{"function": "sum", "column": "pay", "as": "total"}]),
            stage("doubled", "transform", "python", code=code),
            stage("asked", "transform", "sql", query="SELECT team, twice FROM doubled WHERE twice > ${least}"),
            stage("out", "sink", "file", path=str(place / "out")),
            stage("outlines", "sink", "file", path=str(place / "lines"), format="json", mode="overwrite"),
        ],
        "employees > once > named > joined > grouped > doubled > asked > out",
        "teams > joined",
        "grouped > outlines",
        arguments={"least": "11"},
    )  # fmt: skip
    until = PreparedPipeline(prepared.pipeline.restrict_to_sources_of("grouped"), prepared.arguments, prepared.plugins)
    shown = {one.stage: one for one in preview_stages(until, spark)}
    assert list(shown) == ["employees", "teams", "once", "named", "joined", "grouped"]
    assert shown["joined"].columns == (("id", "bigint"), ("empName", "string"), ("pay", "bigint"), ("team", "string"))
    assert {(row["team"], row["total"]) for row in shown["grouped"].rows} == {("x", 5), ("y", 7)}
    assert not (place / "out").exists()
    outcome = run_pipeline(prepared, spark)
    assert (outcome.status, outcome.error) == ("succeeded", "")
    assert rows(spark, place / "out") == [("y", 14)]
    assert spark.read.json(str(place / "lines")).count() == 2
    assert {one.name: one.rows for one in outcome.stages if one.name in ("employees", "once", "joined", "out")} == {
        "employees": 4,
        "once": 3,
        "joined": 2,
        "out": 1,
    }


def test_analysis_error_fails_run_before_any_write(spark: SparkSession, catalog: Any, place: Path) -> None:
    prepared = pipeline(
        [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("first", "sink", "file", path=str(place / "first")),
            stage("wrong", "transform", "filter", condition="nosuch > 1"),
            stage("second", "sink", "file", path=str(place / "second")),
        ],
        "employees > first",
        "employees > wrong > second",
    )
    outcome = run_pipeline(prepared, spark)
    assert (outcome.status, "nosuch" in outcome.error) == ("failed", True)
    assert [one.status for one in outcome.stages] == ["succeeded", "failed", "waiting", "waiting"]
    assert not (place / "first").exists()
    recorded = catalog.read_run(outcome.run)
    assert recorded["status"] == "failed"
    assert "nosuch" not in str(recorded["facts"])


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (stage("made", "transform", "filter", condition="id >"), "ParseException: [PARSE_SYNTAX_ERROR]"),
        (stage("made", "transform", "sql", query="SELECT id / 0 AS x FROM employees"), "[DIVIDE_BY_ZERO]"),
        (stage("out", "sink", "jdbc", url="jdbc:nosuch:x", table="t"), "SQLException: No suitable driver"),
    ],
    ids=["condition", "value", "driver"],
)
def test_failed_run_has_one_line_error_without_java_details(
    wrong: dict[str, Any], expected: str, spark: SparkSession, place: Path
) -> None:
    stages = {
        "employees": stage("employees", "source", "file", path=str(place / "employee")),
        "made": stage("made", "transform", "projection", keep=["id"]),
        "out": stage("out", "sink", "file", path=str(place / "out")),
    }
    outcome = run_pipeline(pipeline([*(stages | {wrong["name"]: wrong}).values()], "employees > made > out"), spark)
    assert outcome.status == "failed"
    assert expected in outcome.error
    assert "\n" not in outcome.error
    assert "Py4J" not in outcome.error + "".join(outcome.lines)


def test_failing_sink_is_retried_and_session_views_are_kept(spark: SparkSession, place: Path) -> None:
    spark.range(1).createOrReplaceTempView("employees")
    prepared = pipeline(
        [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("asked", "transform", "sql", query="SELECT id FROM employees"),
            stage("again", "sink", "file", path=str(place / "employee")),
        ],
        "employees > asked > again",
        retries=1,
    )
    outcome = run_pipeline(prepared, spark)
    assert (outcome.status, outcome.stages[-1].tries) == ("failed", 2)
    assert spark.table("employees").count() == 1


def test_columns_tagged_by_datahub_clients_are_masked(
    spark: SparkSession, catalog: Any, server: Any, tmp_path: Path
) -> None:
    """Regression: only tags in `businessMetadata` of `schemaField` entities were considered, and such columns were not masked."""
    folder = tmp_path.resolve()
    names = ("edited", "schema", "field", "openlineage", "plain")
    shape = ", ".join(f"{name} STRING" for name in names)
    data = spark.createDataFrame([(*names, ("8000",))], f"{shape}, address STRUCT<zip: STRING>")
    data.write.parquet(str(folder / "people"))
    source = FILE.format(folder / "people")
    tags = {"tags": [{"tag": "urn:li:tag:Confidential"}]}
    paths = ("[version=2.0].[type=string].edited", "address.zip")
    edited = {"editableSchemaFieldInfo": [{"fieldPath": path, "globalTags": tags} for path in paths]}
    columns = [{"fieldPath": "schema", "nativeDataType": "string", "globalTags": tags}]
    for urn, aspect, value in (
        (source, "schemaMetadata", {"fields": columns}),
        # A crawl submits fields without tags.
        (source, "schemaMetadata", {"fields": [{"fieldPath": name, "nativeDataType": "string"} for name in names]}),
        (source, "editableSchemaMetadata", edited),
        (f"urn:li:schemaField:({source},field)", "globalTags", tags),
    ):
        catalog.submit_proposals({"proposals": [{"urn": urn, "aspect": aspect, "operation": "upsert", "value": value}]})
    tag = {"key": "confidential", "value": "true", "source": "CATALOG", "field": "openlineage"}
    facet = {"_producer": "https://test", "_schemaURL": "https://test/TagsDatasetFacet", "tags": [tag]}
    data = {"namespace": "file", "name": str(folder / "people"), "facets": {"tags": facet}}
    event = {
        "eventTime": "2026-11-20T12:00:00Z",
        "producer": "https://test",
        "schemaURL": _DATASET_EVENT,
        "dataset": data,
    }
    collector = server.create_transport("/colophon/openlineage")
    collector.request("POST", "/api/v1/lineage", body=event)
    prepared = pipeline(
        [
            stage("people", "source", "file", path=str(folder / "people")),
            stage("masked", "transform", "mask", tagged=["confidential"], how="redact"),
            stage("staff", "sink", "file", path=str(folder / "staff")),
        ],
        "people > masked > staff",
    )
    assert run_pipeline(prepared, spark).status == "succeeded"
    assert rows(spark, folder / "staff") == [("***", "***", "***", "***", "plain", "***")]


def test_run_without_server_queues_writes_and_fails_on_reads(
    spark: SparkSession, catalog: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = FILE.format(place / "staff")
    set_metadata = stage(
        "annotated", "action", "set-metadata", dataset=sink, tags=["copied"], properties={"by": "pipeline"}
    )
    stages = [
        stage("employees", "source", "file", path=str(place / "employee")),
        stage("staff", "sink", "file", path=str(place / "staff")),
        set_metadata,
    ]
    masked = stage("masked", "transform", "mask", tagged=["confidential"])
    monkeypatch.delenv("COLOPHON_URL")
    closed = run_pipeline(pipeline([stages[0], masked, stages[1]], "employees > masked > staff"), spark)
    assert (closed.status, "MetadataUnavailable" in closed.error) == ("failed", True)
    assert not (place / "staff").exists()
    outcome = run_pipeline(pipeline(stages, "employees > staff > annotated"), spark)
    assert (outcome.status, outcome.waiting > 0) == ("succeeded", True)


def test_command_without_server_warns_about_queued_metadata(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text("1,Ada\n", "utf-8")
    stages = [
        stage("staff", "source", "file", path=str(tmp_path / "staff.csv"), format="csv"),
        stage("copy", "sink", "file", path=str(tmp_path / "copy")),
    ]
    flow = {"namespace": "staff", "stages": stages, "connections": [{"from": "staff", "to": "copy"}]}
    document = {"display_name": "Copies", "schema_name": "pipeline", "metadata": flow}
    (tmp_path / "copies.json").write_text(json.dumps(document), "utf-8")
    command = Commands(home=tmp_path, database=tmp_path / "no.db")
    done = command.run("pipeline", "run", str(tmp_path / "copies.json"), "--conf=spark.master=local[1]")
    warnings = [line for line in done.err.splitlines() if line.startswith("jupyter colophon: ")]
    assert (done.status, len(warnings)) == (0, 1), done
    assert "no server given" in warnings[0]
    assert "`jupyter colophon outbox flush`" in warnings[0]


def test_unavailable_server_receives_run_later_in_order_and_once(
    spark: SparkSession, place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as away:
        monkeypatch.setenv("COLOPHON_URL", away.url)
        monkeypatch.setenv("COLOPHON_TOKEN", away.token)
        away.stop()
        sink = FILE.format(place / "staff")
        steps: list[dict[str, Any]] = [
            {"properties": {"step": "1"}},
            {"tags": ["x"]},
            {"without_tags": ["x"]},
            {"properties": {"step": "4"}},
        ]
        prepared = pipeline(
            [
                stage("employees", "source", "file", path=str(place / "employee")),
                stage("staff", "sink", "file", path=str(place / "staff")),
                *(stage(f"step{at}", "action", "set-metadata", dataset="staff", **one) for at, one in enumerate(steps)),
            ],
            "employees > staff > step0 > step1 > step2 > step3",
        )
        outcome = run_pipeline(prepared, spark)
        assert (outcome.status, outcome.dropped) == ("succeeded", 0)
        assert outcome.waiting > len(steps)
        away.start()
        sender = get_or_create_outbox_sender(ServerAddress(away.url, away.token))
        pause = threading.Event()
        while sender.flush(5):
            pause.wait(0.1)
        catalog = away.create_client()
        assert read_annotations(catalog, sink) == ({"step": "4"}, [])
        recorded = catalog.read_run(outcome.run)
        assert (recorded["status"], recorded["facts"]["stage.staff.rows"]) == ("succeeded", 4)
        assert [one["mode"] for one in recorded["accesses"]].count("write") == 1
        changes = away.create_transport().request("GET", "/changes", query={"urn": sink, "limit": 100})
        values = [one["value"] for one in changes.body["changes"] if one["aspect"] == "businessMetadata"]
        # Applied out of order or twice, the history would differ.
        assert [(one["properties"].get("step"), one.get("tags", [])) for one in values] == [
            ("1", []),
            ("1", ["x"]),
            ("1", []),
            ("4", []),
        ]
        catalog.close()


#: A plugin whose function runs in the executors of Spark, too.
SHOUT = """
from jupyter_colophon.pipelines.plugin import TransformPlugin


def shout(text):
    return None if text is None else text.upper() + "MARK"


class Shout(TransformPlugin):
    name = "shout"
    properties = {"column": {"type": "string"}}
    required = ("column",)

    def get_columns(self, inputs):
        return inputs[0]

    def apply(self, context, inputs):
        from pyspark.sql import functions

        (data,) = inputs.values()
        column = self.settings["column"]
        return data.withColumn(column, functions.udf(shout)(column))
"""


def test_stage_runs_a_plugin_of_an_artifact(spark: SparkSession, catalog: Any, place: Path) -> None:
    def upload(version: str, mark: str) -> None:
        catalog.upload_artifact("staff", "text-tools", version, SHOUT.replace("MARK", mark).encode())

    def run(plugin: str) -> list[tuple[Any, ...]]:
        stages = [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("loud", "transform", plugin, column="empName"),
            stage("out", "sink", "file", path=str(place / "loud"), mode="overwrite"),
        ]
        connections = [{"from": "employees", "to": "loud"}, {"from": "loud", "to": "out"}]
        document = {"metadata": {"namespace": "staff", "stages": stages, "connections": connections}}
        plugins = load_plugins_for_run(catalog, document)
        outcome = run_pipeline(check_and_prepare_pipeline("loud", document, plugins), spark)
        assert (outcome.status, outcome.error) == ("succeeded", "")
        return rows(spark, place / "loud")

    annotate(catalog, FILE.format(place / "employee"), "hr")
    create_namespace(catalog)
    upload("1", "!")
    loud = [(1, "ADA!", 5), (2, "BOB!", 7), (2, "BOB!", 7), (3, None, 9)]
    assert run("text-tools/shout") == loud
    upload("2", "?")
    assert run("text-tools/shout")[0] == (1, "ADA?", 5)
    assert run("text-tools/1/shout") == loud
    with pytest.raises(InvalidInstance) as refused:
        run("text-tools/3/shout")
    assert refused.value.problems[0].pointer == "/metadata/stages/1/plugin"


def create_namespace(catalog: Any) -> None:
    """Create the namespace of the pipelines, unless it exists."""
    status = {"urn": "urn:li:namespace:staff", "aspect": "status", "operation": "upsert", "value": {"removed": False}}
    catalog.submit_proposals({"proposals": [status]})


#: A directive that uses another module of its artifact when the first row is processed, which the driver may not do.
MARK = """
from jupyter_colophon.wrangling import DirectivePlugin


class Mark(DirectivePlugin):
    name = "mark"
    properties = {"column": {"type": "string", "format": "column"}}
    required = ("column",)

    def change_row(self, row):
        from mark_tools.texts import mark_text

        row[self.arguments["column"]] = mark_text(row[self.arguments["column"]])
        return row
"""


def test_recipe_has_a_directive_of_an_artifact(spark: SparkSession, catalog: Any, place: Path) -> None:
    points = "[jupyter_colophon.application_plugins]\nmark = mark_tools:Mark\n"
    create_namespace(catalog)
    for version, mark in (("1.0", "!"), ("1.1", "?")):
        texts = f"def mark_text(text):\n    return text.upper() + '{mark}'\n"
        files = {"mark_tools/__init__.py": MARK, "mark_tools/texts.py": texts}
        catalog.upload_artifact(
            "staff", "mark-tools", version, build_wheel(files, points, name="mark_tools", version=version)
        )
    recipe = "mark :empName\nkeep :empName"
    properties: dict[str, Any] = {"recipe": recipe, "columns": {"empName": "string"}, "on_rejected": "skip"}

    def run(*directives: str) -> list[tuple[Any, ...]]:
        stages = [
            stage("employees", "source", "file", path=str(place / "employee")),
            stage("marked", "transform", "wrangle", **properties, directives=[*directives]),
            stage("out", "sink", "file", path=str(place / "marked"), mode="overwrite"),
        ]
        connections = [{"from": "employees", "to": "marked"}, {"from": "marked", "to": "out"}]
        document = {"metadata": {"namespace": "staff", "stages": stages, "connections": connections}}
        check_and_prepare_pipeline("marks", document, load_plugins_with_declared(catalog, document))
        outcome = run_pipeline(
            check_and_prepare_pipeline("marks", document, load_plugins_for_run(catalog, document)), spark
        )
        assert (outcome.status, outcome.error) == ("succeeded", "")
        return rows(spark, place / "marked")

    # The row without a name is rejected: its text cannot be changed.
    assert run("mark-tools/1.0/mark") == [("ADA!",), ("BOB!",), ("BOB!",)]
    assert run("mark-tools/mark") == [("ADA?",), ("BOB?",), ("BOB?",)]
    with pytest.raises(InvalidInstance) as refused:
        run("mark-tools/2.0/mark")
    assert refused.value.problems[0].pointer == "/metadata/stages/1/properties/directives/0"
    with pytest.raises(InvalidInstance) as refused:
        run()
    assert refused.value.problems[0].message == "line 1, column 1: unknown directive mark"

    # In a notebook.
    directives = metadata.load_directives("staff", "mark-tools/1.0/mark")
    data = spark.createDataFrame([("Ada",)], "empName STRING")
    assert apply_recipe_to_dataframe(data, recipe, directives=directives).collect() == [("ADA!",)]
    marked = apply_recipe_to_dataframe(data.toPandas(), recipe, directives=directives)
    assert marked["empName"].tolist() == ["ADA!"]

    class Whisper(DirectivePlugin):
        name = "whisper"
        properties: ClassVar = {"column": {"type": "string", "format": "column"}}
        required = ("column",)

        def change_row(self, row: dict[str, Any]) -> dict[str, Any]:
            return {"empName": row[self.arguments["column"]].lower()}

    own = apply_recipe_to_dataframe(data, "whisper :empName", directives={"whisper": Whisper})
    assert own.collect() == [("ada",)]
    with pytest.raises(LookupError, match="the directive mark-tools/other was not found in the namespace staff"):
        metadata.load_directives("staff", "mark-tools/other")
