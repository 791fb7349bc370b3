"""A server that refuses fields which no model knows."""

from typing import Any

import pytest
from support.datahub import emit, mcp


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | {"datahub_strict": True}}


async def test_fields_that_the_model_does_not_know_are_refused(datahub: Any) -> None:
    told = await emit(datahub, mcp("globalTags", {"tags": [], "shape": "round"}))
    assert told.status == 422
    assert "shape" in told.body["message"]
