"""Pipelines on the command line, without Spark: listed, checked, refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands

EXAMPLE = Path(__file__).parents[2] / "examples" / "pipeline.json"


def written(folder: Path, **changed: Any) -> str:
    """The example in a file, with some of its `metadata` changed."""
    document = json.loads(EXAMPLE.read_text("utf-8"))
    document["metadata"] |= changed
    path = folder / "staff.json"
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def test_the_example_is_valid_in_a_file_and_in_the_schemaspace(colophon: Commands) -> None:
    order = ["employees", "renamed", "masked", "staff", "told"]
    found = colophon("pipeline", "validate", str(EXAMPLE), "--json")
    assert (found.status, found.answer) == (0, {"valid": True, "order": order, "problems": []})
    shutil.copytree(EXAMPLE.parent, kept := colophon.home / "data" / "metadata" / "pipelines", ignore=_not_the_example)
    assert (kept / "pipeline.json").exists()
    assert colophon("pipeline", "validate", "pipeline", "--json").answer["order"] == order
    (row,) = colophon("pipeline", "list", "--json").answer["pipelines"]
    assert (row["name"], row["namespace"], row["stages"], row["valid"]) == ("pipeline", "sales", 5, True)


def test_each_fault_is_told_with_its_place(colophon: Commands, tmp_path: Path) -> None:
    stages = [{"name": "a", "type": "source", "plugin": "nosuch"}]
    found = colophon("pipeline", "validate", written(tmp_path, stages=stages, connections=[]), "--json")
    assert (found.status, [one["pointer"] for one in found.answer["problems"]]) == (1, ["/metadata/stages/0/plugin"])
    table = colophon("pipeline", "validate", written(tmp_path, namespace="a/b"))
    assert (table.status, "/metadata/namespace" in table.out) == (1, True)


def test_what_is_not_valid_is_never_run(colophon: Commands, tmp_path: Path) -> None:
    for verb in ("run", "preview", "package"):
        found = colophon("pipeline", verb, written(tmp_path, arguments={}))
        assert (found.status, found.out) == (1, "")
        assert "/metadata/stages/0/properties/path: the run has no argument source" in found.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["run"], 2, "required: PIPELINE (see jupyter colophon pipeline run --help)"),
        (["list", "staff"], 2, "unrecognized arguments: staff (see jupyter colophon pipeline list --help)"),
        (["enable", "a", "b"], 2, "unrecognized arguments: b (see jupyter colophon pipeline enable --help)"),
        (["fly", "staff"], 2, "invalid choice: 'fly'"),
        (["validate", str(EXAMPLE), "--argument=x"], 2, "argument --argument: must be KEY=VALUE"),
        (["preview", str(EXAMPLE), "--stage=nosuch"], 2, "there is no stage nosuch"),
        (["preview", str(EXAMPLE), "--rows=0"], 2, "rows"),
        (["validate", "nosuch"], 1, "nosuch"),
        (["validate", "nosuch.json"], 1, "No such file"),
        (["validate", "/dev/null/x.json"], 1, "Not a directory"),
        (["stop", "nosuch"], 1, "no pipeline or run nosuch is under way"),
        (["run", str(EXAMPLE), "--snapshot=nosuch.json"], 1, "No such file"),
        (["run", str(EXAMPLE), f"--snapshot={EXAMPLE}"], 2, "is none"),
        (["run", str(EXAMPLE), "--conf=x"], 2, "argument --conf: must be KEY=VALUE"),
        (["package", str(EXAMPLE), "--output=/"], 2, "is there already"),
        (
            ["package", str(EXAMPLE), "--output=/dev/null/x", "--with-snapshot"],
            1,
            "is not available: no server is known",
        ),
    ],
)
def test_wrong_usage_is_one_line(colophon: Commands, words: list[str], status: int, said: str) -> None:
    found = colophon("pipeline", *words)
    assert (found.status, found.out) == (status, "")
    assert said in found.err


def test_a_file_that_is_no_pipeline_is_refused(colophon: Commands, tmp_path: Path) -> None:
    for text in ("", "[1]", "{" * 100_000, "{}"):
        (tmp_path / "x.json").write_text(text, "utf-8")
        found = colophon("pipeline", "validate", str(tmp_path / "x.json"))
        assert found.status == 1
    (tmp_path / "x.json").write_text('{"a": 1,\n  x}', "utf-8")
    assert "it is not valid JSON: " in (told := colophon("pipeline", "validate", str(tmp_path / "x.json")).out)
    assert "line 2 column 3" in told
    (tmp_path / "x.json").write_bytes(b'"\xff"')
    assert "it is not UTF-8" in colophon("pipeline", "validate", str(tmp_path / "x.json")).out


def test_plugins_are_told_with_their_schemas(colophon: Commands) -> None:
    found = colophon("pipeline", "plugins", "--json").answer
    (mask,) = (one for one in found["plugins"] if one["name"] == "mask")
    assert (mask["type"], mask["inputs"], "tagged" in mask["schema"]["properties"]) == ("transform", [1, 1], True)
    assert colophon("pipeline", "plugins").out.startswith("type")


def test_what_can_never_be_due_is_disabled_and_deleted_and_not_enabled(colophon: Commands) -> None:
    """A schedule of before, or written by hand: no save of ours leaves such a one."""
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
