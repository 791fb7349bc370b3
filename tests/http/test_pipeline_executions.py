"""Previews and runs of pipelines that users start on a server, and packages (docs/pipelines.md#in-jupyterlab)."""

import asyncio
import io
import json
import zipfile
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.operations.native import pipelines
from jupyter_server.auth.identity import User
from support.artifacts import TOOLS

pytest.importorskip("pyspark")
SPACE = ("schemaspaces", "pipelines", "instances")


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    jp_server_config["Colophon"]["max_pipeline_executions"] = 1
    return jp_server_config


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    """A pipeline that keeps the names of a file, and that is complete."""
    (tmp_path / "people.csv").write_text("id,name\n1,Ada\n2,Bob\n")
    file = {"path": str(tmp_path / "people.csv"), "format": "csv", "options": {"header": "true"}}
    stages = [
        {"name": "people", "type": "source", "plugin": "file", "properties": file},
        {"name": "names", "type": "transform", "plugin": "projection", "properties": {"keep": ["name"]}},
        {"name": "out", "type": "sink", "plugin": "file", "properties": {"path": "${sink}"}},
    ]
    connections = [{"from": "people", "to": "names"}, {"from": "names", "to": "out"}]
    metadata = {"namespace": "sales", "stages": stages, "connections": connections}
    return {"display_name": "Names", "schema_name": "pipeline", "metadata": metadata}


@pytest.fixture
def slow(document: dict[str, Any]) -> dict[str, Any]:
    """The pipeline with a stage that sleeps."""
    code = "import time\ndef transform(data):\n    print('sleeps', flush=True)\n    time.sleep(600)"
    document["metadata"]["stages"][1] |= {"plugin": "python", "properties": {"code": code}}
    return document


async def wait(api: Any, started: Any, is_reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Read an execution until it has reached something, or has ended."""
    while True:
        read = await api("GET", "pipelines", "executions", started.body["id"], answers="pipeline-execution")
        if is_reached(read.body) or read.body["ended"] is not None:
            return dict(read.body)
        await asyncio.sleep(0.1)


async def test_preview_shows_the_output_of_a_draft_and_records_nothing(
    api: Any, sales: None, document: dict[str, Any], tmp_path: Path
) -> None:
    # Only stages that lead to the chosen one must be valid.
    document["metadata"]["stages"][2]["plugin"] = "nosuch"
    body = {"name": "names", "document": document, "stage": "names", "rows": 1}
    started = await api("POST", "pipelines", "previews", body=body, answers="pipeline-execution")
    assert (started.status, started.body["kind"], started.body["run"]) == (201, "preview", None)
    ended = await wait(api, started, lambda one: False)
    assert (ended["status"], ended["problem"]) == ("succeeded", "")
    people, names = ended["stages"]
    assert people["columns"] == [{"name": "id", "type": "string"}, {"name": "name", "type": "string"}]
    assert names == {
        "stage": "names",
        "columns": [{"name": "name", "type": "string"}],
        "rows": [{"name": "Ada"}],
        "error": "",
    }
    assert (await api("GET", "runs", answers="runs")).body["runs"] == []
    assert not list(tmp_path.glob("**/result.json"))


async def test_run_is_recorded_with_its_stages(
    api: Any, sales: None, document: dict[str, Any], tmp_path: Path, jp_serverapp: Any
) -> None:
    assert (await api("POST", *SPACE, body={"name": "names", **document})).status == 201
    body = {"name": "names", "arguments": {"sink": str(tmp_path / "out")}}
    started = await api("POST", "pipelines", "runs", body=body, answers="pipeline-execution")
    ended = await wait(api, started, lambda one: False)
    assert (ended["status"], ended["problem"]) == ("succeeded", ""), ended["log"]
    assert "out has written" in ended["log"]
    assert list((tmp_path / "out").glob("*.parquet"))
    run = (await api("GET", "runs", ended["run"], answers="run")).body
    assert (run["status"], run["arguments"]["sink"], run["facts"]["stage.out.rows"]) == (
        "succeeded",
        str(tmp_path / "out"),
        2,
    )
    # The log may contain values: only the user who started the run may read it.
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    other = {"Authorization": f"token {tokens.issue_token_and_revoke_earlier('kernel-2', User('bob'), 'bob')}"}
    read = await api("GET", "pipelines", "executions", ended["id"], anonymous=True, headers=other)
    assert read.status == 404


async def test_run_is_stopped_and_executions_are_limited(
    api: Any, sales: None, slow: dict[str, Any], tmp_path: Path
) -> None:
    assert (await api("POST", *SPACE, body={"name": "slow", **slow})).status == 201
    body = {"name": "slow", "arguments": {"sink": str(tmp_path / "out")}}
    started = await api("POST", "pipelines", "runs", body=body, answers="pipeline-execution")
    refused = await api("POST", "pipelines", "previews", body=body)
    assert (refused.status, "max_pipeline_executions" in refused.body["detail"]) == (429, True)
    running = await wait(api, started, lambda one: "sleeps" in one["log"])
    assert running["status"] == "running"
    stopped = await api("DELETE", "pipelines", "executions", running["id"], answers="pipeline-execution")
    assert stopped.status == 200
    ended = await wait(api, started, lambda one: False)
    assert ended["status"] == "killed"
    run = (await api("GET", "runs", ended["run"], answers="run")).body
    assert (run["status"], run["facts"]["stage.names.status"]) == ("killed", "killed")


async def test_invalid_pipeline_is_refused_with_pointers(api: Any, sales: None, document: dict[str, Any]) -> None:
    body = {"name": "names", "document": document}
    refused = await api("POST", "pipelines", "previews", body=body)
    assert (refused.status, [one["pointer"] for one in refused.body["errors"]]) == (
        400,
        ["/metadata/stages/2/properties/path"],
    )
    refused = await api("POST", "pipelines", "previews", body={**body, "stage": "nosuch"})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/stage")
    assert (await api("POST", "pipelines", "previews", body={**body, "name": "A b", "stage": "names"})).status == 400
    assert (await api("POST", "pipelines", "runs", body={"name": "nosuch"})).status == 404
    unknown = "0b0f7f6e-2f1e-4c0e-9a6e-1f3a0f6f7a10"
    assert (await api("GET", "pipelines", "executions", unknown)).status == 404


async def test_kernels_may_not_start_or_stop_pipelines(
    api: Any, sales: None, document: dict[str, Any], kernel: Any
) -> None:
    for method, *path in (("POST", "previews"), ("POST", "runs"), ("DELETE", "executions", "x" * 36)):
        refused = await api(method, "pipelines", *path, body={}, anonymous=True, headers=kernel)
        assert (refused.status, refused.body["detail"]) == (403, "you may not run pipelines")


async def test_check_returns_columns_and_arguments_of_an_invalid_pipeline(
    api: Any, sales: None, document: dict[str, Any]
) -> None:
    document["metadata"]["stages"][0]["properties"]["schema"] = "id BIGINT, name STRING"
    checked = await api(
        "POST", "pipelines", "check", body={"name": "names", "document": document}, answers="pipeline-check-result"
    )
    assert (checked.body["valid"], checked.body["arguments"]) == (False, ["sink"])
    assert checked.body["columns"] == [
        {"stage": "people", "columns": ["id", "name"]},
        {"stage": "names", "columns": ["name"]},
    ]


async def test_package_is_a_zip_file_for_spark_submit(api: Any, sales: None, document: dict[str, Any]) -> None:
    body = {"name": "names", "document": document, "arguments": {"sink": "out"}}
    packaged = await api("POST", "pipelines", "package", body=body, answers="pipeline-package")
    assert packaged.body["file"] == "names.zip"
    with zipfile.ZipFile(io.BytesIO(b64decode(packaged.body["content"]))) as archive:
        assert set(archive.namelist()) == {"names/main.py", "names/pipeline.json", "names/colophon.zip"}
    assert packaged.body["command"].startswith("spark-submit --py-files names/colophon.zip")


async def test_package_contains_the_artifacts_of_the_pipeline(
    api: Any, sales: None, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = ("namespaces", "sales", "artifacts", "shop-tools", "versions", "1.0")
    await api("PUT", *artifact, body=TOOLS.encode(), headers={"Content-Type": "application/octet-stream"})
    document["metadata"]["stages"][1] |= {"plugin": "shop-tools/upper", "properties": {"column": "name"}}
    body = {"name": "names", "document": document, "arguments": {"sink": "out"}}
    packaged = await api("POST", "pipelines", "package", body=body, answers="pipeline-package")
    file = f"names/{sha256(TOOLS.encode()).hexdigest()}.artifact"
    with zipfile.ZipFile(io.BytesIO(b64decode(packaged.body["content"]))) as archive:
        assert archive.read(file).decode() == TOOLS
        assert json.loads(archive.read("names/artifacts.json"))["classes"][0]["name"] == "shop-tools/upper"
    assert file in packaged.body["command"]
    monkeypatch.setattr(pipelines, "_PACKAGED_BYTES_MAX", len(TOOLS) - 1)
    refused = await api("POST", "pipelines", "package", body=body)
    assert (refused.status, "use `jupyter colophon pipeline package`" in refused.body["detail"]) == (413, True)
