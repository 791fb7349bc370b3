"""Secret locations (spec SEC-14)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.documents.secret_locations import find_secret_paths_in_schema, find_secret_paths_in_value

SECRET = {"type": "string", "format": "password"}
TREE = {
    "properties": {
        "password": SECRET,
        "children": {"type": "array", "items": {"$ref": "#"}},
        "auth": {"oneOf": [{"properties": {"token": {"uihints": {"secure": True}}}}, {"type": "null"}]},
    }
}


@pytest.mark.parametrize(
    "states",
    [
        {"format": "password"},
        {"uihints": {"secure": True}},
        {"uihints": {"ui:field": "@elyra/metadata-extension:plugin.password"}},
        {"uihints": {"field_type": "password"}},
    ],
)
def test_all_spellings_of_secret_are_recognized(states: Any) -> None:
    schema = {"properties": {"a": states, "b": {"uihints": {"secure": False}}}}
    assert find_secret_paths_in_schema(schema, schema) == (("a",),)
    assert find_secret_paths_in_value({"a": "x", "b": "y"}, schema, schema) == (("a",),)


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ({"properties": {"a": {"items": SECRET}}}, {"a": ["x", "y"]}, [("a", "0"), ("a", "1")]),
        ({"items": [{}, SECRET], "additionalItems": SECRET}, [1, 2, 3], [("1",), ("2",)]),
        ({"additionalProperties": SECRET, "properties": {"a": {}}}, {"a": 1, "b": 2}, [("b",)]),
        ({"patternProperties": {"^x": SECRET}, "additionalProperties": {}}, {"xa": 1, "b": 2}, [("xa",)]),
        ({"allOf": [{"if": {}, "then": {"properties": {"a": SECRET}}}]}, {"a": 1}, [("a",)]),
        ({"dependencies": {"a": {"properties": {"b": SECRET}}, "c": ["a"]}}, {"a": 1, "b": 2}, [("b",)]),
        ({"properties": {"a": {"$ref": "#/$defs/s"}}, "$defs": {"s": SECRET}}, {"a": {"b": 1}}, [("a",)]),
        ({"properties": {"a": {**SECRET, "properties": {"b": SECRET}}}}, {"a": {"b": 1}}, [("a",)]),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, {"a": 1}, []),
        ({"properties": {"a": SECRET}}, ["no", "object"], []),
    ],
)
def test_all_secrets_of_a_document_are_found(schema: Any, value: Any, found: Any) -> None:
    assert list(find_secret_paths_in_value(value, schema, schema)) == found


def test_secrets_of_recursive_schema_are_found_at_any_depth() -> None:
    value: Any = {"password": "deepest", "auth": {"token": "t"}}
    for _ in range(30):
        value = {"children": [value]}
    deepest = ("children", "0") * 30
    assert find_secret_paths_in_value(value, TREE, TREE) == ((*deepest, "auth", "token"), (*deepest, "password"))


def test_secret_paths_are_unique_and_limited() -> None:
    places = find_secret_paths_in_schema(TREE, TREE)
    assert places[:3] == (("password",), ("auth", "token"), ("children", None, "password"))
    assert len(places) == len(set(places)) < 50
    wide = {"properties": {f"p{i}": {"$ref": "#"} for i in range(50)} | {"s": SECRET}}
    assert ("s",) in find_secret_paths_in_schema(wide, wide)


def test_overlapping_secrets_are_reported_once() -> None:
    inner = {"properties": {"b": SECRET}}
    schema = {"properties": {"a": {"anyOf": [inner, SECRET]}}}
    assert find_secret_paths_in_value({"a": {"b": 1}}, schema, schema) == (("a",),)
    assert find_secret_paths_in_value({"a": "x"}, schema, schema) == (("a",),)
    assert find_secret_paths_in_value({"b": 1}, schema, schema) == ()


@given(st.recursive(st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3)))
def test_fixed_paths_find_the_same_secrets_as_a_walk(value: Any) -> None:
    named = {"properties": {"a": {"properties": {"b": SECRET, "c": {"anyOf": [{}, SECRET]}}}, "b": SECRET}}
    # It has no fixed paths, so the whole document is walked.
    walked = {**named, "patternProperties": {"^never$": {"items": SECRET}}}
    assert find_secret_paths_in_value(value, named, named) == find_secret_paths_in_value(value, walked, walked)
