"""Programs and applications of a version: `…/apps/{a}/versions/{v}[/{type}/{p}]/metadata`."""

from typing import Any

import pytest

APP = "namespaces/shop/apps/etl"


@pytest.mark.parametrize("path", [f"{APP}/versions/2.0", f"{APP}/versions/2.0/flows/Load"])
async def test_a_version_has_metadata_of_its_own(v3: Any, shop: None, path: str) -> None:
    recorded = f"{path}/metadata"
    assert (await v3("GET", recorded)).body == {"properties": {}, "tags": []}
    first = await v3("POST", f"{recorded}/properties", {"owner": "ada"})
    assert (first.status, first.body["version"]) == (200, int(str(first.etag).strip('"')))
    assert (await v3("POST", f"{recorded}/tags", ["stable", "gold"])).status == 200
    reported = await v3("GET", recorded)
    assert reported.body == {"properties": {"owner": "ada"}, "tags": ["gold", "stable"]}
    assert (await v3("GET", f"{recorded}/tags")).body == ["gold", "stable"]
    stale = await v3("POST", f"{recorded}/tags", ["late"], headers={"If-Match": first.etag})
    assert stale.status == 412
    record = (await v3("GET", recorded, responseFormat="v5")).body[0]
    assert record["metadataEntity"]["details"]["version"] == "2.0"
    assert (await v3("DELETE", f"{recorded}/properties/owner")).status == 200
    assert (await v3("DELETE", f"{recorded}/tags/gold")).status == 200
    assert (await v3("GET", recorded)).body == {"properties": {}, "tags": ["stable"]}
    for other in (APP, f"{APP}/flows/Load", f"{APP}/versions/3.0"):
        assert (await v3("GET", f"{other}/metadata/tags")).body == [], other


async def test_deleted_application_deletes_its_versions(v3: Any, shop: None) -> None:
    recorded = f"{APP}/versions/2.0/flows/Load/metadata/tags"
    assert (await v3("POST", recorded, ["gold"])).status == 200
    assert (await v3("DELETE", APP)).status == 200
    assert (await v3("GET", recorded)).status == 404
    found = await v3("GET", "namespaces/shop/metadata/search", query="gold", showCustom="true")
    assert found.body == []


async def test_version_of_unknown_application_returns_404(v3: Any, shop: None) -> None:
    for path in ("namespaces/shop/apps/none/versions/1/metadata", "namespaces/none/apps/etl/versions/1/metadata"):
        assert (await v3("GET", path)).status == 404
