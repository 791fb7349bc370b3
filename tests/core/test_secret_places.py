"""Which places are secret (spec SEC-14)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.documents.secret_locations import secret_places, secrets_in

SECRET = {"type": "string", "format": "password"}
TREE = {
    "properties": {
        "password": SECRET,
        "children": {"type": "array", "items": {"$ref": "#"}},
        "auth": {"oneOf": [{"properties": {"token": {"uihints": {"secure": True}}}}, {"type": "null"}]},
    }
}


@pytest.mark.parametrize(
    "says",
    [
        {"format": "password"},
        {"uihints": {"secure": True}},
        {"uihints": {"ui:field": "@elyra/metadata-extension:plugin.password"}},
        {"uihints": {"field_type": "password"}},
    ],
)
def test_a_place_is_secret_however_its_schema_says_it(says: Any) -> None:
    schema = {"properties": {"a": says, "b": {"uihints": {"secure": False}}}}
    assert secret_places(schema, schema) == (("a",),)
    assert secrets_in({"a": "x", "b": "y"}, schema, schema) == (("a",),)


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
def test_every_secret_of_a_document_is_found(schema: Any, value: Any, found: Any) -> None:
    assert list(secrets_in(value, schema, schema)) == found


def test_secrets_of_a_schema_that_refers_to_itself_are_found_however_deep_they_are() -> None:
    value: Any = {"password": "deepest", "auth": {"token": "t"}}
    for _ in range(30):
        value = {"children": [value]}
    deepest = ("children", "0") * 30
    assert secrets_in(value, TREE, TREE) == ((*deepest, "auth", "token"), (*deepest, "password"))


def test_places_of_a_schema_are_named_once_and_to_a_bound() -> None:
    places = secret_places(TREE, TREE)
    assert places[:3] == (("password",), ("auth", "token"), ("children", None, "password"))
    assert len(places) == len(set(places)) < 50
    wide = {"properties": {f"p{i}": {"$ref": "#"} for i in range(50)} | {"s": SECRET}}
    assert ("s",) in secret_places(wide, wide)


def test_a_secret_in_the_place_of_another_is_told_once() -> None:
    inner = {"properties": {"b": SECRET}}
    schema = {"properties": {"a": {"anyOf": [inner, SECRET]}}}
    assert secrets_in({"a": {"b": 1}}, schema, schema) == (("a",),)
    assert secrets_in({"a": "x"}, schema, schema) == (("a",),)
    assert secrets_in({"b": 1}, schema, schema) == ()


@given(st.recursive(st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3)))
def test_places_that_are_named_one_by_one_are_found_as_by_walking_the_document(value: Any) -> None:
    named = {"properties": {"a": {"properties": {"b": SECRET, "c": {"anyOf": [{}, SECRET]}}}, "b": SECRET}}
    # Never met, and no two documents have it in the same place: so the whole document is walked.
    walked = {**named, "patternProperties": {"^never$": {"items": SECRET}}}
    assert secrets_in(value, named, named) == secrets_in(value, walked, walked)
