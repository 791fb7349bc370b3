"""`jupyter colophon pipeline` without Spark."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands

EXAMPLE = Path(__file__).parents[2] / "examples" / "pipeline.json"


def written(folder: Path, **changed: Any) -> str:
    """Write the example with changed members of `metadata`; return its path."""
    document = json.loads(EXAMPLE.read_text("utf-8"))
    document["metadata"] |= changed
    path = folder / "staff.json"
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def test_validate_accepts_example_from_file_and_schemaspace(colophon: Commands) -> None:
    order = ["employees", "renamed", "masked", "staff", "propagated"]
    result = colophon("pipeline", "validate", str(EXAMPLE), "--json")
    assert (result.status, result.answer["valid"], result.answer["order"], result.answer["problems"]) == (
        0,
        True,
        order,
        [],
    )
    shutil.copytree(
        EXAMPLE.parent, stored := colophon.home / "data" / "metadata" / "pipelines", ignore=_not_the_example
    )
    assert (stored / "pipeline.json").exists()
    assert colophon("pipeline", "validate", "pipeline", "--json").answer["order"] == order
    (row,) = colophon("pipeline", "list", "--json").answer["pipelines"]
    assert (row["name"], row["namespace"], row["stages"], row["valid"]) == ("pipeline", "sales", 5, True)


def test_validate_reports_each_error_with_pointer(colophon: Commands, tmp_path: Path) -> None:
    stages = [{"name": "a", "type": "source", "plugin": "nosuch"}]
    result = colophon("pipeline", "validate", written(tmp_path, stages=stages, connections=[]), "--json")
    assert (result.status, [one["pointer"] for one in result.answer["problems"]]) == (1, ["/metadata/stages/0/plugin"])
    table = colophon("pipeline", "validate", written(tmp_path, namespace="a/b"))
    assert (table.status, "/metadata/namespace" in table.out) == (1, True)


def test_invalid_pipeline_is_not_run(colophon: Commands, tmp_path: Path) -> None:
    for verb in ("run", "preview", "package"):
        result = colophon("pipeline", verb, written(tmp_path, arguments={}))
        assert (result.status, result.out) == (1, "")
        assert "/metadata/stages/0/properties/path: the run was started without the argument source" in result.err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["run"], 2, "required: PIPELINE (see jupyter colophon pipeline run --help)"),
        (["list", "staff"], 2, "unexpected arguments: staff (see jupyter colophon pipeline list --help)"),
        (["enable", "a", "b"], 2, "unexpected arguments: b (see jupyter colophon pipeline enable --help)"),
        (["fly", "staff"], 2, "unknown subcommand 'fly'"),
        (["validate", str(EXAMPLE), "--argument=x"], 2, "argument --argument: must be KEY=VALUE"),
        (["preview", str(EXAMPLE), "--stage=nosuch"], 1, "/stage: stage nosuch not found"),
        (["preview", str(EXAMPLE), "--rows=0"], 2, "rows"),
        (["validate", "nosuch"], 1, "nosuch"),
        (["validate", "nosuch.json"], 1, "No such file"),
        (["validate", "/dev/null/x.json"], 1, "Not a directory"),
        (["stop", "nosuch"], 1, "no running pipeline or run nosuch"),
        (["run", str(EXAMPLE), "--snapshot=nosuch.json"], 1, "No such file"),
        (["run", str(EXAMPLE), f"--snapshot={EXAMPLE}"], 2, "is not a metadata snapshot"),
        (["run", str(EXAMPLE), "--conf=x"], 2, "argument --conf: must be KEY=VALUE"),
        (["package", str(EXAMPLE), "--output=/"], 2, "already exists"),
        (
            ["package", str(EXAMPLE), "--output=/dev/null/x", "--with-snapshot"],
            1,
            "is not available: no server is configured",
        ),
    ],
)
def test_wrong_usage_prints_one_line(colophon: Commands, words: list[str], status: int, message: str) -> None:
    result = colophon("pipeline", *words)
    assert (result.status, result.out) == (status, "")
    assert message in result.err


def test_file_without_pipeline_is_rejected(colophon: Commands, tmp_path: Path) -> None:
    for text in ("", "[1]", "{" * 100_000, "{}"):
        (tmp_path / "x.json").write_text(text, "utf-8")
        found = colophon("pipeline", "validate", str(tmp_path / "x.json"))
        assert found.status == 1
    (tmp_path / "x.json").write_text('{"a": 1,\n  x}', "utf-8")
    assert "it is not valid JSON: " in (result := colophon("pipeline", "validate", str(tmp_path / "x.json")).out)
    assert "line 2 column 3" in result
    (tmp_path / "x.json").write_bytes(b'"\xff"')
    assert "it is not UTF-8" in colophon("pipeline", "validate", str(tmp_path / "x.json")).out


def test_plugins_are_listed_with_schemas(colophon: Commands) -> None:
    result = colophon("pipeline", "plugins", "--json").answer
    (mask,) = (one for one in result["plugins"] if one["name"] == "mask")
    assert (mask["type"], mask["inputs"], "tagged" in mask["schema"]["properties"]) == ("transform", [1, 1], True)
    assert colophon("pipeline", "plugins").out.startswith("type")


def test_impossible_schedule_cannot_be_enabled(colophon: Commands) -> None:
    # Such a file was written by hand or by an earlier version: it cannot be saved now.
    folder = colophon.home / "data" / "metadata" / "pipelines"
    folder.mkdir(parents=True)
    metadata = {"namespace": "sales", "pipeline": "staff", "cron": "0 0 30 2 *"}
    document = {"display_name": "Never", "schema_name": "schedule", "metadata": metadata}
    (folder / "never.json").write_text(json.dumps(document), "utf-8")
    assert colophon("pipeline", "disable", "never").out == "never is disabled.\n"
    (row,) = colophon("pipeline", "schedules", "--json").answer["schedules"]
    assert (row["enabled"], row["problem"]) == (False, "cron: its day-of-month is not valid")
    refused = colophon("pipeline", "enable", "never")
    assert (refused.status, "/metadata/cron: its day-of-month is not valid" in refused.err) == (1, True), refused.err
    assert colophon("metadata", "remove", "pipelines", "--name=never").status == 0
    assert not list(folder.glob("never.json"))


def _not_the_example(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name != "pipeline.json"]
