"""Search results through `/colophon/v3`, by the cases of `conformance/search.json` (spec SEARCH-1)."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.each_store

CASES = json.loads((Path(__file__).parents[2] / "conformance" / "search.json").read_text("utf-8"))

#: What `/v3` calls a type.
_TARGETS = {"dataset": "dataset", "dataJob": "program"}


async def test_each_search_case_has_its_result(v3: Any, api: Any) -> None:
    proposals = [
        {"urn": entity["urn"], "aspect": aspect, "operation": "upsert", "value": value}
        for entity in CASES["entities"]
        for aspect, value in entity.items()
        if aspect != "urn"
    ]
    assert (await api("POST", "proposals", body={"proposals": proposals}, answers="write-results")).status == 200
    wrong = []
    for case in CASES["cases"]:
        path, requested = _requested(case.get("filters", {}))
        if requested is None:
            continue
        found = await v3("GET", path, query=case["query"], responseFormat="v6", **requested)
        if case.get("refused"):
            assert found.status == 400
            continue
        names = [_name(hit["entity"]["details"]) for hit in found.body["results"]]
        if "includes" in case:
            fits = set(case["includes"]) <= set(names)
        else:
            fits = sorted(names) == sorted(case["finds"]) and case.get("first") in (None, *names[:1])
        if not fits:
            wrong.append((case, names))
    assert wrong == []


def _requested(filters: dict[str, str]) -> tuple[str, dict[str, str] | None]:
    """Return the path and parameters of the same search in `/v3`; None if it has no such filter."""
    if not filters.keys() <= {"namespace", "type", "scope"} or filters.get("type", "dataset") not in _TARGETS:
        return "", None
    path = f"namespaces/{filters['namespace']}/metadata/search" if "namespace" in filters else "metadata/search"
    requested = {"target": _TARGETS[filters["type"]]} if "type" in filters else {}
    return path, requested | ({"scope": filters["scope"]} if "scope" in filters else {})


def _name(details: dict[str, str]) -> str:
    """The short name: that of a foreign dataset is in its URN."""
    name = details.get("program") or details.get("dataset") or details["application"]
    return name.split(",")[1] if name.startswith("urn:li:") else name
