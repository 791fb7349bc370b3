"""Batches whose proposals are applied independently, over HTTP: previews, outcomes, and undoing them."""

from typing import Any

import pytest
from support.catalog import build_metadata_value

pytestmark = pytest.mark.each_store

BATCH = ("proposals", "independent")


def table(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,sales.{name},PROD)"


def annotate(name: str, value: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {"urn": table(name), "aspect": "businessMetadata", "operation": "annotate", "value": value} | other


@pytest.fixture
def tables(api: Any, sales: None, jp_asyncio_loop: Any) -> None:
    """Two tables with user metadata."""
    for name, tags in (("a", ["faa"]), ("b", [])):
        path = ("entities", table(name), "aspects", "businessMetadata")
        body = build_metadata_value({"owner": "ops"}, tags)
        assert jp_asyncio_loop.run_until_complete(api("PUT", *path, body=body)).status == 200


async def _read(api: Any, name: str) -> Any:
    aspect = await api("GET", "entities", table(name), "aspects", "businessMetadata", answers="aspect")
    return aspect.body["version"], aspect.body["value"]


async def test_preview_has_the_values_before_and_after_and_changes_nothing(api: Any, tables: None) -> None:
    before = (await api("GET", "changes", params={"after": 0, "limit": 0})).body["cursor"]
    body = {
        "proposals": [
            annotate("a", {"tags": ["faa"]}),
            annotate("b", {"tags": ["faa"]}),
            annotate("c", {"tags": ["no tag"]}),
        ]
    }
    done = await api("POST", *BATCH, body=body, params={"dryRun": "true"}, answers="proposal-outcomes")
    assert done.body["dryRun"] is True
    assert [(one["version"], one["changed"]) for one in done.body["outcomes"]] == [(1, False), (1, True), (None, False)]
    assert done.body["outcomes"][1]["before"] == build_metadata_value({"owner": "ops"}, [])
    assert done.body["outcomes"][1]["after"] == build_metadata_value({"owner": "ops"}, ["faa"])
    assert done.body["outcomes"][2]["problem"]["status"] == 400
    assert "before" not in done.body["outcomes"][2]
    assert (await api("GET", "changes", params={"after": 0, "limit": 0})).body["cursor"] == before
    assert await _read(api, "b") == (1, build_metadata_value({"owner": "ops"}, []))


async def test_each_proposal_has_an_outcome_of_its_own(api: Any, tables: None) -> None:
    changes = [annotate("a", {"tags": ["kpi"]}, ifVersion=1), annotate("b", {"tags": ["kpi"]}, ifVersion=7)]
    done = await api("POST", *BATCH, body={"proposals": changes}, answers="proposal-outcomes")
    assert [(one["urn"], one["version"]) for one in done.body["outcomes"]] == [(table("a"), 2), (table("b"), None)]
    assert done.body["outcomes"][1]["problem"]["status"] == 412
    assert await _read(api, "a") == (2, build_metadata_value({"owner": "ops"}, ["faa", "kpi"]))
    assert await _read(api, "b") == (1, build_metadata_value({"owner": "ops"}, []))


async def test_repeated_batch_has_its_first_outcomes(api: Any, tables: None) -> None:
    body = {"proposals": [annotate("a", {"tags": ["kpi"]}, ifVersion=1), annotate("b", {"tags": ["no tag"]})]}
    once = {"headers": {"Idempotency-Key": "bulk-1"}}
    first = await api("POST", *BATCH, body=body, answers="proposal-outcomes", **once)
    again = await api("POST", *BATCH, body=body, answers="proposal-outcomes", **once)
    assert again.body == first.body
    assert [one["version"] for one in first.body["outcomes"]] == [2, None]
    assert (await _read(api, "a"))[0] == 2


async def test_change_is_undone_unless_the_aspect_was_changed_since(api: Any, tables: None) -> None:
    await api("POST", *BATCH, body={"proposals": [annotate(name, {"tags": ["kpi"]}) for name in "ab"]})
    await api("POST", *BATCH, body={"proposals": [annotate("b", {"tags": ["mine"]})]})
    undo = [
        annotate(name, build_metadata_value({"owner": "ops"}, tags), operation="upsert", ifVersion=2)
        for name, tags in (("a", ["faa"]), ("b", []))
    ]
    done = await api("POST", *BATCH, body={"proposals": undo}, answers="proposal-outcomes")
    assert [one["version"] for one in done.body["outcomes"]] == [3, None]
    assert await _read(api, "a") == (3, build_metadata_value({"owner": "ops"}, ["faa"]))
    assert await _read(api, "b") == (3, build_metadata_value({"owner": "ops"}, ["kpi", "mine"]))
