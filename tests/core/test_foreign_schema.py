"""Which schemas of strangers are refused (spec SEC-7)."""

from typing import Any

import pytest
from jupyter_colophon.core.documents.json_schema import Dialect, Schema
from jupyter_colophon.core.documents.untrusted_schema import MAX_BYTES, MAX_SUBSCHEMAS, refusals

ELYRA = "https://raw.githubusercontent.com/elyra-ai/elyra/main/elyra/metadata/schemas/"


def refused(schema: Any) -> list[str]:
    return [one.pointer for one in refusals(schema)]


@pytest.mark.parametrize(
    "dialect",
    ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema", f"{ELYRA}meta-schema.json"],
)
def test_schemas_of_draft_7_are_taken_by_whichever_name_they_call_it(dialect: str) -> None:
    schema = {
        "$schema": dialect,
        "$id": f"{ELYRA}kfp.json",
        "properties": {"a": {"$ref": "#/$defs/b"}, "$id": {"const": 1}},
        "$defs": {"b": {"pattern": "^[^ \t]+([ \t]+[^ \t]+)*$"}},
    }
    assert refused(schema) == []
    assert not Schema(schema, dialect=Dialect.DRAFT_7).is_valid({"a": " b"})


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
def test_what_cannot_be_used_is_refused_with_its_place(schema: Any, pointer: str) -> None:
    assert refused(schema)[:1] == [pointer]


def test_a_reference_that_leads_nowhere_is_refused() -> None:
    (problem,) = refusals({"$ref": "#/definitions/nowhere"})
    assert "/definitions/nowhere" in problem.message


def test_schemas_that_double_behind_references_are_refused_before_they_are_used() -> None:
    doubling: dict[str, Any] = {f"d{i}": {"anyOf": [{"$ref": f"#/definitions/d{i + 1}"}] * 2} for i in range(24)}
    definitions = doubling | {"d24": {"type": "integer"}}
    assert refused({"definitions": definitions, "$ref": "#/definitions/d0"})[:1] == [""]
    inside = {"definitions": definitions, "properties": {"a": {"$ref": "#/definitions/d0"}}}
    assert "/properties/a" in refused(inside)


def test_a_schema_may_refer_to_itself_for_what_is_inside() -> None:
    tree = {"properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}
    assert refused(tree) == []
    assert not Schema(tree, dialect=Dialect.DRAFT_7).is_valid({"children": [{"children": 1}]})


def test_every_reason_is_told_at_once() -> None:
    schema = {"$schema": "http://evil/x", "properties": {"a": {"$ref": "http://evil/y"}}}
    assert sorted(refused(schema)) == ["/$schema", "/properties/a/$ref"]
