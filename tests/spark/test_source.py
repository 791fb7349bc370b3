"""The data source `colophon`, with a server and a Spark session."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.spark.jobs.statistics import compute_statistics
from live import LiveServer
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from support import servers
from support.process import list_processes

catalog, server = servers.catalog, servers.server
RUN = {"program": "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.source#1)", "runId": "r-source"}
TIMEOUT_S = 240


def table(space: str, name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{space}.{name},PROD)"


def technical_metadata(**properties: str) -> str:
    return json.dumps({"properties": properties, "tags": ["bulk"]})


@pytest.fixture(scope="module")
def where(server: LiveServer) -> dict[str, str]:
    return {"url": server.url, "token": server.token, "retryTimeout": "60"}


@pytest.fixture
def read(spark: SparkSession, where: dict[str, str]) -> Any:
    requested = {name: value for name, value in where.items() if name != "retryTimeout"}
    return lambda what, **options: spark.read.format("colophon").options(**requested, table=what, **options).load()


def rows(spark: SparkSession, space: str, count: int) -> DataFrame:
    records = [(table(space, f"t{at}"), "technicalMetadata", technical_metadata(at=str(at))) for at in range(count)]
    return spark.createDataFrame(records, "urn string, aspect string, value string")


def write(frame: DataFrame, where: dict[str, str], **options: Any) -> None:
    frame.write.format("colophon").options(**where, **options).mode("append").save()


def first_lines(error: BaseException) -> str:
    """Return the first two lines of an error (Spark adds one for a failed task), which contains no worker traceback."""
    assert "Traceback" not in str(error)
    return "\n".join(str(error).splitlines()[:2])


def test_each_catalog_table_is_a_dataframe(catalog: Operations, read: Any) -> None:
    spaces = ("read_one", "read_two")
    for space in spaces:
        proposals = [
            {
                "urn": table(space, f"t{at}"),
                "aspect": "technicalMetadata",
                "operation": "upsert",
                "value": json.loads(technical_metadata()),
            }
            for at in range(3)
        ]
        catalog.submit_proposals({"proposals": proposals})
    run = catalog.start_run(RUN | {"start": "2026-11-22T08:00:00Z"})
    touched = [
        {"data": table(space, "t0"), "mode": mode} for space, mode in zip(spaces, ("read", "write"), strict=True)
    ]
    catalog.record_accesses(run["urn"], {"accesses": touched})

    entities = read("entities", namespace=",".join(spaces), type="dataset", numPartitions="2")
    assert entities.rdd.getNumPartitions() == 2
    assert sorted(row.urn for row in entities.collect()) == sorted(
        table(s, f"t{at}") for s in spaces for at in range(3)
    )
    found = read("aspects", namespace="read_one", type="dataset", aspect="technicalMetadata").collect()
    assert {row.urn: json.loads(row.value)["tags"] for row in found} == {
        table("read_one", f"t{at}"): ["bulk"] for at in range(3)
    }
    hits = read("search", query="tags:bulk", namespace="read_two").collect()
    assert {tuple(row.tags) for row in hits} == {("bulk",)}
    assert len(hits) == 3
    edges = {(row.source, row.target, row.access) for row in read("edges", program=RUN["program"]).collect()}
    assert edges == {
        (table("read_one", "t0"), RUN["program"], "read"),
        (RUN["program"], table("read_two", "t0"), "write"),
    }
    around = read("edges", urn=table("read_one", "t0"), levels="1").collect()
    assert edges == {(row.source, row.target, row.access) for row in around}
    head = catalog.read_changes(limit=0)["cursor"]
    changes = read("changes", namespace="read_one", numPartitions="3").collect()
    assert {row.namespace for row in changes} == {"read_one"}
    numbers = [row.seq for row in read("changes", until=str(head), numPartitions="3").collect()]
    assert sorted(numbers) == list(range(1, head + 1))
    assert read("changes", after=str(head), until=str(head)).count() == 0


def test_spark_sql_reads_source_with_and_without_pushdown(
    spark: SparkSession,
    catalog: Operations,
    where: dict[str, str],
    read: Any,
) -> None:
    proposal = {"aspect": "technicalMetadata", "operation": "upsert", "value": json.loads(technical_metadata())}
    catalog.submit_proposals(
        {"proposals": [proposal | {"urn": table(space, "p")} for space in ("push_one", "push_two")]}
    )
    options = f"url '{where['url']}', token '{where['token']}'"
    spark.sql(f"CREATE TEMPORARY VIEW catalogued USING colophon OPTIONS ({options})")
    assert (
        spark.sql("SELECT count(*) AS n FROM catalogued WHERE namespace = 'push_one' AND type = 'dataset'").first().n
        == 1
    )
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        pushed = read("entities", pushdown="true").where(
            "namespace = 'push_one' AND type = 'dataset' AND name LIKE 'p%'"
        )
        assert [row.urn for row in pushed.collect()] == [table("push_one", "p")]
        newer = read("changes", pushdown="true").where("seq > 3 AND namespace = 'push_two'").collect()
        assert {row.namespace for row in newer} == {"push_two"}
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"table": "nothing"}, "the option table must be one of"),
        ({"table": "entities", "numPartitions": "many"}, "numPartitions must be an integer"),
        ({"table": "entities", "namespaces": "a"}, "has no option 'namespaces'"),
        ({"table": "entities", "pushdown": "yes"}, "pushdown must be true or false"),
        ({"url": ""}, "no server is configured"),
        ({"url": "ftp://x"}, "this is not the URL of a Jupyter server"),
        ({"url": "http://127.0.0.1:9"}, "the server http://127.0.0.1:9/ did not answer"),
        ({"token": "no"}, "the server does not accept the token"),
        ({"table": "edges", "urn": "nonsense"}, "'nonsense' is not a valid URN"),
    ],
)
def test_invalid_read_fails_with_one_line_error(
    spark: SparkSession, where: dict[str, str], options: dict[str, str], words: str
) -> None:
    requested = {"url": where["url"], "token": where["token"]} | options
    with pytest.raises(PySparkException) as refused:
        spark.read.format("colophon").options(**requested).load().count()
    assert words in first_lines(refused.value)


def test_bad_row_is_kept_with_its_problem(
    spark: SparkSession,
    catalog: Operations,
    where: dict[str, str],
    tmp_path: Path,
) -> None:
    bad = spark.createDataFrame(
        [("nonsense", "technicalMetadata", "{}"), (table("w", "json"), "technicalMetadata", "{")],
        "urn string, aspect string, value string",
    )
    frame = rows(spark, "w", 40).union(bad).repartition(2)
    write(frame, where, jobId="write-1", batchSize="7", badRecordsPath=str(tmp_path))
    load = catalog.read_load("write-1")
    assert (load["state"], load["written"], load["unchanged"], load["rejected"]) == ("committed", 40, 0, 2)
    kept = [
        json.loads(line)
        for path in (tmp_path / "write-1").glob("part-*.json")
        for line in path.read_text().splitlines()
    ]
    assert {one["record"]["urn"]: one["problem"]["errors"][0]["pointer"] for one in kept} == {
        "nonsense": "/urn",
        table("w", "json"): "/value",
    }
    assert [one["urn"] for one in catalog.list_load_rejections("write-1")["rejections"]].sort() == [
        *(o["urn"] for o in kept)
    ].sort()
    assert find_entity(catalog, table("w", "t39")) is not None
    # Structs are converted to documents; null columns are left out.
    struct = spark.sql(
        f"SELECT '{table('w', 'struct')}' AS urn, 'technicalMetadata' AS aspect, "
        "named_struct('properties', map('rows', '7'), 'tags', array('made')) AS value, CAST(NULL AS INT) AS ifVersion"
    )
    write(struct, where)
    assert read_stored_aspect(catalog, table("w", "struct"), "technicalMetadata").value == {
        "properties": {"rows": "7"},
        "tags": ["made"],
    }


def test_failed_write_reports_error_and_ends_load(
    spark: SparkSession,
    catalog: Operations,
    where: dict[str, str],
) -> None:
    bad = spark.createDataFrame([("nonsense", "status", "{}")], "urn string, aspect string, value string")
    with pytest.raises(PySparkException) as lost:
        write(rows(spark, "lost", 3).union(bad).coalesce(1), where, jobId="lost-1")
    assert "1 rows were rejected; the others of load lost-1 were written" in first_lines(lost.value)
    assert (catalog.read_load("lost-1")["state"], catalog.read_load("lost-1")["written"]) == ("committed", 3)
    with pytest.raises(PySparkException, match="badRecordsPath must be an absolute path"):
        write(rows(spark, "lost", 3), where, badRecordsPath="bad")
    with pytest.raises(PySparkException, match="unknown column 'extra'"):
        write(rows(spark, "lost", 3).selectExpr("*", "1 AS extra"), where)
    with pytest.raises(PySparkException, match=r"write with mode\('append'\)"):
        rows(spark, "lost", 3).write.format("colophon").options(**where).mode("overwrite").save()
    # The third batch never arrives: earlier ones stay applied, and no further batch is accepted.
    failing = rows(spark, "lost", 30).selectExpr(
        "urn", "aspect", "if(urn LIKE '%t25,%', raise_error('no'), value) AS value"
    )
    with pytest.raises(PySparkException):
        write(failing.coalesce(1), where, jobId="aborted-1", batchSize="5")
    assert catalog.read_load("aborted-1")["state"] == "aborted"
    with pytest.raises(RequestFailed, match="was aborted"):
        catalog.load_batch("aborted-1", {"partition": 0, "number": 99, "rows": [{"urn": "late"}]})
    with pytest.raises(PySparkException, match="was committed"):
        write(rows(spark, "lost", 1), where, jobId="lost-1")


def test_resent_batch_with_other_rows_is_rejected(catalog: Operations) -> None:
    catalog.open_load("mix")
    rows = ([{"urn": table("mix", name), "operation": "create"}] for name in "ab")
    batch, other = ({"partition": 0, "number": 0, "rows": row} for row in rows)
    assert catalog.load_batch("mix", batch) == catalog.load_batch("mix", batch)
    with pytest.raises(RequestFailed) as refused:
        catalog.load_batch("mix", other)
    assert refused.value.problem["type"].endswith(":idempotency-key-reused")


SCRIPT = """
import json, os, sys, threading, time
from jupyter_colophon.spark.session import get_session
where, folder, count = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
spark = get_session("kills", **{"spark.master": "local[2,3]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"})
urn = "concat('urn:li:dataset:(urn:li:dataPlatform:spark,kills.t', id, ',PROD)')"
frame = spark.range(0, count, 1, 2).selectExpr(f"{urn} AS urn", "'technicalMetadata' AS aspect",
    "concat('{\\"properties\\":{\\"n\\":\\"', id, '\\"},\\"tags\\":[]}') AS value")
print("writing", flush=True)
frame.write.format("colophon").options(**where, jobId="kills-1", batchSize="20").mode("append").save()
print("written", flush=True)
del where["retryTimeout"]
stream = spark.readStream.format("colophon").options(**where, table="changes", maxRowsPerBatch="150").load()
stream.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint").start(f"{folder}/out").awaitTermination()
"""


def _workers(process: int) -> list[int]:
    """Return the Python workers that run tasks: forked by a daemon, below the given process."""
    listed = list_processes()
    parents = {pid: parent for pid, parent, _ in listed}
    daemons = {pid for pid, _, command in listed if "pyspark.daemon" in command}

    def below(pid: int) -> bool:
        while pid > 1 and pid != process:
            pid = parents.get(pid, 0)
        return pid == process

    return [pid for pid in daemons if parents[pid] in daemons and below(pid)]


def _await(expected: Any, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not expected():
        assert process.poll() is None, "the session ended"
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def killed(where: dict[str, str], tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    arguments = [json.dumps(where), str(tmp_path), "600"]
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_killed_worker_and_stream_lose_and_duplicate_nothing(
    killed: "subprocess.Popen[str]",
    spark: SparkSession,
    catalog: Operations,
    where: dict[str, str],
    tmp_path: Path,
) -> None:
    def batches() -> int:
        try:
            return int(catalog.read_load("kills-1")["batches"])
        except RequestFailed:
            return 0

    _await(lambda: batches() >= 3, killed)
    victims = _workers(killed.pid)
    assert victims
    for worker in victims:
        os.kill(worker, signal.SIGKILL)
    _await(lambda: catalog.read_load("kills-1")["state"] != "open", killed)
    load = catalog.read_load("kills-1")
    assert [load[name] for name in ("state", "batches", "written", "unchanged", "rejected")] == [
        "committed",
        30,
        600,
        0,
        0,
    ]

    _await(lambda: len(list((tmp_path / "checkpoint" / "commits").glob("[0-9]*"))) >= 2, killed)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    catalog.submit_proposals(
        {"proposals": [{"urn": table("after", f"t{at}"), "operation": "create"} for at in range(40)]}
    )
    requested = {name: value for name, value in where.items() if name != "retryTimeout"}
    for _ in range(2):
        stream = spark.readStream.format("colophon").options(**requested, table="changes", maxRowsPerBatch="150").load()
        query = stream.writeStream.format("parquet").option("checkpointLocation", f"{tmp_path}/checkpoint")
        query.trigger(availableNow=True).start(f"{tmp_path}/out").awaitTermination()
        head = catalog.read_changes(limit=0)["cursor"]
        seen = Counter(row.seq for row in spark.read.parquet(f"{tmp_path}/out").select("seq").collect())
        assert sorted(seen) == list(range(1, head + 1))
        assert set(seen.values()) == {1}
    assert query is not None


def test_statistics_count_keys_and_tags_of_every_aspect(
    spark: SparkSession, catalog: Operations, where: dict[str, str]
) -> None:
    urn, stamp = table("stats", "t0"), {"time": 0, "actor": "urn:li:corpuser:ada"}
    write(rows(spark, "stats", 1), where)
    terms = [{"urn": "urn:li:glossaryTerm:Net"}, {"urn": "urn:li:glossaryTerm:Gross"}]
    catalog.write_aspect(urn, "businessMetadata", {"properties": {"team": "ops"}, "tags": ["gold"]})
    catalog.write_aspect(urn, "globalTags", {"tags": [{"tag": "urn:li:tag:gold"}, {"tag": "urn:li:tag:pii"}]})
    catalog.write_aspect(urn, "glossaryTerms", {"terms": terms, "auditStamp": stamp})
    options = {"url": where["url"], "token": where["token"]}

    def read_columns(name: str, schema: str) -> DataFrame:
        reader = spark.read.format("colophon").options(**options, table=name, namespace="stats")
        return reader.schema(schema).load()

    found = {
        name: [row.asDict() for row in frame.collect()] for name, frame in compute_statistics(read_columns).items()
    }
    of_datasets = {"namespace": "stats", "type": "dataset", "count": 1}
    assert [row for row in found["tags"] if row["type"] == "dataset"] == [
        of_datasets | {"tag": tag} for tag in ("bulk", "gold", "pii")
    ]
    assert [row for row in found["keys"] if row["type"] == "dataset"] == [
        of_datasets | {"key": key} for key in ("at", "team", "terms")
    ]
