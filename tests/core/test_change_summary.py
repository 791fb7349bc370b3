"""The sentence about a change."""

from typing import Any

import pytest
from jupyter_colophon.core.changes.change_summary import summarize_change
from jupyter_colophon.core.entities.change import Change
from support.urns import ORDERS

_USER = "businessMetadata"


def _build_change(aspect: str | None, before: Any, after: Any, operation: Any = "update") -> Change:
    return Change(
        1, 0, ORDERS, "dataset", "sales", "orders", aspect, operation, 2, "USER", "ada", None, None, before, after
    )


@pytest.mark.parametrize(
    ("aspect", "before", "after", "summary"),
    [
        (_USER, None, {"properties": {"owner": "ops"}, "tags": []}, "added owner"),
        (_USER, {"properties": {"a": "1"}, "tags": []}, {"properties": {"a": "2"}, "tags": ["x"]}, "changed a, tags"),
        (_USER, {"properties": {"a": "1", "b": "1"}}, {"properties": {"b": "1"}}, "removed a"),
        (
            _USER,
            {"a": 1, "auditStamp": {"time": 1}},
            {"a": 1, "auditStamp": {"time": 2}},
            "written without a difference",
        ),
        (
            "schemaMetadata",
            {"fields": [{"fieldPath": "x"}]},
            {"fields": [{"fieldPath": "y"}]},
            "added fields/y; removed fields/x",
        ),
        ("domains", {"domains": []}, {"domains": ["urn:li:domain:sales"]}, "changed domains"),
        ("custom", {"x": [{"v": 1}]}, {"x": [{"v": 2}, {"v": 2}]}, "changed x"),
        (_USER, None, {"properties": dict.fromkeys("abcdefg", "")}, "added a, b, c, d, e and 2 more"),
        (_USER, {"properties": {}}, None, "removed"),
    ],
)
def test_changed_members_are_named_by_kind(aspect: str, before: Any, after: Any, summary: str) -> None:
    assert summarize_change(_build_change(aspect, before, after)) == f"{aspect}: {summary}."


def test_changes_of_entities_and_accesses_are_named() -> None:
    assert summarize_change(_build_change(None, None, None, "delete")) == "Deleted."
    assert summarize_change(_build_change(None, None, {"mode": "both"}, "access")) == "Read and written by a run."
