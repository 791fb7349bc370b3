"""A server that refuses fields missing in the model, and logs every write."""

from typing import Any

import pytest
from support.datahub import SYSTEM, T, build_proposal, emit_proposal


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    return {
        **jp_server_config,
        "Colophon": jp_server_config["Colophon"] | {"datahub_strict": True, "always_emit_change_log": True},
    }


async def test_fields_that_the_model_does_not_know_are_refused(datahub: Any) -> None:
    reported = await emit_proposal(datahub, build_proposal("globalTags", {"tags": [], "shape": "round"}))
    assert reported.status == 422
    assert "shape" in reported.body["message"]


async def test_unchanged_value_is_logged_without_a_new_version(datahub: Any, api: Any) -> None:
    for run in ("run1", "run2"):
        assert (
            await emit_proposal(
                datahub, build_proposal("status", {"removed": True}, systemMetadata=SYSTEM | {"runId": run})
            )
        ).status == 200
    reported = [
        (change["version"], change["value"])
        for change in (await api("GET", "changes", params={"urn": T})).body["changes"]
        if change["aspect"] == "status"
    ]
    assert reported[-2:] == [(2, {"removed": True})] * 2
    assert (await datahub("GET", "aspects", T, params={"aspect": "status", "version": 3})).status == 404
