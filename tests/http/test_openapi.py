"""The document of the native API is valid and complete, and matches the server's answers."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from support.openapi_contract import DOCUMENT

METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS = {
    item[method]["operationId"]: (path, method, item[method])
    for path, item in DOCUMENT["paths"].items()
    for method in METHODS
    if method in item
}
EACH = pytest.mark.parametrize("name", OPERATIONS)


def test_it_is_openapi_3_1() -> None:
    validate(DOCUMENT, cls=OpenAPIV31SpecValidator)


async def test_it_is_served_with_the_place_of_the_server(api: Any, jp_base_url: str) -> None:
    found = (await api("GET", "openapi.json")).body
    assert found["servers"] == [{"url": f"{jp_base_url}colophon/api"}]
    assert found["info"]["version"] == (await api("GET", "me")).body["version"]
    assert found["paths"] == DOCUMENT["paths"]
    assert found["components"] == DOCUMENT["components"]


def test_every_component_has_an_example_that_shows_in_the_document() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert len(schemas) > 50
    assert [name for name, schema in schemas.items() if not schema.get("examples")] == []


def test_every_reference_leads_to_a_component() -> None:
    named = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    used = set(_references(DOCUMENT))
    assert used <= named
    assert named - used == set()


@EACH
def test_every_operation_and_parameter_is_described(name: str) -> None:
    path, _, reported = OPERATIONS[name]
    assert reported["summary"]
    assert {"200", "201", "202"} & set(reported["responses"])
    for parameter in reported["parameters"]:
        assert parameter["description"].endswith(".")
        assert parameter["schema"]["type"] in ("string", "integer", "boolean")
    in_path = [one["name"] for one in reported["parameters"] if one["in"] == "path"]
    assert in_path == re.findall(r"\{([a-z]+)\}", path)


@EACH
def test_every_refusal_is_a_problem(name: str) -> None:
    refusals = {status: document for status, document in OPERATIONS[name][2]["responses"].items() if status >= "400"}
    assert {"400", "403", "413", "503"} <= set(refusals)
    for reported in refusals.values():
        assert reported["content"]["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/Problem"}


@EACH
def test_every_link_names_an_operation_and_its_parameters(name: str) -> None:
    for answer in OPERATIONS[name][2]["responses"].values():
        for link in answer.get("links", {}).values():
            taken = {one["name"] for one in OPERATIONS[link["operationId"]][2]["parameters"]}
            assert {parameter.split(".")[-1] for parameter in link["parameters"]} <= taken


def test_bounds_and_words_are_those_that_are_enforced() -> None:
    reported = {one["name"]: one["schema"] for one in OPERATIONS["readLineage"][2]["parameters"]}
    assert reported["levels"] == {"type": "integer", "minimum": 1, "maximum": 20, "default": 1}
    assert reported["direction"]["enum"] == ["both", "upstream", "downstream", "undirected"]
    aspect = OPERATIONS["readAspect"][2]["responses"]
    assert aspect["200"]["headers"]["ETag"]["required"]
    assert "304" in aspect
    assert set(OPERATIONS["patchAspect"][2]["requestBody"]["content"]) == {
        "application/json",
        "application/json-patch+json",
        "application/merge-patch+json",
    }


def test_websocket_is_described_as_an_extension() -> None:
    assert DOCUMENT["paths"]["/changes/ws"]["x-websocket"]["message"]["schema"] == {
        "$ref": "#/components/schemas/Message"
    }


async def test_a_parameter_that_is_sent_twice_is_refused(api: Any) -> None:
    refused = await api("GET", "search", params=[("q", "*"), ("tag", "a"), ("tag", "b")])
    assert (refused.status, refused.body["detail"]) == (400, "parameter 'tag' is given more than once")


async def test_unsupported_method_returns_405_with_allow(api: Any) -> None:
    refused = await api("DELETE", "runs")
    assert (refused.status, refused.headers["Allow"]) == (405, "GET, POST")


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)
