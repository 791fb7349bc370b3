"""JSON Schema validation without external references (spec SEC-7)."""

import socket
from contextlib import suppress
from typing import Any

import pytest
from jupyter_colophon.core.documents.json_schema import MAX_PROBLEMS, TOO_MUCH, Schema
from jupyter_colophon.core.errors import InvalidInstance, Problem
from jupyter_colophon.core.package_data import load_schema_documents

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 5}, "when": {"type": "string", "format": "date-time"}},
    "propertyNames": {"pattern": "^[a-z/~]+$"},
    "additionalProperties": {"type": "integer"},
    "required": ["name"],
}


def pointers(schema: Any, value: Any) -> list[str]:
    return [one.pointer for one in Schema(schema).find_all_problems(value)]


def test_all_problems_have_pointers() -> None:
    assert pointers(PERSON, {"name": "ada"}) == []
    assert pointers(PERSON, {}) == [""]
    assert pointers(PERSON, []) == [""]
    assert sorted(pointers(PERSON, {"name": "too long", "a/b": "x", "when": "soon"})) == ["/a~1b", "/name", "/when"]
    assert pointers(PERSON, {"name": "ada", "BAD": 1}) == ["/BAD"]


def test_messages_do_not_contain_the_value() -> None:
    secret = "hunter2"
    schemas: list[Any] = [
        {"type": "integer"},
        {"enum": ["a"]},
        {"const": 1},
        {"pattern": "^a$"},
        {"maxLength": 2},
        {"format": "date-time"},
        {"not": {}},
        {"anyOf": [{"type": "integer"}, {"enum": [1]}]},
    ]
    for schema in schemas:
        (problem,) = Schema(schema).find_all_problems(secret)
        assert secret not in problem.message, schema
    for problem in Schema({"uniqueItems": True}).find_all_problems([secret, secret]):
        assert secret not in problem.message


def test_messages_name_the_members_and_the_form_that_are_missing() -> None:
    limits = {"anyOf": [{"required": ["min"]}, {"required": ["max"]}]}
    other = {"anyOf": [{"required": ["min"]}, {"type": "string"}]}
    assert [problem.message for problem in Schema(limits).find_all_problems({})] == [
        'at least one of "min", "max" is required'
    ]
    assert [problem.message for problem in Schema(limits).find_all_problems({"max": 1})] == []
    assert "required" not in Schema(other).find_all_problems({})[0].message
    expectations = Schema(load_schema_documents("aspects")["expectations"])
    late = {"expectations": {"fresh": {"kind": "freshness", "column": "day", "maxAge": "tomorrow"}}}
    (problem,) = expectations.find_all_problems(late)
    assert problem == Problem("/expectations/fresh/maxAge", "must be a duration such as P7D, P1DT12H or PT30M")


def test_number_of_problems_is_limited() -> None:
    assert len(pointers({"items": {"type": "string"}}, list(range(1_000)))) == MAX_PROBLEMS
    (problem,) = Schema({"enum": ["x" * 5_000]}).find_all_problems(1)
    assert len(problem.message) < 400


def test_invalid_value_raises_error_with_subject() -> None:
    with pytest.raises(InvalidInstance) as raised:
        Schema(PERSON).require_valid({"name": 1}, "the body")
    assert raised.value.detail == "the body is not valid"
    assert [one.pointer for one in raised.value.problems] == ["/name"]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:{port}/a"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"a": {"$ref": "https://127.0.0.1:{port}/a#/b"}}},
        {"$schema": "http://127.0.0.1:{port}/dialect", "type": "object"},
        {"$dynamicRef": "http://127.0.0.1:{port}/a#x"},
    ],
)
def test_external_references_are_rejected(schema: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        server.settimeout(0.3)
        with suppress(ValueError):
            Schema(_with_port(schema, port)).find_all_problems({"a": 1})
        with pytest.raises(TimeoutError):
            server.accept()


def test_references_to_known_schemas_resolve() -> None:
    known = {"urn:test:name": {"$id": "urn:test:name", "type": "string"}}
    schema = Schema({"properties": {"name": {"$ref": "urn:test:name"}}}, known)
    assert [one.pointer for one in schema.find_all_problems({"name": 1})] == ["/name"]


def test_hostile_expression_is_matched_quickly() -> None:
    assert pointers({"pattern": "^(a+)+$"}, "a" * 5_000 + "!") == [""]


def _with_port(schema: Any, port: str) -> Any:
    if isinstance(schema, dict):
        return {key: _with_port(value, port) for key, value in schema.items()}
    return schema.replace("{port}", port) if isinstance(schema, str) else schema


def test_nested_alternatives_are_validated_quickly() -> None:
    inner = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}}
    schema = Schema({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [inner, dict(inner)]}}})
    shallow: Any = {"a": 1}
    deep: Any = 1
    for _ in range(60):
        deep = {"a": deep}
    assert [one.pointer for one in schema.find_all_problems(shallow)] == [""]
    assert schema.find_all_problems(deep) == (TOO_MUCH,)


def test_many_values_with_alternatives_are_validated_quickly() -> None:
    schema = Schema({"items": {"anyOf": [{"const": f"x{number}"} for number in range(1_000)]}})
    assert [one.pointer for one in schema.find_all_problems(["x1", "y"])] == ["/1"]
    assert schema.find_all_problems(["y"] * 50_000) == (TOO_MUCH,)


def test_large_value_reports_first_problem_with_pointer() -> None:
    schema = Schema({"items": {"type": "integer"}})
    assert [one.pointer for one in schema.find_all_problems([*range(150_000), "x", "y"])] == ["/150000"]
