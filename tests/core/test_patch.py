"""JSON Patch and merge patch within budgets, and differences that can be applied."""

import copy
import tracemalloc
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.json_values import equals_json
from jupyter_colophon.core.documents.patch import PatchSizeLimit, apply_json_patch, apply_merge_patch
from jupyter_colophon.core.errors import PatchFailed, TooLarge

names = st.sampled_from(["a", "b", "", "a/b", "~", "0", "-", "é"])
scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0]) | st.sampled_from(["", "x", "y"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)
objects = st.dictionaries(names, values, max_size=4)
words = st.sampled_from(["a", "b", "", "a~1b", "~0", "0", "1", "2", "-", "é", "01"])
pointers = st.lists(words, max_size=3).map(lambda found: "".join(f"/{word}" for word in found))


def op(name: str, path: str, **more: object) -> dict[str, object]:
    return {"op": name, "path": path, **more}


@pytest.mark.parametrize(
    ("value", "patch", "result"),
    [
        ({"foo": "bar"}, [op("add", "/baz", value=[1])], {"foo": "bar", "baz": [1]}),
        ({"foo": ["a", "c"]}, [op("add", "/foo/1", value="b")], {"foo": ["a", "b", "c"]}),
        ({"foo": ["a"]}, [op("add", "/foo/-", value="b")], {"foo": ["a", "b"]}),
        ({"foo": 1}, [op("add", "/foo", value=2)], {"foo": 2}),
        ({"foo": 1, "b": 2}, [op("remove", "/b")], {"foo": 1}),
        ({"foo": [1, 2, 3]}, [op("remove", "/foo/1")], {"foo": [1, 3]}),
        ({"foo": 1}, [op("replace", "/foo", value=None)], {"foo": None}),
        ({"foo": [1, 2]}, [op("replace", "/foo/0", value=9)], {"foo": [9, 2]}),
        ({"a": {"b": 1}, "c": {}}, [op("move", "/c/d", **{"from": "/a/b"})], {"a": {}, "c": {"d": 1}}),
        ({"a": [1, 2, 3]}, [op("move", "/a/2", **{"from": "/a/0"})], {"a": [2, 3, 1]}),
        ({"a": 1}, [op("move", "/a", **{"from": "/a"})], {"a": 1}),
        ({"a": {"b": 1}}, [op("move", "", **{"from": "/a"})], {"b": 1}),
        ({"a": [1]}, [op("copy", "/b", **{"from": "/a"}), op("add", "/b/-", value=2)], {"a": [1], "b": [1, 2]}),
        ({"a/b": 1, "m~n": 2}, [op("remove", "/a~1b"), op("replace", "/m~0n", value=3)], {"m~n": 3}),
        ({"a": 1}, [op("test", "/a", value=1.0)], {"a": 1}),
        ({"a": 1}, [op("replace", "", value=[])], []),
        ({"": 1}, [op("remove", "/")], {}),
        ({"a": 1}, [op("test", "", value={"a": 1}, more="ignored")], {"a": 1}),
    ],
)
def test_json_patch_follows_rfc_6902(value: object, patch: list[object], result: object) -> None:
    assert apply_json_patch(value, patch) == result


@pytest.mark.parametrize(
    ("value", "patch", "pointer"),
    [
        ({}, {"op": "add"}, ""),
        ({}, "add", ""),
        ({}, ["add"], "/0"),
        ({}, [op("dance", "/a")], "/0/op"),
        ({}, [{"path": "/a"}], "/0/op"),
        ({}, [{"op": [], "path": "/a"}], "/0/op"),
        ({}, [op("add", "/a")], "/0"),
        ({}, [op("add", "a", value=1)], "/0/path"),
        ({}, [op("add", "/~2", value=1)], "/0/path"),
        ({}, [{"op": "add", "value": 1}], "/0/path"),
        ({}, [op("add", "/a/b", value=1)], "/0/path"),
        ({"a": 1}, [op("add", "/a/b", value=1)], "/0/path"),
        ({"a": []}, [op("test", "/a", value=[]), op("add", "/a/1", value=1)], "/1/path"),
        ({"a": [1]}, [op("add", "/a/01", value=1)], "/0/path"),
        ({"a": [1]}, [op("add", "/a/-1", value=1)], "/0/path"),
        ({"a": [1]}, [op("remove", "/a/-")], "/0/path"),
        ({"a": [1]}, [op("replace", "/a/1", value=2)], "/0/path"),
        ({}, [op("remove", "/a")], "/0/path"),
        ({}, [op("remove", "")], "/0/path"),
        ({}, [op("replace", "/a", value=1)], "/0/path"),
        ({}, [op("copy", "/a", **{"from": "/b"})], "/0/from"),
        ({"a": {}}, [op("move", "/a/b", **{"from": "/a"})], "/0/path"),
        ({"a": 1}, [op("move", "/b")], "/0/from"),
        ({"a": True}, [op("test", "/a", value=1)], "/0/value"),
        ({"a": "1"}, [op("test", "/a", value=1)], "/0/value"),
        ({"a": {"b": 1}}, [op("test", "/a", value={})], "/0/value"),
    ],
)
def test_failed_operation_raises_with_pointer_into_patch(value: object, patch: object, pointer: str) -> None:
    before = copy.deepcopy(value)
    with pytest.raises(PatchFailed) as caught:
        apply_json_patch(value, patch)
    assert caught.value.pointer == pointer
    assert value == before


def oracle(value: object, patch: list[dict[str, Any]]) -> tuple[bool, object]:
    try:
        return True, jsonpatch.JsonPatch(copy.deepcopy(patch)).apply(copy.deepcopy(value))
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, KeyError, IndexError):
        return False, None


def is_known_difference(value: object, patch: list[dict[str, Any]]) -> bool:
    """Return whether the library deviates from RFC 6902: it removes the whole document, and equates booleans with
    numbers.
    """
    for index, operation in enumerate(patch):
        applied, before = oracle(value, patch[:index]) if index else (True, value)
        if operation["op"] in ("remove", "move") and "" in (operation["path"], operation["from"]):
            return True
        if operation["op"] == "test" and applied and has_booleans([before, operation["value"]]):
            return True
    return False


def has_booleans(value: object) -> bool:
    if isinstance(value, list | dict):
        return any(has_booleans(item) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, bool)


# The library also treats a string as a list of characters, so the patches contain none.
textless = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.just(1.0),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


def operations_with(given_values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    kinds = st.sampled_from(["add", "remove", "replace", "move", "copy", "test"])
    one = st.fixed_dictionaries({"op": kinds, "path": pointers, "from": pointers, "value": given_values})
    return st.lists(one, min_size=1, max_size=4)


@given(st.dictionaries(names, textless, max_size=4), operations_with(textless))
def test_patch_agrees_with_jsonpatch_package(value: dict[str, Any], patch: list[dict[str, Any]]) -> None:
    before, given_patch = copy.deepcopy(value), copy.deepcopy(patch)
    try:
        result = (True, apply_json_patch(value, patch))
    except PatchFailed:
        result = (False, None)
    assert (value, patch) == (before, given_patch)
    if not is_known_difference(value, patch):
        assert result == oracle(value, patch)


@given(objects, operations_with(values))
def test_result_shares_nothing_with_the_input(value: dict[str, Any], patch: list[dict[str, Any]]) -> None:
    try:
        result = apply_json_patch(value, patch)
    except PatchFailed:
        return
    before = copy.deepcopy((value, patch))
    spoil(result)
    assert (value, patch) == before


def spoil(value: object) -> None:
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            spoil(item)
        value.clear()


def test_doubling_copies_are_stopped_early() -> None:
    patch = [op("copy", f"/k{index}", **{"from": ""}) for index in range(22)]
    tracemalloc.start()
    with pytest.raises(TooLarge):
        apply_json_patch({"display_name": "x", "metadata": {"a": [{}] * 20}}, patch)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A thousand bytes of patch make 67 MB and 43 s without a budget (spec WRITE-8).
    assert peak < 32 * 1024 * 1024


@pytest.mark.parametrize(
    "patch",
    [
        [op("test", "", value={"a": {"b": []}})] * 101,
        [op("add", "/c", value="x" * 1000)],
        [op("replace", "/a", value="x" * 1000)],
        [op("add", f"/{index}", value="x" * 90) for index in range(10)],
        [op("add", "/c", value=[[[[[]]]]])],
        [op("add", "/a/b/0", value=[[[]]])],
        [op("add", "/c", value=[[[]]]), op("move", "/a/b/-", **{"from": "/c"})],
    ],
)
def test_patch_over_budget_is_rejected(patch: list[object]) -> None:
    with pytest.raises(TooLarge):
        apply_json_patch({"a": {"b": []}}, patch, PatchSizeLimit(bytes_max=500, depth_max=5))


def test_removal_frees_budget() -> None:
    patch = [op("add", "/a", value="x" * 300), op("remove", "/a"), op("add", "/a", value="y" * 300)] * 20
    patch += [op("add", "/a", value="z" * 300), op("replace", "/a", value="w" * 300)]
    assert apply_json_patch({}, patch, PatchSizeLimit(bytes_max=500)) == {"a": "w" * 300}


@pytest.mark.parametrize(
    ("value", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patch_follows_rfc_7396(value: object, patch: object, result: object) -> None:
    assert apply_merge_patch(value, patch) == result


@given(objects, objects)
def test_merge_patch_does_not_change_its_input(value: dict[str, Any], patch: dict[str, Any]) -> None:
    before = copy.deepcopy((value, patch))
    merged = apply_merge_patch(value, patch)
    assert (value, patch) == before
    assert apply_merge_patch(merged, patch) == merged


@pytest.mark.parametrize("patch", [{"a": "x" * 1000}, {"b": "x" * 400}, {"a": {"b": {"c": {"d": {"e": {}}}}}}])
def test_merge_patch_over_budget_is_rejected(patch: object) -> None:
    with pytest.raises(TooLarge):
        apply_merge_patch({"a": "y" * 200}, patch, PatchSizeLimit(bytes_max=500, depth_max=5))


@given(values, values)
def test_diff_applied_to_old_value_gives_new_value(old: Any, new: Any) -> None:
    operations = diff_as_json_patch(old, new)
    assert equals_json(apply_json_patch(old, operations), new)
    assert {operation["op"] for operation in operations} <= {"add", "remove", "replace"}
    assert diff_as_json_patch(old, new) == operations


@given(objects, objects)
def test_diff_is_applied_by_jsonpatch_package(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert jsonpatch.JsonPatch(diff_as_json_patch(old, new)).apply(copy.deepcopy(old)) == new


@given(values)
def test_diff_of_equal_values_is_empty(value: Any) -> None:
    assert diff_as_json_patch(value, copy.deepcopy(value)) == []


@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8))
def test_list_diff_is_minimal(old: list[int], new: list[int]) -> None:
    assert len(diff_as_json_patch(old, new)) <= max(len(old), len(new))


@pytest.mark.parametrize(
    ("old", "new", "operations"),
    [
        ({"tags": ["a", "c"]}, {"tags": ["a", "b", "c"]}, [op("add", "/tags/1", value="b")]),
        ({"tags": ["a", "b", "c"]}, {"tags": ["b", "c"]}, [op("remove", "/tags/0")]),
        ([1, 2, 3, 4, 5], [2, 3, 4, 5, 6], [op("remove", "/0"), op("add", "/4", value=6)]),
        ([{"a": 1, "b": 1}, 2], [{"a": 1, "b": 2}, 2], [op("replace", "/0/b", value=2)]),
        (
            {"b": 1, "a": 1},
            {"c": 1, "a": True},
            [op("replace", "/a", value=True), op("remove", "/b"), op("add", "/c", value=1)],
        ),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, [op("replace", "/a~1b/~0", value=2)]),
        ({}, [], [op("replace", "", value=[])]),
    ],
)
def test_diff_is_what_a_person_expects(old: object, new: object, operations: list[object]) -> None:
    assert diff_as_json_patch(old, new) == operations


def test_long_lists_are_compared_by_position() -> None:
    long = list(range(2000))
    assert len(diff_as_json_patch(long, long[::-1])) == 2000
    many = [[first + second for second in range(190)] for first in range(20)]
    turned = [row[50:] + row[:50] for row in many]
    operations = diff_as_json_patch(many, turned)
    # Aligned, a row takes 100 operations; in place, all of its 190.
    assert 20 * 100 < len(operations) < 20 * 190
    result: Any = many
    for start in range(0, len(operations), 100):
        result = apply_json_patch(result, operations[start : start + 100])
    assert result == turned
