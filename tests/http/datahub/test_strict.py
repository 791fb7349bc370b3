"""A server that refuses fields which no model knows, and tells of every write."""

from typing import Any

import pytest
from support.datahub import SYSTEM, T, emit, mcp


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    return {
        **jp_server_config,
        "Colophon": jp_server_config["Colophon"] | {"datahub_strict": True, "always_emit_change_log": True},
    }


async def test_fields_that_the_model_does_not_know_are_refused(datahub: Any) -> None:
    told = await emit(datahub, mcp("globalTags", {"tags": [], "shape": "round"}))
    assert told.status == 422
    assert "shape" in told.body["message"]


async def test_a_value_that_was_there_already_is_told_in_the_change_log_and_is_no_new_version(
    datahub: Any, api: Any
) -> None:
    for run in ("run1", "run2"):
        assert (
            await emit(datahub, mcp("status", {"removed": True}, systemMetadata=SYSTEM | {"runId": run}))
        ).status == 200
    told = [
        (one["version"], one["value"])
        for one in (await api("GET", "changes", params={"urn": T})).body["changes"]
        if one["aspect"] == "status"
    ]
    assert told[-2:] == [(2, {"removed": True})] * 2
    assert (await datahub("GET", "aspects", T, params={"aspect": "status", "version": 3})).status == 404
