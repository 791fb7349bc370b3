"""Pipelines are kept like any instance, and checked before they run."""

import json
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.package_data import find_schemas_dir

CASES = json.loads((Path(__file__).parents[1] / "conformance" / "pipelines.json").read_text("utf-8"))
EXAMPLE = json.loads((find_schemas_dir() / "schemaspaces" / "pipelines" / "pipeline.json").read_text("utf-8"))[
    "examples"
][0]
SPACE = ("schemaspaces", "pipelines", "instances")


async def test_pipeline_is_stored_and_checked_by_name(api: Any, sales: None) -> None:
    made = await api("POST", *SPACE, body=EXAMPLE, answers="instance")
    assert (made.status, made.body["name"]) == (201, "staff")
    checked = await api("POST", "pipelines", "check", body={"name": "staff"}, answers="pipeline-check-result")
    assert checked.body == {
        "valid": True,
        "order": ["employees", "masked", "staff", "told"],
        "arguments": ["sink", "source"],
        "columns": [],
        "problems": [],
    }
    absent = await api("POST", "pipelines", "check", body={"name": "nosuch"})
    assert absent.status == 404


async def test_invalid_pipeline_document_is_refused(api: Any) -> None:
    for metadata in (
        {},
        {"namespace": "sales"},
        {"namespace": "a/b", "stages": [{}]},
        {"namespace": "a", "stages": []},
    ):
        refused = await api("POST", *SPACE, body={**EXAMPLE, "metadata": metadata})
        assert refused.status == 400
        assert refused.body["errors"][0]["pointer"].startswith("/metadata")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
async def test_pipeline_problems_have_pointers(api: Any, case: dict[str, Any]) -> None:
    metadata = {"namespace": "sales", **case["metadata"]}
    document = {"display_name": "Wrong", "schema_name": "pipeline", "metadata": metadata}
    requested = {"name": "wrong", "document": document, "arguments": case.get("arguments", {})}
    found = (await api("POST", "pipelines", "check", body=requested, answers="pipeline-check-result")).body
    reported = {one["pointer"]: one["message"] for one in found["problems"]}
    assert found["valid"] is (not case["problems"])
    assert set(reported) == set(case["problems"])
    assert all(word in reported[pointer] for pointer, word in case["problems"].items())


async def test_every_plugin_has_a_schema_for_forms(api: Any) -> None:
    found = (await api("GET", "pipelines", "plugins", answers="pipeline-plugins")).body
    assert found["problems"] == []
    known = {(one["type"], one["name"]) for one in found["plugins"]}
    assert {("source", "file"), ("sink", "jdbc"), ("transform", "mask"), ("action", "propagate")} <= known
    for one in found["plugins"]:
        for property_ in one["schema"]["properties"].values():
            assert property_["title"]
            assert property_["description"]


async def test_numeric_argument_is_accepted_and_unused_one_refused(api: Any) -> None:
    stages = [
        {"name": "a", "type": "source", "plugin": "colophon", "properties": {"query": "*", "limit": "${most}"}},
        {"name": "b", "type": "sink", "plugin": "table", "properties": {"name": "t"}},
    ]
    metadata = {"namespace": "sales", "stages": stages, "connections": [{"from": "a", "to": "b"}]}
    requested = {"name": "counted", "document": {"metadata": metadata}, "arguments": {"most": 5}}
    assert (await api("POST", "pipelines", "check", body=requested, answers="pipeline-check-result")).body["valid"]
    for wrong, pointer in (
        ({"most": True}, "/metadata/stages/0/properties/limit"),
        ({"most": 5, "a/b": 1}, "/arguments/a~1b"),
    ):
        found = (await api("POST", "pipelines", "check", body=requested | {"arguments": wrong})).body
        assert [one["pointer"] for one in found["problems"]] == [pointer]
    refused = await api("POST", "pipelines", "check", body=requested | {"arguments": {"most": [1]}})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/arguments/most")


async def test_a_pipeline_and_a_schedule_name_a_namespace_that_exists(api: Any, elyra: Any) -> None:
    stages = [
        {"name": "a", "type": "source", "plugin": "colophon", "properties": {"query": "*"}},
        {"name": "b", "type": "sink", "plugin": "table", "properties": {"name": "t"}},
    ]
    members = {
        "pipeline": {"stages": stages, "connections": [{"from": "a", "to": "b"}]},
        "schedule": {"pipeline": "pipeline", "every": "P1D"},
    }

    def document(schema: str, namespace: str) -> dict[str, Any]:
        metadata = {"namespace": namespace, **members[schema]}
        return {"name": schema, "display_name": schema, "schema_name": schema, "metadata": metadata}

    for schema in members:
        refused = await api("POST", *SPACE, body=document(schema, "nowhere"))
        assert (refused.status, refused.body["errors"][0]["pointer"]) == (404, "/metadata/namespace")
        assert (await elyra("POST", "metadata", "pipelines", body=document(schema, "nowhere"))).status == 404
        assert (await api("POST", *SPACE, body=document(schema, "default"))).status == 201
        moved = await api("PATCH", *SPACE, schema, body={"metadata": {"namespace": "nowhere"}})
        assert (moved.status, moved.body["errors"][0]["pointer"]) == (404, "/metadata/namespace")
    assert (await api("GET", "entities", "urn:li:namespace:nowhere")).status == 404
