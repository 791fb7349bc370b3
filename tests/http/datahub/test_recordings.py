"""What DataHub's clients sent over the wire, sent again: recorded traffic, with the status that we answer."""

import json
from pathlib import Path
from typing import Any

import pytest

RECORDINGS = Path(__file__).parents[2] / "conformance" / "datahub"


@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDINGS.glob("*.json")))
async def test_recorded_requests_are_answered(
    name: str, jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str
) -> None:
    reported = {"Content-Type": "application/json", "X-RestLi-Protocol-Version": "2.0.0"}
    for number, recorded in enumerate(json.loads((RECORDINGS / f"{name}.json").read_text())):
        found = await http_server_client.fetch(
            f"{jp_base_url}colophon/datahub{recorded['uri']}",
            method=recorded["method"],
            # The bytes that requests sends: characters that are not ASCII are escaped.
            body=None if recorded["body"] is None else json.dumps(recorded["body"]).encode(),
            headers=jp_auth_header | reported,
            allow_nonstandard_methods=True,
            raise_error=False,
        )
        assert found.code == recorded["status"], (number, recorded["uri"], found.body)
        document = json.loads(found.body)
        if found.code >= 400:
            assert document["message"]
            assert document["status"] == found.code
