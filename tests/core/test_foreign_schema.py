"""Untrusted schemas that are rejected (spec SEC-7)."""

from typing import Any

import pytest
from jupyter_colophon.core.documents.json_schema import Schema, SchemaDialect
from jupyter_colophon.core.documents.untrusted_schema import MAX_BYTES, MAX_SUBSCHEMAS, find_untrusted_schema_problems

ELYRA = "https://raw.githubusercontent.com/elyra-ai/elyra/main/elyra/metadata/schemas/"


def refused(schema: Any) -> list[str]:
    return [one.pointer for one in find_untrusted_schema_problems(schema)]


@pytest.mark.parametrize(
    "dialect",
    ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema", f"{ELYRA}meta-schema.json"],
)
def test_all_spellings_of_draft_7_are_accepted(dialect: str) -> None:
    schema = {
        "$schema": dialect,
        "$id": f"{ELYRA}kfp.json",
        "properties": {"a": {"$ref": "#/$defs/b"}, "$id": {"const": 1}},
        "$defs": {"b": {"pattern": "^[^ \t]+([ \t]+[^ \t]+)*$"}},
    }
    assert refused(schema) == []
    assert not Schema(schema, dialect=SchemaDialect.DRAFT_7).is_valid({"a": " b"})


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ([], ""),
        ({"a": {1}}, ""),
        ({"a": float("nan")}, ""),
        ({"$schema": "http://169.254.169.254/latest"}, "/$schema"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, "/$schema"),
        ({"$schema": 7}, "/$schema"),
        ({"properties": {"a": {"$schema": "http://evil/x"}}}, "/properties/a/$schema"),
        ({"properties": {"a": {"$id": "http://evil/x"}}}, "/properties/a/$id"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1/x"}}}, "/properties/a/$ref"),
        ({"$ref": "file:///etc/passwd"}, "/$ref"),
        ({"$ref": "other.json"}, "/$ref"),
        ({"properties": {"a": {"pattern": "(?=x)"}}}, "/properties/a/pattern"),
        ({"patternProperties": {"(a)\\1": {}}}, "/patternProperties/(a)\\1"),
        ({"type": "nonsense"}, "/type"),
        ({"x": "y" * MAX_BYTES}, ""),
        ({"anyOf": [{}] * MAX_SUBSCHEMAS}, ""),
        ({"$ref": "#"}, ""),
        ({"allOf": [{"$ref": "#"}]}, ""),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "/properties/a"),
    ],
)
def test_unusable_schema_is_rejected_with_pointer(schema: Any, pointer: str) -> None:
    assert refused(schema)[:1] == [pointer]


def test_unresolvable_reference_is_rejected() -> None:
    (problem,) = find_untrusted_schema_problems({"$ref": "#/definitions/nowhere"})
    assert "/definitions/nowhere" in problem.message


def test_doubling_references_are_rejected_before_use() -> None:
    doubling: dict[str, Any] = {f"d{i}": {"anyOf": [{"$ref": f"#/definitions/d{i + 1}"}] * 2} for i in range(24)}
    definitions = doubling | {"d24": {"type": "integer"}}
    assert refused({"definitions": definitions, "$ref": "#/definitions/d0"})[:1] == [""]
    inside = {"definitions": definitions, "properties": {"a": {"$ref": "#/definitions/d0"}}}
    assert "/properties/a" in refused(inside)


def test_recursive_schema_is_accepted() -> None:
    tree = {"properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}
    assert refused(tree) == []
    assert not Schema(tree, dialect=SchemaDialect.DRAFT_7).is_valid({"children": [{"children": 1}]})


def test_all_problems_are_reported_together() -> None:
    schema = {"$schema": "http://evil/x", "properties": {"a": {"$ref": "http://evil/y"}}}
    assert sorted(refused(schema)) == ["/$schema", "/properties/a/$ref"]
