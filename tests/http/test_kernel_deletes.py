"""A kernel's token deletes nothing through any API; the magic only removes entries of user metadata."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_colophon.core.entities.export_lines import format_export_header, format_export_line
from support.catalog import build_metadata_value
from support.urns import ORDERS

Request = tuple[str, str, Any]

GONE = {"removed": True}
BUSINESS, TECHNICAL = "businessMetadata", "technicalMetadata"
PATCHED = [{"op": "replace", "path": "/removed", "value": True}]
LINES = {"Content-Type": "application/x-ndjson"}
ENTITY = f"api/entities/{quote(ORDERS, safe='')}"
OPENAPI = "datahub/openapi/v3/entity/dataset"
V3 = "v3/namespaces/sales"


def proposed(aspect: str | None, operation: str, value: Any = None) -> dict[str, Any]:
    proposal = {"urn": ORDERS, "aspect": aspect, "operation": operation, "value": value}
    return {"proposals": [{name: reported for name, reported in proposal.items() if reported is not None}]}


def emitted(change: str, aspect: str, value: Any = None) -> dict[str, Any]:
    wish = {"entityType": "dataset", "entityUrn": ORDERS, "changeType": change, "aspectName": aspect}
    if value is not None:
        wish["aspect"] = {"contentType": "application/json", "value": json.dumps(value)}
    return {"proposal": wish}


def native() -> Iterator[Request]:
    for aspect in (BUSINESS, TECHNICAL):
        yield "DELETE", f"{ENTITY}/aspects/{aspect}", None
        yield "POST", "api/proposals", proposed(aspect, "delete")
        yield "POST", "api/proposals?async=true", proposed(aspect, "delete")
    yield "DELETE", ENTITY, None
    yield "PUT", f"{ENTITY}/aspects/status", GONE
    yield "PATCH", f"{ENTITY}/aspects/status", PATCHED
    yield "POST", "api/proposals", proposed("status", "upsert", GONE)
    yield "POST", "api/proposals", proposed("status", "patch", PATCHED)
    yield "POST", "api/proposals?async=true", proposed("status", "upsert", GONE)
    line = format_export_line(ORDERS, BUSINESS, build_metadata_value({"owner": "nobody"}))
    yield "POST", "api/import?overwrite=true", f"{format_export_header('sales')}\n{line}\n".encode()


def others() -> Iterator[Request]:
    for change in ("DELETE", "UPSERT", "UPDATE"):
        aspect, value = ("status", GONE) if change != "DELETE" else (BUSINESS, None)
        yield "POST", "datahub/aspects?action=ingestProposal", emitted(change, aspect, value)
    batch = {"proposals": [emitted("UPSERT", "status", GONE)["proposal"]]}
    yield "POST", "datahub/aspects?action=ingestProposalBatch", batch
    for members in ({}, {"aspectName": BUSINESS}, {"aspectName": "datasetProfile"}):
        yield "POST", "datahub/entities?action=delete", {"urn": ORDERS, **members}
    yield "POST", "datahub/entities?action=deleteReferences", {"urn": ORDERS}
    yield "POST", "datahub/runs?action=rollback", {"runId": "run1", "dryRun": False, "safe": True}
    yield "POST", OPENAPI, [{"urn": ORDERS, "status": {"value": GONE}}]
    yield "POST", f"{OPENAPI}?async=true", [{"urn": ORDERS, "status": {"value": GONE}}]
    yield "PATCH", OPENAPI, [{"urn": ORDERS, "status": {"value": PATCHED}}]
    yield "DELETE", f"{OPENAPI}/{quote(ORDERS, safe='')}", None
    yield "DELETE", f"{OPENAPI}/{quote(ORDERS, safe='')}?aspects={BUSINESS}", None
    yield "DELETE", f"{V3}/datasets/orders", None
    yield "DELETE", f"{V3}?confirm=sales", None
    drop = {"type": "DROP", "entity": {"details": {"namespace": "sales", "dataset": "orders"}, "type": "dataset"}}
    yield "POST", "v3/metadata-internals/batch", [drop]


@pytest.fixture
def recorded(api: Any, datahub: Any, sales: None, jp_asyncio_loop: Any) -> None:
    """User metadata of the table, and the metadata of an ingestion run."""
    jp_asyncio_loop.run_until_complete(write(api, datahub))


async def write(api: Any, datahub: Any) -> None:
    assert (
        await api("PUT", "entities", ORDERS, "aspects", BUSINESS, body=build_metadata_value({"owner": "ops"}))
    ).status == 200
    body = emitted("UPSERT", "datasetProperties", {"description": "All orders"})
    body["proposal"]["systemMetadata"] = {"lastObserved": 1, "runId": "run1"}
    assert (await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=body)).status == 200


async def test_kernel_token_cannot_delete(
    api: Any, recorded: None, kernel: Any, http_server_client: Any, jp_base_url: str
) -> None:
    before = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    allowed = []
    for method, path, body in (*native(), *others()):
        found = await http_server_client.fetch(
            f"{jp_base_url}colophon/{path}",
            method=method,
            body=body if isinstance(body, bytes) or body is None else json.dumps(body).encode(),
            headers=kernel | (LINES if isinstance(body, bytes) else {}),
            raise_error=False,
            allow_nonstandard_methods=True,
        )
        if found.code != 403 or b"may not delete" not in found.body:
            allowed.append((method, path, body, found.code, found.body))
    assert allowed == []
    assert (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"] == before


async def test_async_deletion_by_a_kernel_is_refused_when_applied(api: Any, recorded: None, kernel: Any) -> None:
    asks = {"anonymous": True, "headers": kernel}
    later = await api("POST", "proposals", params={"async": "true"}, body=proposed("status", "patch", PATCHED), **asks)
    assert later.status == 202
    entry = later.body
    while entry["state"] == "pending":
        await asyncio.sleep(0.05)
        entry = (await api("GET", "inbox", entry["id"], answers="inbox-entry", **asks)).body
    assert (entry["state"], entry["problem"]["status"]) == ("rejected", 403)
    assert (await api("DELETE", "dead-letters", entry["deadLetter"], **asks)).status == 403
    assert (await api("PUT", "loads", "night", answers="load", **asks)).status == 200
    batch = {"partition": 0, "number": 0, "rows": proposed("status", "upsert", GONE)["proposals"]}
    done = await api("POST", "loads", "night", "batches", body=batch, answers="load-batch-result", **asks)
    assert [one["problem"]["status"] for one in done.body["rejected"]] == [403]
    status = await api("GET", "entities", ORDERS, "aspects", "status", answers="aspect")
    assert status.body["value"] == {"removed": False}


@pytest.mark.each_store
async def test_kernel_removes_user_entries_but_only_user_deletes_entities(
    api: Any, recorded: None, kernel: Any
) -> None:
    asks = {"anonymous": True, "headers": kernel}
    path = ("entities", ORDERS, "aspects", BUSINESS)
    assert (await api("PUT", *path, body=build_metadata_value({}), **asks)).status == 200
    assert (await api("GET", *path, answers="aspect")).body["value"]["properties"] == {}
    assert (await api("DELETE", *path)).status == 200
    assert (await api("PUT", "entities", ORDERS, "aspects", "status", body=GONE)).status == 200
    # A removed entity that is observed again exists again: that is not a deletion.
    assert (await api("PUT", "entities", ORDERS, "aspects", "status", body={"removed": False}, **asks)).status == 200
