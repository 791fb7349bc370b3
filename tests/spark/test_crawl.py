"""Crawls of folders and catalogs: datasets, profiles, incremental runs and errors (docs/crawl.md)."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.spark.crawl.catalogs import CrawlTargetNotFound
from jupyter_colophon.spark.crawl.crawling import crawl_and_record
from jupyter_colophon.spark.crawl.options import CrawlOptions
from jupyter_colophon.spark.crawl.report import CrawlReport
from pyspark.sql import SparkSession
from support.commands import Commands
from support.servers import catalog, server

__all__ = ["catalog", "server"]

Crawl = Callable[..., CrawlReport]


@pytest.fixture
def crawled(catalog: Operations, spark: SparkSession) -> Crawl:
    return lambda place, **requested: crawl_and_record(catalog, lambda: spark, CrawlOptions(str(place), **requested))


def no_spark() -> Any:
    raise AssertionError("no dataset should be read")


def file(path: Path) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)"


def statuses(report: CrawlReport) -> dict[str, str]:
    return {line.name: line.status for line in report.lines}


def series(server: Any, urn: str) -> list[dict[str, Any]]:
    """Return the profiles of a dataset, newest first, by the API that DataHub's clients use."""
    requested = {"urn": urn, "aspect": "datasetProfile", "entity": "dataset"}
    found = server.call("POST", "colophon/datahub/aspects?action=getTimeseriesAspectValues", requested)
    return [json.loads(one["aspect"]["value"]) for one in found["value"]["values"]]


def columns(profile: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["fieldPath"]: one for one in profile["fieldProfiles"]}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    """Return a folder with files of every supported format, and with invalid ones."""
    lake = tmp_path_factory.mktemp("lake").resolve()
    days = spark.range(60).selectExpr("id", "id % 7 AS rest", "id % 3 AS day")
    days.write.partitionBy("day").parquet(f"{lake}/days")
    spark.range(5).selectExpr("id", "map('a', id) AS m", "array(id) AS a").coalesce(1).write.orc(f"{lake}/orc")
    (lake / "odd [1].csv").write_text("a;b\n1;x\n", "utf-8")
    (lake / "odd [2].csv").write_text('a,b\n1,"x\ny"\n', "utf-8")
    (lake / "odd name;.csv").write_text('id,a.b,"x,`y`"\n1,,"two\nlines"\n2,4.5,z\n', "utf-8")
    (lake / "sub").mkdir()
    (lake / "sub" / "semi.csv.gz").write_bytes(gzip.compress(b"name;pay\nAda;5\nBob;\n"))
    (lake / "records.jsonl").write_text('{"k": 1, "s": {"t": 2}}\n{"k": null}\n', "utf-8")
    (lake / "whole.json").write_text('[\n {"k": "x"},\n {"k": "y"}\n]\n', "utf-8")
    (lake / "empty.csv").write_bytes(b"")
    (lake / "broken.parquet").write_bytes(b"PAR1 and no more")
    (lake / "broken.json").write_text("no JSON at all\n", "utf-8")
    (lake / "packed.csv.zip").write_bytes(b"PK")
    for hidden in ("_temporary", ".hidden"):
        (lake / hidden).mkdir()
        (lake / hidden / "x.csv").write_text("a\n1\n", "utf-8")
    (lake / "notes.txt").write_text("not data", "utf-8")
    (lake / "sub" / "up").symlink_to(lake)
    (lake / "sub" / "self.csv").symlink_to("self.csv")
    os.mkfifo(lake / "sub" / "pipe.csv")
    return lake


EVERYTHING = {
    "days": "new",
    "orc": "new",
    "odd name;.csv": "new",
    "odd [1].csv": "new",
    "odd [2].csv": "failed",
    "sub/semi.csv.gz": "new",
    "records.jsonl": "new",
    "whole.json": "new",
    "empty.csv": "new",
    "broken.parquet": "failed",
    "broken.json": "failed",
    "packed.csv.zip": "skipped",
    "sub/up": "skipped",
    "sub/self.csv": "failed",
    "sub/pipe.csv": "failed",
}


def test_crawl_reports_new_datasets_once_and_changed_ones_again(
    server: Any, catalog: Operations, crawled: Crawl, lake: Path
) -> None:
    dry = crawl_and_record(catalog, no_spark, CrawlOptions(str(lake), dry=True))
    assert statuses(dry) == EVERYTHING | dict.fromkeys(("broken.parquet", "broken.json", "odd [2].csv"), "new")
    assert (find_entity(catalog, file(lake / "days")), dry.status) == (None, "failed")
    first = crawled(lake, jobs=2)
    assert statuses(first) == EVERYTHING
    assert (first.status, first.left) == ("failed", 0)
    reasons = {line.name: line.reason for line in first.lines}
    assert reasons["broken.json"] == "it contains no valid JSON record"
    assert "Spark cannot read it" in reasons["broken.parquet"]
    assert reasons["sub/pipe.csv"] == "is not a regular file"
    run = catalog.read_run(first.run)
    assert (run["status"], run["facts"]["new"], run["facts"]["failed"]) == ("failed", 8, 5)
    schema = read_stored_aspect(catalog, file(lake / "days"), "schemaMetadata").value
    assert [(one["fieldPath"], one["nativeDataType"]) for one in schema["fields"]] == [
        ("id", "bigint"),
        ("rest", "bigint"),
        ("day", "int"),
    ]
    again = crawl_and_record(catalog, no_spark, CrawlOptions(str(lake), exclude=("broken*", "sub/*", "odd ?2*")))
    assert set(statuses(again).values()) == {"same", "skipped"}
    assert (again.status, len(series(server, file(lake / "days")))) == ("succeeded", 1)
    os.utime(lake / "records.jsonl", (1, 1))
    touched = crawled(lake, include=("rec*", "whole*"), exclude=("sub",))
    assert statuses(touched) == {"records.jsonl": "changed", "whole.json": "same"}
    assert statuses(crawled(lake, include=("whole*",), exclude=("sub",), force=True)) == {"whole.json": "changed"}


def test_deleted_files_are_reported_and_keep_their_metadata(
    catalog: Operations, crawled: Crawl, tmp_path: Path
) -> None:
    place = tmp_path.resolve() / "50%_off"
    (place / "deep").mkdir(parents=True)
    for name in ("a.csv", "b.csv", "deep/c.csv"):
        (place / name).write_text("id\n1\n", "utf-8")
    crawled(place)
    shutil.rmtree(place / "deep")
    (place / "a.csv").unlink()
    again = crawl_and_record(catalog, no_spark, CrawlOptions(str(place)))
    assert statuses(again) == {"a.csv": "gone", "b.csv": "same", "deep/c.csv": "gone"}
    assert (again.status, catalog.read_run(again.run)["facts"]["gone"]) == ("succeeded", 2)
    assert read_stored_aspect(catalog, file(place / "a.csv"), "schemaMetadata").value["fields"]
    less = crawl_and_record(catalog, no_spark, CrawlOptions(str(place), exclude=("deep", "a*")))
    assert statuses(less) == {"b.csv": "same"}
    assert statuses(crawl_and_record(catalog, no_spark, CrawlOptions(str(place / "b.csv")))) == {"b.csv": "same"}
    assert statuses(crawl_and_record(catalog, no_spark, CrawlOptions(f"/{place}", include=("b*",)))) == {
        "b.csv": "same"
    }


def test_profile_statistics_match_the_data(server: Any, catalog: Operations, crawled: Crawl, lake: Path) -> None:
    crawled(lake, exclude=("sub/*", "broken*"))
    days = series(server, file(lake / "days"))[0]
    assert (days["rowCount"], days["columnCount"]) == (60, 3)
    profile = columns(days)["id"]
    assert (profile["min"], profile["max"], profile["mean"], profile["nullCount"]) == ("0", "59", "29.5", 0)
    assert profile["median"] in {"29", "30"}
    assert columns(days)["rest"]["uniqueCount"] == 7
    odd = columns(series(server, file(lake / "odd name;.csv"))[0])
    assert {name: (one["nullCount"], one["max"]) for name, one in odd.items()} == {
        "id": (0, "2"),
        "a.b": (1, "4.5"),
        "x,`y`": (0, "z"),
    }
    note = read_stored_aspect(catalog, file(lake / "odd name;.csv"), "crawl").value
    assert note["columns"] == [{"fieldPath": "x,`y`", "lengths": {"shortest": 1, "longest": 9, "mean": 5.0}}]
    nested = columns(series(server, file(lake / "orc"))[0])
    assert nested["m"] == {"fieldPath": "m", "nullCount": 0, "nullProportion": 0.0}
    assert [one["fieldPath"] for one in read_stored_aspect(catalog, file(lake / "orc"), "crawl").value["columns"]] == [
        "m",
        "a",
    ]
    assert columns(series(server, file(lake / "records.jsonl"))[0])["k"]["nullProportion"] == 0.5
    empty = series(server, file(lake / "empty.csv"))[0]
    assert (empty["rowCount"], empty["columnCount"], empty["fieldProfiles"]) == (0, 0, [])


def test_confidential_columns_are_profiled_without_values(
    server: Any, catalog: Operations, crawled: Crawl, tmp_path: Path
) -> None:
    place = tmp_path.resolve() / "staff.csv"
    place.write_text("name,pay\nAda,5\nBob,7\n", "utf-8")
    assert statuses(crawled(place)) == {"staff.csv": "new"}
    field = f"urn:li:schemaField:({file(place)},pay)"
    value = {"properties": {}, "tags": ["Confidential"]}
    catalog.submit_proposals(
        {"proposals": [{"urn": field, "aspect": "businessMetadata", "operation": "upsert", "value": value}]}
    )
    assert statuses(crawled(place)) == {"staff.csv": "changed"}
    profiles = columns(series(server, file(place))[0])
    assert set(profiles["pay"]) == {"fieldPath", "nullCount", "nullProportion", "uniqueCount", "uniqueProportion"}
    assert profiles["name"]["min"] == "Ada"
    assert statuses(crawled(place, statistics=False)) == {"staff.csv": "changed"}
    assert "min" not in columns(series(server, file(place))[0])["name"]
    tags = {"urn": file(place), "aspect": "businessMetadata", "operation": "upsert", "value": value}
    catalog.submit_proposals({"proposals": [tags]})
    assert statuses(crawled(place)) == {"staff.csv": "changed"}
    assert "Ada" not in json.dumps(series(server, file(place))[0])
    assert [one.get("withoutValues") for one in read_stored_aspect(catalog, file(place), "crawl").value["columns"]] == [
        True,
        True,
    ]


def test_columns_tagged_by_datahub_clients_are_profiled_without_values(
    server: Any, catalog: Operations, crawled: Crawl, tmp_path: Path
) -> None:
    """Regression: their minima and maxima were published, and a crawl dropped the tags in the schema."""
    place = tmp_path.resolve() / "people.csv"
    place.write_text("edited,schema,field,plain\na,b,c,d\n", "utf-8")
    tags = {"tags": [{"tag": "urn:li:tag:confidential"}]}
    for urn, aspect, value in (
        (
            file(place),
            "schemaMetadata",
            {"fields": [{"fieldPath": "schema", "nativeDataType": "x", "globalTags": tags}]},
        ),
        (
            file(place),
            "editableSchemaMetadata",
            {"editableSchemaFieldInfo": [{"fieldPath": "edited", "globalTags": tags}]},
        ),
        (f"urn:li:schemaField:({file(place)},field)", "globalTags", tags),
    ):
        catalog.submit_proposals({"proposals": [{"urn": urn, "aspect": aspect, "operation": "upsert", "value": value}]})
    for status in ("new", "changed"):
        assert statuses(crawled(place, statistics=True)) == {"people.csv": status}
        profiles = columns(series(server, file(place))[0])
        assert {name for name, one in profiles.items() if "min" in one} == {"plain"}
        place.write_text("edited,schema,field,plain\na,b,c,d\ne,f,g,h\n", "utf-8")


def test_invalid_json_lines_are_counted_and_not_a_column(
    server: Any, catalog: Operations, crawled: Crawl, tmp_path: Path
) -> None:
    place = tmp_path.resolve() / "torn.jsonl"
    place.write_text('{"k": 1, "w": 3}\n{"k": 2\n{"k": 4}\n', "utf-8")
    (line,) = crawled(place).lines
    assert (line.status, line.reason, line.rows, line.columns) == ("new", "1 of 3 rows could not be read", 3, 2)
    schema = read_stored_aspect(catalog, file(place), "schemaMetadata").value
    assert [one["fieldPath"] for one in schema["fields"]] == ["k", "w"]
    assert set(columns(series(server, file(place))[0])) == {"k", "w"}


def test_avro_without_connector_is_skipped_with_package_name(
    crawled: Crawl, spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "staff.avro").write_bytes(b"Obj\x01")
    (tmp_path / "staff.csv").write_text("id,who\n1,Ada\n")
    report = crawled(tmp_path)
    assert statuses(report) == {"staff.avro": "skipped", "staff.csv": "new"}
    assert report.status == "succeeded"
    (reason,) = [one.reason for one in report.lines if one.status == "skipped"]
    assert f"spark.jars.packages=org.apache.spark:spark-avro_2.13:{spark.version}" in reason


def test_sampled_profile_is_marked_as_sample(server: Any, crawled: Crawl, spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path.resolve() / "many"
    spark.range(2_000).write.parquet(str(place))
    crawled(place, sample=200)
    (profile,) = series(server, file(place))
    assert (profile["rowCount"], profile["partitionSpec"]["type"]) == (2_000, "QUERY")
    assert 100 < int(profile["partitionSpec"]["partition"].split()[1].lstrip("(")) < 300
    assert columns(profile)["id"]["nullProportion"] == 0


def test_wide_table_is_profiled_completely(server: Any, crawled: Crawl, spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path.resolve() / "wide"
    spark.range(3).selectExpr(*(f"id + {at} AS `w.{at}`" for at in range(60))).write.parquet(str(place))
    crawled(place)
    profiles = columns(series(server, file(place))[0])
    assert [profiles[f"w.{at}"]["max"] for at in range(60)] == [str(at + 2) for at in range(60)]


def test_crawl_reports_multi_line_records_in_files_that_hadoop_reads_as_pattern(crawled: Crawl, tmp_path: Path) -> None:
    file_ = tmp_path.resolve() / "notes[1].csv"
    file_.write_text('day,note\n1,"two\nlines"\n', "utf-8")
    (line,) = crawled(file_, options={"header": "true", "multiline": "TRUE"}).lines
    assert (line.status, line.reason) == (
        "failed",
        f"multi-line records cannot be read: the path {str(file_)!r} has one of the characters * ? [ ] {{ }} and \\, "
        "which Spark reads as a pattern",
    )


def table(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{name},PROD)"


def test_crawl_reports_tables_and_views_of_catalog(
    server: Any, catalog: Operations, crawled: Crawl, spark: SparkSession
) -> None:
    spark.sql("CREATE DATABASE crawled")
    spark.sql("CREATE TABLE crawled.`Odd_One` USING parquet AS SELECT * FROM VALUES (1, 'x'), (2, null) AS v(id, name)")
    spark.sql("CREATE VIEW crawled.seen AS SELECT id FROM crawled.`Odd_One` WHERE id > 1")
    first = crawled("spark_catalog.crawled")
    assert statuses(first) == {"crawled.odd_one": "new", "crawled.seen": "new"}
    assert [(line.rows, line.columns) for line in first.lines] == [(2, 2), (None, 1)]
    assert columns(series(server, table("crawled.odd_one"))[0])["name"]["nullCount"] == 1
    assert [
        one["fieldPath"] for one in read_stored_aspect(catalog, table("crawled.seen"), "schemaMetadata").value["fields"]
    ] == ["id"]
    assert set(statuses(crawled("crawled")).values()) == {"same"}
    assert statuses(crawled("crawled.seen", views=True)) == {"crawled.seen": "changed"}
    assert series(server, table("crawled.seen"))[0]["rowCount"] == 1
    spark.sql("INSERT INTO crawled.`Odd_One` VALUES (3, 'y')")
    assert statuses(crawled("crawled", include=("*odd_one",))) == {"crawled.odd_one": "changed"}
    spark.sql("DROP VIEW crawled.seen")
    assert statuses(crawled("crawled")) == {"crawled.odd_one": "same", "crawled.seen": "gone"}
    for absent in ("nosuch", "spark_catalog.nosuch", "crawled.nosuch"):
        with pytest.raises(CrawlTargetNotFound, match="no such folder"):
            crawled(absent)


def test_crawl_function_uses_active_session(
    server: Any, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path.resolve()
    (place / "days.csv").write_text("day,visitors\n1,20\n2,30\n", "utf-8")
    (place / "other.json").write_text("{}", "utf-8")
    (place / "torn.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" * 9000)[:50])
    monkeypatch.setenv("COLOPHON_URL", server.url)
    monkeypatch.setenv("COLOPHON_TOKEN", server.token)
    current.use_server(None)
    report = metadata.crawl(place, include="*.csv*")
    assert {row["name"]: (row["status"], row["rows"]) for row in report} == {
        "days.csv": ("new", 2),
        "torn.csv.gz": ("failed", None),
    }
    (why,) = (row["reason"] for row in report if row["reason"])
    assert why == "cannot be decompressed (Compressed file ended before the end-of-stream marker was reached)"
    shown = metadata.show(f"{place}/days.csv").document["profile"]["value"]
    assert columns(shown)["visitors"]["max"] == "30"
    with pytest.raises(ValueError, match="sample must be a positive number of rows"):
        metadata.crawl(place, sample=0)
    current.use_server(None)


def count_crawled(catalog: Operations, folder: Path, count: int) -> int:
    return sum(read_stored_aspect(catalog, file(folder / f"{at}.csv"), "crawl").version > 0 for at in range(count))


def test_killed_crawl_resumes_without_repeating_work(
    server: Any, catalog: Operations, crawled: Crawl, tmp_path: Path
) -> None:
    folder, count, pause = tmp_path.resolve() / "many", 24, threading.Event()
    folder.mkdir()
    for at in range(count):
        (folder / f"{at}.csv").write_text(f"a,b\n{at},x\n", "utf-8")
    command = [sys.executable, "-m", "jupyter_colophon.cli", "crawl", str(folder), "--conf=spark.master=local[1]"]
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("COLOPHON_", "JUPYTER_"))}
    known = {
        **kept,
        "COLOPHON_URL": server.url,
        "COLOPHON_TOKEN": server.token,
        "JUPYTER_DATA_DIR": str(tmp_path / "j"),
    }
    done = 0
    for end in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen(
            command, env=known, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while count_crawled(catalog, folder, count) <= done:
            assert process.poll() is None, process.communicate()
            pause.wait(0.1)
        process.send_signal(end)
        err = process.communicate()[1]
        done = count_crawled(catalog, folder, count)
    assert process.returncode == 1
    assert "Run the command again to continue" in err
    left = int(err.partition(" remaining for the next crawl")[0].rpartition(" ")[2])
    assert left == count - done
    assert "Traceback" not in err
    assert 0 < done < count
    last = crawled(folder)
    assert (last.status, last.counts["same"], last.counts["new"]) == ("succeeded", done, count - done)
    runs = catalog.list_runs(program=catalog.read_run(last.run)["program"])["runs"]
    mine = [one["status"] for one in runs if catalog.read_run(one["urn"])["arguments"]["place"] == str(folder)]
    assert mine == ["succeeded", "killed", "killed"]


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (["."], 2, "no server given"),
        ([".", "--url=nonsense"], 2, "--url: this is not the URL"),
        ([".", "--url=http://127.0.0.1:1"], 1, "did not answer"),
        (["/nosuch/folder", "--url=http://127.0.0.1:1"], 1, "/nosuch/folder: No such file or directory"),
        (["s3a://bucket/x", "--url=http://127.0.0.1:1"], 2, "only local folders can be crawled"),
        ([".", "--url=http://127.0.0.1:1", "--jobs=0"], 2, "--jobs must be from 1 to 64, not 0"),
        ([".", "--url=http://127.0.0.1:1", "--namespace=a/b"], 2, "--namespace: 'a/b' is not a valid namespace"),
        ([".", "--url=http://127.0.0.1:1", "--sample=many"], 2, "--sample"),
        ([".", "--url=http://127.0.0.1:1", "--option=x"], 2, "argument --option: must be KEY=VALUE"),
        ([], 2, "required: PATH|CATALOG"),
    ],
)
def test_invalid_crawl_command_prints_one_line(tmp_path: Path, words: list[str], status: int, expected: str) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n", "utf-8")
    found = Commands(home=tmp_path, database=tmp_path / "no.db")
    done = found.run("crawl", *words)
    assert (done.status, done.err.count("\n"), "Traceback" in done.err) == (status, 1, False), done.err
    assert expected in done.err


def test_unknown_catalog_name_prints_one_line(tmp_path: Path) -> None:
    found = Commands(home=tmp_path, database=tmp_path / "no.db")
    done = found.run("crawl", "nosuch.db", "--url=http://127.0.0.1:1", "--conf=spark.master=local[1]")
    # Java prints a warning as it starts.
    lines = [line for line in done.err.splitlines() if not line.startswith("WARNING: Using incubator modules")]
    absent = "jupyter colophon: nosuch.db: no such folder, catalog, database or table"
    assert (done.status, lines) == (2, [absent])
