"""A crawl tells what is in folders and catalogs, looks at nothing twice, and says what it could not read (docs/crawl.md)."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.catalog import Catalog
from jupyter_colophon.spark.crawl.asked import Asked
from jupyter_colophon.spark.crawl.crawling import crawl
from jupyter_colophon.spark.crawl.report import Report
from pyspark.sql import SparkSession
from support.servers import catalog, server

__all__ = ["catalog", "server"]

Crawled = Callable[..., Report]


@pytest.fixture
def crawled(catalog: Catalog, spark: SparkSession) -> Crawled:
    return lambda place, **asked: crawl(catalog, lambda: spark, Asked(str(place), **asked))


def no_spark() -> Any:
    raise AssertionError("nothing had to be looked at")


def file(path: Path) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)"


def became(report: Report) -> dict[str, str]:
    return {line.name: line.status for line in report.lines}


def series(server: Any, urn: str) -> list[dict[str, Any]]:
    """The profiles of a dataset, newest first, as DataHub's clients ask for them."""
    asked = {"urn": urn, "aspect": "datasetProfile", "entity": "dataset"}
    found = server.call("POST", "colophon/datahub/aspects?action=getTimeseriesAspectValues", asked)
    return [json.loads(one["aspect"]["value"]) for one in found["value"]["values"]]


def columns(profile: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["fieldPath"]: one for one in profile["fieldProfiles"]}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    """A folder with something of everything."""
    lake = tmp_path_factory.mktemp("lake").resolve()
    days = spark.range(60).selectExpr("id", "id % 7 AS rest", "id % 3 AS day")
    days.write.partitionBy("day").parquet(f"{lake}/days")
    spark.range(5).selectExpr("id", "map('a', id) AS m", "array(id) AS a").coalesce(1).write.orc(f"{lake}/orc")
    (lake / "odd name; [1].csv").write_text('id,a.b,"x,`y`"\n1,,"two\nlines"\n2,4.5,z\n', "utf-8")
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
    "odd name; [1].csv": "new",
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


def test_everything_in_a_folder_is_told_once_and_looked_at_again_where_it_changed(
    server: Any, catalog: Catalog, crawled: Crawled, lake: Path
) -> None:
    dry = crawl(catalog, no_spark, Asked(str(lake), dry=True))
    assert became(dry) == EVERYTHING | {"broken.parquet": "new", "broken.json": "new"}
    assert catalog.entity(file(lake / "days")) is None
    first = crawled(lake, jobs=2)
    assert became(first) == EVERYTHING
    assert (first.status, first.left) == ("failed", 0)
    reasons = {line.name: line.reason for line in first.lines}
    assert reasons["broken.json"] == "no record in it is JSON"
    assert "Spark cannot read it" in reasons["broken.parquet"]
    assert reasons["sub/pipe.csv"] == "is no ordinary file"
    run = catalog.run(first.run)
    assert (run["status"], run["facts"]["new"], run["facts"]["failed"]) == ("failed", 7, 4)
    told = catalog.aspect(file(lake / "days"), "schemaMetadata").value
    assert [(one["fieldPath"], one["nativeDataType"]) for one in told["fields"]] == [
        ("id", "bigint"),
        ("rest", "bigint"),
        ("day", "int"),
    ]
    again = crawl(catalog, no_spark, Asked(str(lake), exclude=("broken*", "sub/*")))
    assert set(became(again).values()) == {"same", "skipped"}
    assert (again.status, len(series(server, file(lake / "days")))) == ("succeeded", 1)
    os.utime(lake / "records.jsonl", (1, 1))
    touched = crawled(lake, include=("rec*", "whole*"))
    assert became(touched) == {"records.jsonl": "changed", "whole.json": "same"}
    assert became(crawled(lake, include=("whole*",), force=True)) == {"whole.json": "changed"}


def test_the_figures_are_those_of_the_data(server: Any, catalog: Catalog, crawled: Crawled, lake: Path) -> None:
    crawled(lake, exclude=("sub/*", "broken*"))
    days = series(server, file(lake / "days"))[0]
    assert (days["rowCount"], days["columnCount"]) == (60, 3)
    told = columns(days)["id"]
    assert (told["min"], told["max"], told["mean"], told["nullCount"]) == ("0", "59", "29.5", 0)
    assert told["median"] in {"29", "30"}
    assert columns(days)["rest"]["uniqueCount"] == 7
    odd = columns(series(server, file(lake / "odd name; [1].csv"))[0])
    assert {name: (one["nullCount"], one["max"]) for name, one in odd.items()} == {
        "id": (0, "2"),
        "a.b": (1, "4.5"),
        "x,`y`": (0, "z"),
    }
    note = catalog.aspect(file(lake / "odd name; [1].csv"), "crawl").value
    assert note["columns"] == [{"fieldPath": "x,`y`", "lengths": {"shortest": 1, "longest": 9, "mean": 5.0}}]
    nested = columns(series(server, file(lake / "orc"))[0])
    assert nested["m"] == {"fieldPath": "m", "nullCount": 0, "nullProportion": 0.0}
    assert [one["fieldPath"] for one in catalog.aspect(file(lake / "orc"), "crawl").value["columns"]] == ["m", "a"]
    assert columns(series(server, file(lake / "records.jsonl"))[0])["k"]["nullProportion"] == 0.5
    empty = series(server, file(lake / "empty.csv"))[0]
    assert (empty["rowCount"], empty["columnCount"], empty["fieldProfiles"]) == (0, 0, [])
