"""What a query finds, by the cases of `conformance/search.json` (spec SEARCH-1), asked through `/colophon/v3`."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.each_store

CASES = json.loads((Path(__file__).parents[2] / "conformance" / "search.json").read_text("utf-8"))

#: What `/v3` calls a type.
_TARGETS = {"dataset": "dataset", "dataJob": "program"}


async def test_every_case_finds_what_it_says_through_v3_too(v3: Any, api: Any) -> None:
    proposals = [
        {"urn": entity["urn"], "aspect": aspect, "operation": "upsert", "value": value}
        for entity in CASES["entities"]
        for aspect, value in entity.items()
        if aspect != "urn"
    ]
    assert (await api("POST", "proposals", body={"proposals": proposals}, answers="write-results")).status == 200
    wrong = []
    for case in CASES["cases"]:
        path, asked = _asked(case.get("filters", {}))
        if asked is None:
            continue
        found = await v3("GET", path, query=case["query"], responseFormat="v6", **asked)
        if case.get("refused"):
            assert found.status == 400
            continue
        names = [_name(one["entity"]["details"]) for one in found.body["results"]]
        if "includes" in case:
            fits = set(case["includes"]) <= set(names)
        else:
            fits = sorted(names) == sorted(case["finds"]) and case.get("first") in (None, *names[:1])
        if not fits:
            wrong.append((case, names))
    assert wrong == []


def _asked(filters: dict[str, str]) -> tuple[str, dict[str, str] | None]:
    """Where and with what `/v3` is asked for the same; None where it has no such filter."""
    if not filters.keys() <= {"namespace", "type", "scope"} or filters.get("type", "dataset") not in _TARGETS:
        return "", None
    path = f"namespaces/{filters['namespace']}/metadata/search" if "namespace" in filters else "metadata/search"
    asked = {"target": _TARGETS[filters["type"]]} if "type" in filters else {}
    return path, asked | ({"scope": filters["scope"]} if "scope" in filters else {})


def _name(details: dict[str, str]) -> str:
    """The short name: that of a foreign dataset is in its URN."""
    name = details.get("program") or details.get("dataset") or details["application"]
    return name.split(",")[1] if name.startswith("urn:li:") else name
