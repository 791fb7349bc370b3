"""Programs and applications of a version: `…/apps/{a}/versions/{v}[/{type}/{p}]/metadata`."""

from typing import Any

import pytest

APP = "namespaces/shop/apps/etl"


@pytest.mark.parametrize("path", [f"{APP}/versions/2.0", f"{APP}/versions/2.0/flows/Load"])
async def test_a_version_has_metadata_of_its_own(v3: Any, shop: None, path: str) -> None:
    said = f"{path}/metadata"
    assert (await v3("GET", said)).body == {"properties": {}, "tags": []}
    first = await v3("POST", f"{said}/properties", {"owner": "ada"})
    assert (first.status, first.body["version"]) == (200, int(str(first.etag).strip('"')))
    assert (await v3("POST", f"{said}/tags", ["stable", "gold"])).status == 200
    told = await v3("GET", said)
    assert told.body == {"properties": {"owner": "ada"}, "tags": ["gold", "stable"]}
    assert (await v3("GET", f"{said}/tags")).body == ["gold", "stable"]
    stale = await v3("POST", f"{said}/tags", ["late"], headers={"If-Match": first.etag})
    assert stale.status == 412
    record = (await v3("GET", said, responseFormat="v5")).body[0]
    assert record["metadataEntity"]["details"]["version"] == "2.0"
    assert (await v3("DELETE", f"{said}/properties/owner")).status == 200
    assert (await v3("DELETE", f"{said}/tags/gold")).status == 200
    assert (await v3("GET", said)).body == {"properties": {}, "tags": ["stable"]}
    for other in (APP, f"{APP}/flows/Load", f"{APP}/versions/3.0"):
        assert (await v3("GET", f"{other}/metadata/tags")).body == [], other


async def test_a_version_goes_with_its_application(v3: Any, shop: None) -> None:
    said = f"{APP}/versions/2.0/flows/Load/metadata/tags"
    assert (await v3("POST", said, ["gold"])).status == 200
    assert (await v3("DELETE", APP)).status == 200
    assert (await v3("GET", said)).status == 404
    found = await v3("GET", "namespaces/shop/metadata/search", query="gold", showCustom="true")
    assert found.body == []


async def test_a_version_of_nothing_is_not_there(v3: Any, shop: None) -> None:
    for path in ("namespaces/shop/apps/none/versions/1/metadata", "namespaces/none/apps/etl/versions/1/metadata"):
        assert (await v3("GET", path)).status == 404
