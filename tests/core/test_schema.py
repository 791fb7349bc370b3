"""JSON Schema, without reaching for anything (spec SEC-7)."""

import socket
from contextlib import suppress
from typing import Any

import pytest
from jupyter_colophon.core.documents.json_schema import MAX_PROBLEMS, TOO_MUCH, Schema
from jupyter_colophon.core.errors import InvalidInstance

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 5}, "when": {"type": "string", "format": "date-time"}},
    "propertyNames": {"pattern": "^[a-z/~]+$"},
    "additionalProperties": {"type": "integer"},
    "required": ["name"],
}


def pointers(schema: Any, value: Any) -> list[str]:
    return [one.pointer for one in Schema(schema).problems(value)]


def test_every_problem_is_told_with_its_place() -> None:
    assert pointers(PERSON, {"name": "ada"}) == []
    assert pointers(PERSON, {}) == [""]
    assert pointers(PERSON, []) == [""]
    assert sorted(pointers(PERSON, {"name": "too long", "a/b": "x", "when": "soon"})) == ["/a~1b", "/name", "/when"]
    assert pointers(PERSON, {"name": "ada", "BAD": 1}) == ["/BAD"]


def test_the_value_is_in_no_message() -> None:
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
        (problem,) = Schema(schema).problems(secret)
        assert secret not in problem.message, schema
    for problem in Schema({"uniqueItems": True}).problems([secret, secret]):
        assert secret not in problem.message


def test_problems_are_told_to_a_bound() -> None:
    assert len(pointers({"items": {"type": "string"}}, list(range(1_000)))) == MAX_PROBLEMS
    (problem,) = Schema({"enum": ["x" * 5_000]}).problems(1)
    assert len(problem.message) < 400


def test_an_invalid_value_is_an_error_that_names_its_subject() -> None:
    with pytest.raises(InvalidInstance) as raised:
        Schema(PERSON).validate({"name": 1}, "the body")
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
def test_no_reference_is_followed(schema: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        server.settimeout(0.3)
        with suppress(ValueError):
            Schema(_with_port(schema, port)).problems({"a": 1})
        with pytest.raises(TimeoutError):
            server.accept()


def test_schemas_that_are_known_may_be_referred_to() -> None:
    known = {"urn:test:name": {"$id": "urn:test:name", "type": "string"}}
    schema = Schema({"properties": {"name": {"$ref": "urn:test:name"}}}, known)
    assert [one.pointer for one in schema.problems({"name": 1})] == ["/name"]


def test_a_hostile_expression_takes_no_time() -> None:
    assert pointers({"pattern": "^(a+)+$"}, "a" * 5_000 + "!") == [""]


def _with_port(schema: Any, port: str) -> Any:
    if isinstance(schema, dict):
        return {key: _with_port(value, port) for key, value in schema.items()}
    return schema.replace("{port}", port) if isinstance(schema, str) else schema


def test_alternatives_that_double_with_each_level_of_a_value_hold_nobody_up() -> None:
    inner = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}}
    schema = Schema({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [inner, dict(inner)]}}})
    shallow: Any = {"a": 1}
    deep: Any = 1
    for _ in range(60):
        deep = {"a": deep}
    assert [one.pointer for one in schema.problems(shallow)] == [""]
    assert schema.problems(deep) == (TOO_MUCH,)


def test_many_values_with_many_alternatives_hold_nobody_up() -> None:
    schema = Schema({"items": {"anyOf": [{"const": f"x{number}"} for number in range(1_000)]}})
    assert [one.pointer for one in schema.problems(["x1", "y"])] == ["/1"]
    assert schema.problems(["y"] * 50_000) == (TOO_MUCH,)


def test_of_a_large_value_the_first_problem_is_told_with_its_place() -> None:
    schema = Schema({"items": {"type": "integer"}})
    assert [one.pointer for one in schema.problems([*range(150_000), "x", "y"])] == ["/150000"]
