"""Expectations that are checked on DataFrames of Spark and pandas, in cells, crawls and pipelines."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas
import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import EntityNotFound, RequestFailed
from jupyter_colophon.client.transport import ServerAddress
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.runner import PipelineOutcome, run_pipeline
from jupyter_colophon.spark.crawl.crawling import crawl_and_record
from jupyter_colophon.spark.crawl.options import CrawlOptions
from jupyter_colophon.spark.quality.pandas_check import evaluate_on_pandas
from jupyter_colophon.spark.quality.spark_check import SparkCheck
from pyspark.sql import SparkSession
from support.servers import catalog, known, server

__all__ = ["catalog", "known", "server"]

Evaluate = Callable[..., dict[str, dict[str, Any]]]
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
FILE = "urn:li:dataset:(urn:li:dataPlatform:file,{},PROD)"
_ROWS = [
    (1, "open", -3.0, date(2026, 11, 26), "a@b"),
    (2, "open", 5.0, date(2026, 11, 20), "none"),
    (2, "paid", None, None, None),
    (4, "odd", 120.0, date(2026, 1, 1), "c@d"),
]
_NAMES = ["id", "state", "amount", "day", "mail"]
_ID_RULE = {"kind": "notNull", "column": "id"}


@pytest.fixture(params=["spark", "pandas"])
def evaluate(request: pytest.FixtureRequest) -> Evaluate:
    """Return a function that evaluates expectations on the rows of this test."""
    if request.param == "pandas":
        data = pandas.DataFrame(_ROWS, columns=_NAMES)
        return lambda may_show=True, **expectations: evaluate_on_pandas(data, expectations, NOW, lambda _: may_show)
    spark = request.getfixturevalue("spark")
    frame = spark.createDataFrame(_ROWS, "id LONG, state STRING, amount DOUBLE, day DATE, mail STRING")
    return lambda may_show=True, **expectations: SparkCheck(frame, NOW, lambda _: may_show).evaluate(expectations)


def test_rows_are_counted_exactly_on_both_engines(evaluate: Evaluate) -> None:
    results = evaluate(
        not_null={"kind": "notNull", "column": "amount"},
        unique={"kind": "unique", "column": "id"},
        limits={"kind": "range", "column": "amount", "min": 0, "max": 100},
        tolerated={"kind": "range", "column": "amount", "min": 0, "tolerance": 0.25},
        days={"kind": "range", "column": "day", "min": "2026-02-01"},
        states={"kind": "set", "column": "state", "values": ["open", "paid"]},
        numbers={"kind": "set", "column": "id", "values": [1, 2]},
        mails={"kind": "pattern", "column": "mail", "pattern": "^[a-z]@[a-z]$"},
    )
    assert {id_: (one["status"], one["failing"], one["rows"]) for id_, one in results.items()} == {
        "not_null": ("failed", 1, 4),
        "unique": ("failed", 1, 4),
        "limits": ("failed", 2, 4),
        "tolerated": ("passed", 1, 4),
        "days": ("failed", 1, 4),
        "states": ("failed", 1, 4),
        "numbers": ("failed", 1, 4),
        "mails": ("failed", 1, 4),
    }
    assert results["limits"]["observed"] == "-3.0 to 120.0"
    assert set(results["limits"]["samples"]) == {"-3.0", "120.0"}
    assert (results["unique"]["samples"], results["states"]["samples"]) == (["2"], ["odd"])
    assert "samples" not in results["not_null"]


def test_datasets_are_judged_as_a_whole(evaluate: Evaluate) -> None:
    results = evaluate(
        rows={"kind": "rowCount", "min": 1, "max": 3},
        fresh={"kind": "freshness", "column": "day", "maxAge": "P1D"},
        stale={"kind": "freshness", "column": "day", "maxAge": "PT6H"},
        columns={"kind": "columns", "columns": [{"name": "id", "type": "bigint"}, {"name": "STATE"}]},
        wrong={"kind": "columns", "columns": [{"name": "id", "type": "string"}, {"name": "absent"}]},
    )
    assert {id_: one["status"] for id_, one in results.items()} == {
        **{"rows": "failed", "fresh": "passed", "stale": "failed", "columns": "passed", "wrong": "failed"}
    }
    assert results["rows"]["observed"] == "4"
    assert results["stale"]["observed"] == "2026-11-27T00:00:00+00:00"
    assert results["wrong"]["observed"] == "id is bigint; absent is missing"


def test_an_impossible_expectation_is_an_error_and_affects_no_other(evaluate: Evaluate) -> None:
    results = evaluate(
        absent={"kind": "unique", "column": "absent"},
        day={"kind": "range", "column": "day", "min": "soon"},
        age={"kind": "freshness", "column": "state", "maxAge": "P1D"},
        id={"kind": "notNull", "column": "id"},
    )
    assert [results[id_]["status"] for id_ in ("absent", "day", "age", "id")] == ["error", "error", "error", "passed"]
    assert results["absent"]["message"] == "the data has no column absent"


def test_no_values_of_confidential_columns_are_read(evaluate: Evaluate) -> None:
    limits = {"kind": "range", "column": "amount", "min": 0}
    result = evaluate(False, limits=limits)["limits"]
    assert result == {"status": "failed", "failing": 1, "rows": 4}


@pytest.mark.parametrize("type_", ["map<string,bigint>", "struct<a:bigint>"])
def test_types_without_order_do_not_stop_the_check(type_: str, spark: SparkSession) -> None:
    data = spark.range(2).selectExpr("id", f"cast(null as {type_}) AS odd")
    expectations = {"odd": {"kind": "range", "column": "odd", "min": 0}, "id": {"kind": "unique", "column": "id"}}
    results = SparkCheck(data, NOW).evaluate(expectations)
    assert results["id"]["status"] == "passed"
    assert results["odd"]["status"] == "error"


def _expect(catalog: Operations, urn: str, **expectations: Any) -> None:
    catalog.write_aspect(urn, "businessMetadata", {"properties": {}, "tags": []})
    catalog.write_aspect(urn, "expectations", {"expectations": expectations})


def _read_quality(catalog: Operations, urn: str) -> dict[str, Any]:
    entity = find_entity(catalog, urn)
    assert entity is not None
    return entity["aspects"].get("quality", {"value": {}})["value"]


@pytest.fixture
def connected(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current, "_api", None)
    monkeypatch.setattr(current, "_server", None)
    current.use_server(ServerAddress(server.url, server.token))


@pytest.mark.usefixtures("known", "connected")
def test_check_in_a_program_records_results(catalog: Operations) -> None:
    urn = FILE.format("/quality/orders")
    _expect(catalog, urn, id=_ID_RULE, other={"kind": "other", "name": "a check of another tool"})
    data = pandas.DataFrame(_ROWS, columns=_NAMES)
    result = metadata.check(data, "/quality/orders")
    assert [(row["expectation"], row["status"], row["rows"]) for row in result] == [("id", "passed", 4)]
    quality = _read_quality(catalog, urn)
    assert (quality["status"], list(quality["results"])) == ("passing", ["id"])
    assert quality["results"]["id"]["source"]["kind"] == "program"
    with pytest.raises(TypeError, match="must be a DataFrame"):
        metadata.check([1], "/quality/orders")


@pytest.mark.usefixtures("known", "connected")
def test_check_of_unknown_data_suggests_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.csv").touch()
    with pytest.raises(EntityNotFound, match=f"did you mean '{tmp_path}/orders.csv'"):
        metadata.check(pandas.DataFrame(_ROWS), "orders.csv")
    with pytest.raises(EntityNotFound):
        metadata.expect("orders.csv", {"id": _ID_RULE})


@pytest.mark.usefixtures("known", "connected")
def test_expectations_are_written_in_a_program(catalog: Operations) -> None:
    _expect(catalog, FILE.format("/quality/written"), rows={"kind": "rowCount", "min": 1})
    rules = {"id": _ID_RULE, "day": {"kind": "freshness", "column": "day", "maxAge": "P1D"}}
    assert sorted(metadata.expect("/quality/written", rules)) == ["day", "id", "rows"]
    assert metadata.expect("/quality/written", remove=["rows", "day"]) == {"id": _ID_RULE}
    with pytest.raises(RequestFailed, match="column"):
        metadata.expect("/quality/written", {"id": {"kind": "notNull"}})


def test_crawl_checks_expectations_with_its_option(catalog: Operations, spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    (folder / "orders.csv").write_text("id,n\n1,2\n,3\n", "utf-8")
    urn = FILE.format(folder / "orders.csv")
    _expect(catalog, urn, id=_ID_RULE)
    crawl_and_record(catalog, lambda: spark, CrawlOptions(str(folder)))
    assert _read_quality(catalog, urn) == {}
    report = crawl_and_record(catalog, lambda: spark, CrawlOptions(str(folder), check=True, force=True))
    assert [(line.status, line.quality) for line in report.lines] == [("changed", "1 of 1 failed")]
    assert report.status == "succeeded"
    quality = _read_quality(catalog, urn)
    assert (quality["status"], quality["results"]["id"]["failing"]) == ("failing", 1)
    assert quality["results"]["id"]["source"] == {"kind": "crawl", "run": report.run}


def _run_copy(spark: SparkSession, folder: Path, quality: str) -> PipelineOutcome:
    stages = [
        {"name": "source", "type": "source", "plugin": "file", "properties": {"path": str(folder / "in")}},
        {
            **{"name": "sink", "type": "sink", "plugin": "file"},
            "properties": {"path": str(folder / "out"), "mode": "overwrite"},
        },
    ]
    document = {"namespace": "staff", "stages": stages, "connections": [{"from": "source", "to": "sink"}]}
    document["quality"] = quality
    return run_pipeline(check_and_prepare_pipeline("copy", {"metadata": document}, load_plugins()), spark)


@pytest.mark.usefixtures("known")
def test_pipeline_records_the_quality_of_what_it_wrote_or_fails(
    catalog: Operations, spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path.resolve()
    spark.sql("SELECT 1L AS id UNION ALL SELECT NULL").write.parquet(str(folder / "in"))
    sink = FILE.format(folder / "out")
    _expect(catalog, sink, id=_ID_RULE, rows={"kind": "rowCount", "min": 2})
    outcome = _run_copy(spark, folder, "record")
    assert outcome.status == "succeeded"
    assert any("1 of 2 expectations failed: id" in line for line in outcome.lines)
    source = _read_quality(catalog, sink)["results"]["id"]["source"]
    assert source == {"kind": "pipeline", "run": outcome.run, "name": "copy"}
    accesses = catalog.list_run_accesses(outcome.run)["accesses"]
    modes = {(one["urn"], one["mode"]) for one in accesses if one["role"] == "data"}
    assert modes == {(FILE.format(folder / "in"), "read"), (sink, "write")}
    failed = _run_copy(spark, folder, "fail")
    assert (failed.status, "1 of 2 expectations failed: id" in failed.error) == ("failed", True)
    assert spark.read.parquet(str(folder / "out")).count() == 2
    _expect(catalog, sink, id={**_ID_RULE, "severity": "warning"}, rows={"kind": "rowCount", "min": 2})
    warned = _run_copy(spark, folder, "fail")
    assert (warned.status, _read_quality(catalog, sink)["status"]) == ("succeeded", "warning")
