"""Recipes on Spark: as a function, and as a stage of a pipeline."""

from datetime import date, datetime
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.runner import run_pipeline
from jupyter_colophon.wrangling import apply_recipe_to_dataframe
from pyspark.sql import SparkSession

RECIPE = """
trim :name
parse-as-date :day 'dd.MM.yyyy'
set-column :twice exp:{number(n) * 2}
drop :n
"""
TYPES = {"name": "string", "day": "date", "twice": "integer"}


def test_recipe_is_applied_to_a_dataframe_of_spark(spark: SparkSession) -> None:
    rows = [(" a ", "27.11.2026", "1"), (None, None, "2"), ("a", "27.11.2026", "1")]
    data = spark.createDataFrame(rows, "name STRING, day STRING, n STRING").repartition(2)
    result = apply_recipe_to_dataframe(data, RECIPE + "dedupe")
    assert result.schema.simpleString() == "struct<name:string,day:date,twice:bigint>"
    found = {tuple(row) for row in result.collect()}
    assert (found, result.count()) == ({("a", date(2026, 11, 27), 2), (None, None, 4)}, 2)
    types = {"at": "timestamp", "list": "string", "half": "double", "yes": "boolean"}
    mixed = spark.sql("SELECT TIMESTAMP_NTZ'2026-11-27 01:02:03' at, array(1, 2) list, 0.5BD half, true yes")
    assert apply_recipe_to_dataframe(mixed, "", types).collect()[0].asDict() == {
        "at": datetime(2026, 11, 27, 1, 2, 3),
        "list": "[1, 2]",
        "half": 0.5,
        "yes": True,
    }


def _write_files(name: str, folder: Path) -> dict[str, object]:
    return {"name": name, "type": "sink", "plugin": "file", "properties": {"path": str(folder), "mode": "overwrite"}}


def test_pipeline_applies_a_recipe_to_all_rows(spark: SparkSession, tmp_path: Path) -> None:
    source, sink = tmp_path / "orders.csv", tmp_path / "clean"
    source.write_text("name,day,n\n x,27.11.2026,1\ny,never,2\n,28.11.2026,3\n")
    rejected = tmp_path / "rejected"
    wrangle = {"recipe": RECIPE, "columns": TYPES, "on_rejected": "${on_rejected}"}
    read = {"path": str(source), "format": "csv", "options": {"header": "true"}}
    document = {
        "metadata": {
            "namespace": "shop",
            "stages": [
                {"name": "orders", "type": "source", "plugin": "file", "properties": read},
                {"name": "wrangle", "type": "transform", "plugin": "wrangle", "properties": wrangle},
                {
                    "name": "wrong",
                    "type": "transform",
                    "plugin": "wrangle-rejected",
                    "properties": {"recipe": RECIPE},
                },
                _write_files("clean", sink),
                _write_files("rejected", rejected),
            ],
            "connections": [
                {"from": "orders", "to": "wrangle"},
                {"from": "wrangle", "to": "clean"},
                {"from": "orders", "to": "wrong"},
                {"from": "wrong", "to": "rejected"},
            ],
        }
    }

    lines: list[str] = []

    def run(on_rejected: str) -> tuple[str, str]:
        prepared = check_and_prepare_pipeline("wrangling", document, load_plugins(), {"on_rejected": on_rejected})
        outcome = run_pipeline(prepared, spark)
        lines.extend(line.split(" ", 1)[1] for line in outcome.lines)
        return outcome.status, outcome.error

    assert run("skip") == ("succeeded", "")
    rows = spark.read.parquet(str(sink)).sort("twice").collect()
    assert [tuple(row) for row in rows] == [("x", date(2026, 11, 27), 2), (None, date(2026, 11, 28), 6)]
    assert "wrangle rejected: 1" in lines
    assert [row.asDict() for row in spark.read.parquet(str(rejected)).collect()] == [
        {
            "line": 3,
            "directive": "parse-as-date",
            "reason": "'never' does not have the format dd.MM.yyyy",
            "row": '{"name": "y", "day": "never", "n": "2"}',
        }
    ]
    status, error = run("fail")
    assert status == "failed"
    assert "line 3, column 1: parse-as-date: 'never' does not have the format dd.MM.yyyy" in error
    wrangle["recipe"] = "shout :name"
    with pytest.raises(InvalidInstance) as raised:
        run("skip")
    assert [problem.message for problem in raised.value.problems] == ["line 1, column 1: unknown directive shout"]
