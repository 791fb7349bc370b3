"""Renaming a dataset over HTTP: permissions, answers of each API for the old name, and the change log."""

import asyncio
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth import User
from support.catalog import build_metadata_value
from support.openlineage import build_event, build_event_dataset
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, build_table_urn

NEW = build_table_urn("orders_2026")
START = {"program": CELL, "runId": "run-1", "start": "2026-11-20T12:00:00.000Z"}
RENAME = ("entities", ORDERS, "rename")
BUSINESS = ("aspects", "businessMetadata")


async def start(api: Any, **more: Any) -> str:
    body = {**START, **more.pop("body", {})}
    return str((await api("POST", "runs", body=body, answers="run", **more)).body["urn"])


async def test_every_api_reports_the_new_name_after_a_rename(
    api: Any, datahub: Any, openlineage: Any, sales: None
) -> None:
    await api("PUT", "entities", ORDERS, *BUSINESS, body=build_metadata_value({"owner": "ops"}, ["gold"]))
    done = await api("POST", *RENAME, body={"to": NEW}, answers="write-result")
    assert (done.status, done.body["urn"], done.body["changed"]) == (200, NEW, True)
    assert (await api("GET", "entities", NEW, *BUSINESS)).body["value"]["tags"] == ["gold"]
    assert (await api("GET", "entities", NEW, *BUSINESS, "versions")).body["versions"][0]["version"] == 1
    for path in (("entities", ORDERS), ("entities", ORDERS, *BUSINESS), ("entities", ORDERS, "metadata")):
        gone = await api("GET", *path)
        assert (gone.status, gone.body["renamedTo"]) == (404, NEW)
    gone = await api("GET", "lineage", params={"urn": ORDERS})
    assert (gone.status, gone.body["renamedTo"]) == (404, NEW)
    reported = await datahub("GET", "openapi", "v3", "entity", "dataset", ORDERS)
    assert reported.status == 404
    assert NEW in reported.body["message"]
    # Whoever creates it again has an entity of its own.
    assert (await api("PUT", "entities", ORDERS, *BUSINESS, body=build_metadata_value())).status == 200
    assert (await api("GET", "entities", ORDERS)).status == 200
    again = await api("POST", *RENAME, body={"to": NEW})
    assert (again.status, again.body["type"]) == (409, "urn:jupyter-colophon:problem:rename-conflict")


async def test_dataset_of_openlineage_is_found_by_both_names(api: Any, openlineage: Any) -> None:
    assert (
        await openlineage("POST", "api", "v1", "lineage", body=build_event(outputs=[build_event_dataset("shop.t")]))
    ).status == 201
    old = (await api("GET", "entities", params={"type": "dataset"})).body["entities"][0]["urn"]
    new = old.replace("shop.t,", "shop.u,")
    assert (await api("POST", "entities", old, "rename", body={"to": new})).status == 200
    found = await openlineage("GET", "api", "v1", "namespaces", "postgres://db:5432", "datasets", "shop.t")
    assert found.status == 200
    (run,) = (await api("GET", "runs", params={"data": new})).body["runs"]
    assert [one["data"] for one in run["accesses"]] == [new]


async def test_kernel_renames_only_in_its_own_run(api: Any, jp_serverapp: Any, kernel: Any, sales: None) -> None:
    asks = {"anonymous": True, "headers": kernel}
    assert (await api("POST", *RENAME, body={"to": NEW}, **asks)).status == 403
    theirs = await start(api, body={"runId": "theirs"})
    assert (await api("POST", *RENAME, body={"to": NEW, "run": theirs}, **asks)).status == 403
    mine = await start(api, **asks)
    done = await api("POST", *RENAME, body={"to": NEW, "run": mine}, answers="write-result", **asks)
    assert done.status == 200
    assert (await api("DELETE", "entities", NEW, **asks)).status == 403


async def test_table_used_by_another_kernel_is_not_renamed(
    api: Any, jp_serverapp: Any, kernel: Any, sales: None
) -> None:
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    other = {
        "anonymous": True,
        "headers": {"Authorization": f"token {tokens.issue_token_and_revoke_earlier('kernel-2', User('ada'), 'ada')}"},
    }
    session = await start(api, body={"program": NOTEBOOK, "runId": "other"}, **other)
    touched = {"accesses": [{"data": ORDERS, "mode": "write"}]}
    assert (await api("POST", "runs", session, "accesses", body=touched, **other)).status == 200
    mine = await start(api, anonymous=True, headers=kernel)
    asks = {"body": {"to": NEW, "run": mine}, "anonymous": True, "headers": kernel}
    assert (await api("POST", *RENAME, **asks)).status == 409
    assert (await api("GET", "entities", ORDERS)).status == 200
    await api("PATCH", "runs", session, body={"status": "succeeded"}, **other)
    assert (await api("POST", *RENAME, **asks)).status == 200


@pytest.mark.parametrize(
    "to",
    [
        ORDERS,
        CELL,
        build_table_urn("orders", "zoo"),
        ORDERS.replace("PROD", "TEST"),
        "urn:li:dataset:(urn:li:dataPlatform:stream,sales.s,PROD)",
    ],
)
async def test_illegal_name_is_refused_with_a_pointer(api: Any, sales: None, to: str) -> None:
    refused = await api("POST", *RENAME, body={"to": to})
    assert (refused.status, [one["pointer"] for one in refused.body["errors"]]) == (400, ["/to"])


async def test_absent_dataset_and_absent_run_are_404(api: Any, sales: None) -> None:
    assert (await api("POST", "entities", REPORT, "rename", body={"to": NEW})).status == 404
    body = {"to": NEW, "run": "urn:li:dataProcessInstance:0b0f7f6e-2f1e-4c0e-9a6e-1f3a0f6f7a10"}
    assert (await api("POST", *RENAME, body=body)).status == 404


async def test_followers_are_sent_a_deletion_and_a_rename(api: Any, sales: None) -> None:
    cursor = (await api("GET", "changes", params={"limit": 0})).body["cursor"]
    await api("POST", *RENAME, body={"to": NEW})
    changes = (await api("GET", "changes", params={"after": cursor}, answers="changes")).body["changes"]
    reported = {(one["urn"], one["aspect"], one["operation"]) for one in changes}
    names = {"datasetKey", "status", "technicalMetadata", None}
    assert reported == {(ORDERS, name, "delete") for name in names} | {(NEW, name, "rename") for name in names}
    moved = {(one["urn"], one["aspect"]): one for one in changes}
    assert moved[NEW, "technicalMetadata"]["value"] == moved[ORDERS, "technicalMetadata"]["previous"]
    assert moved[NEW, None]["value"] == {"renamedFrom": ORDERS}
    assert moved[ORDERS, None]["value"] == {"renamedTo": NEW}


async def test_write_during_a_rename_is_before_or_after_it(api: Any, sales: None) -> None:
    await api("PUT", "entities", ORDERS, *BUSINESS, body=build_metadata_value({"n": "0"}))

    async def write(number: int) -> int:
        found = await api("GET", "entities", ORDERS, *BUSINESS)
        tag = found.headers.get("Etag", '"0"')
        body = build_metadata_value({"n": str(number)})
        return int((await api("PUT", "entities", ORDERS, *BUSINESS, body=body, headers={"If-Match": tag})).status)

    renaming = api("POST", *RENAME, body={"to": NEW})
    *writes, renamed = await asyncio.gather(*(write(number) for number in range(1, 9)), renaming)
    assert renamed.status == 200
    assert set(writes) <= {200, 412}
    found = (await api("GET", "entities", NEW, *BUSINESS, "versions")).body["versions"]
    assert len(found) == 1 + writes.count(200)
    assert (await api("GET", "entities", ORDERS)).body["renamedTo"] == NEW
