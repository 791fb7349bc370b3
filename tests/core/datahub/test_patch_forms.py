"""Patches in DataHub's format: arrays by their keys, templates, budgets (spec DH-7)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.datahub.patch_templates import TEMPLATES
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import PatchFailed, TooLarge

CASES = json.loads((Path(__file__).parents[2] / "conformance" / "patch-forms.json").read_text("utf-8"))


def patched(aspect: str, value: Any, patch: Any) -> Any:
    start = patch_forms.get_initial_aspect_value(aspect) if value is None else value
    return patch_forms.apply_datahub_patch(aspect, start, patch_forms.normalize_patch_to_object(patch))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["it"])
def test_patch_produces_the_expected_aspect(case: dict[str, Any]) -> None:
    before = json.dumps(case["value"])
    assert patched(case["aspect"], case["value"], case["patch"]) == case["result"]
    assert json.dumps(case["value"]) == before


@pytest.mark.parametrize("aspect", sorted(TEMPLATES))
def test_empty_patch_changes_nothing(aspect: str) -> None:
    assert patched(aspect, {"other": [1]}, []) == {"other": [1]}
    beginning = patch_forms.get_initial_aspect_value(aspect)
    assert patched(aspect, None, []) == beginning


_WORDS = st.sampled_from(["", "a", "b", "a/b", "*", "\u241f"])
_ELEMENTS = st.lists(
    st.fixed_dictionaries({"tag": _WORDS}, optional={"attribution": st.fixed_dictionaries({"source": _WORDS})}),
    unique_by=lambda one: (one["tag"], one.get("attribution", {}).get("source", "")),
    max_size=5,
)
_KEYS = st.permutations(["tag", "attribution\u241fsource"])


@given(_ELEMENTS, _KEYS)
def test_keyed_arrays_round_trip(elements: list[dict[str, Any]], keys: list[str]) -> None:
    found = patched("globalTags", {"tags": elements}, {"patch": [], "arrayPrimaryKeys": {"tags": list(keys)}})
    assert sorted(map(encode_canonical_json, found["tags"])) == sorted(map(encode_canonical_json, elements))


@pytest.mark.parametrize(
    ("patch", "pointer"),
    [
        ([{"op": "remove", "path": "/tags/b"}], "/patch/0/path"),
        ([{"op": "add", "path": "/tags/b", "value": {}}, {"op": "remove", "path": "/none"}], "/patch/1/path"),
        ([{"op": "add", "path": "/text/deeper/still", "value": 1}], "/patch/0/path"),
        ([{"op": "what", "path": "/tags/b"}], "/patch/0/op"),
        ([{"op": "add", "path": "tags"}], "/patch/0/path"),
        (["add"], "/patch/0"),
        ({"patch": [], "arrayPrimaryKeys": {"tags": "tag"}}, "/arrayPrimaryKeys"),
        ({"patch": [], "arrayPrimaryKeys": {"tags": [1]}}, "/arrayPrimaryKeys"),
        ({"patch": [], "arrayPrimaryKeys": ["tags"]}, "/arrayPrimaryKeys"),
        ({"patch": [], "forceGenericPatch": "yes"}, "/forceGenericPatch"),
    ],
)
def test_inapplicable_patch_raises_with_pointer(patch: Any, pointer: str) -> None:
    with pytest.raises(PatchFailed) as refused:
        patched("globalTags", {"tags": [{"tag": "a"}], "text": "t"}, patch)
    assert refused.value.pointer == pointer


_DOUBLING = [{"op": "copy", "from": "/a", "path": f"/a/{at}"} for at in range(40)]


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "add", "path": "/a", "value": {"b": "x" * 1_000}}, *_DOUBLING],
        [{"op": "test", "path": "/tags", "value": []}] * 101,
        [{"op": "add", "path": f"/tags/{at}", "value": {}} for at in range(2_001)],
        [{"op": "add", "path": "/a" * 70, "value": 1}],
        [{"op": "add", "path": f"/{'x' * 100_000}/{at}/{'y' * 100_000}/a", "value": 1} for at in range(200)],
        {"patch": [], "arrayPrimaryKeys": {str(at): ["a"] for at in range(101)}},
        {"patch": [], "arrayPrimaryKeys": {"tags": ["a"] * 9}},
    ],
)
def test_oversized_patches_are_rejected(patch: Any) -> None:
    with pytest.raises(TooLarge):
        patched("globalTags", {"tags": []}, patch)


def test_array_keys_are_limited() -> None:
    value = {"tags": [{"tag": str(at)} for at in range(100_000)]}
    with pytest.raises(TooLarge):
        patched("globalTags", value, {"patch": [], "arrayPrimaryKeys": {"tags": list("abcdefgh")}})


@pytest.mark.parametrize("changes", [[], {"patch": {}}, {"patch": [], "name": 1}, {"tags": []}, None, "patch"])
def test_other_patches_are_not_datahub_patches(changes: Any) -> None:
    assert not patch_forms.is_datahub_patch(changes)
