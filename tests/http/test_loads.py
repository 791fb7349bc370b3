"""Bulk load jobs over HTTP: batches are applied once, rows are rejected individually, and an ended load is closed."""

from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.catalog import build_metadata_value

pytestmark = pytest.mark.each_store

RECORDED = build_metadata_value({"owner": "ops"})


def table(number: int) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,sales.load{number},PROD)"


def row(number: int, **other: Any) -> dict[str, Any]:
    return {"urn": table(number), "aspect": "technicalMetadata", "operation": "upsert", "value": RECORDED} | other


def batch(*rows: Any, partition: int = 0, number: int = 0) -> dict[str, Any]:
    return {"partition": partition, "number": number, "rows": list(rows)}


@pytest.fixture
def load(api: Any, sales: None, jp_asyncio_loop: Any) -> str:
    """A load that is open."""
    made = jp_asyncio_loop.run_until_complete(api("PUT", "loads", "night-1", answers="load"))
    assert (made.status, made.body["state"]) == (200, "open")
    return "night-1"


async def test_a_row_that_cannot_be_applied_loses_only_itself(api: Any, load: str) -> None:
    bad = [
        7,
        {"urn": "x", "operation": "upsert"},
        row(1, value={"no": "metadata"}),
        row(2, urn="urn:li:nothing:x"),
        row(3, aspect="none"),
        row(4, ifVersion=5),
        row(5, run="urn:li:dataProcessInstance:none"),
        row(6, operation="update"),
        {"urn": table(7), "operation": "delete"},
    ]
    done = await api("POST", "loads", load, "batches", body=batch(row(0), *bad, row(9)), answers="load-batch-result")
    assert (done.status, done.body["written"], done.body["unchanged"]) == (200, 2, 0)
    refused = done.body["rejected"]
    assert [(one["row"], one["problem"]["status"]) for one in refused] == [
        *[(1, 400), (2, 400), (3, 400), (4, 404), (5, 404), (6, 412), (7, 404), (8, 412), (9, 404)]
    ]
    assert refused[1]["problem"]["errors"][0]["pointer"] == "/urn"
    for number, status in ((0, 200), (1, 404), (4, 404), (6, 404), (9, 200)):
        assert (await api("GET", "entities", table(number))).status == status
    again = await api("POST", "loads", load, "batches", body=batch(row(0), number=1), answers="load-batch-result")
    assert (again.body["written"], again.body["unchanged"], again.body["rejected"]) == (0, 1, [])
    reported = (await api("GET", "loads", load, answers="load")).body
    assert [reported[name] for name in ("state", "batches", "written", "unchanged", "rejected")] == ["open", 2, 2, 1, 9]
    empty = await api("GET", "loads", load, "rejections", params={"limit": 0}, answers="load-rejections")
    assert empty.body["rejections"] == []
    page = await api("GET", "loads", load, "rejections", params={"limit": 4}, answers="load-rejections")
    rest = await api(
        "GET", "loads", load, "rejections", params={"cursor": page.body["cursor"]}, answers="load-rejections"
    )
    listed = page.body["rejections"] + rest.body["rejections"]
    assert [{"row": one["row"], "urn": one["urn"], "problem": one["problem"]} for one in listed] == refused


async def test_batch_is_applied_once_and_other_content_returns_409(api: Any, load: str) -> None:
    first = await api("POST", "loads", load, "batches", body=batch(row(0), 7), answers="load-batch-result")
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body
    again = await api("POST", "loads", load, "batches", body=batch(row(0), 7), answers="load-batch-result")
    assert again.body == first.body
    other = await api("POST", "loads", load, "batches", body=batch(row(1)))
    assert (other.status, other.body["type"].rpartition(":")[2]) == (409, "idempotency-key-reused")
    assert (await api("GET", "changes", params={"limit": 0}, answers="changes")).body == head
    reported = (await api("GET", "loads", load, answers="load")).body
    assert (reported["batches"], reported["written"], reported["rejected"]) == (1, 1, 1)


@pytest.mark.parametrize("state", ["committed", "aborted"])
async def test_ended_load_refuses_batches(api: Any, load: str, state: str) -> None:
    assert (await api("POST", "loads", load, "batches", body=batch(row(0)), answers="load-batch-result")).status == 200
    for _ in range(2):
        ended = await api("PATCH", "loads", load, body={"state": state}, answers="load")
        assert (ended.status, ended.body["state"], ended.body["written"]) == (200, state, 1)
    other = "aborted" if state == "committed" else "committed"
    late = [
        await api("POST", "loads", load, "batches", body=batch(row(1), number=1)),
        await api("POST", "loads", load, "batches", body=batch(row(0))),
        await api("PUT", "loads", load),
        await api("PATCH", "loads", load, body={"state": other}),
    ]
    assert [(one.status, one.body["type"].rpartition(":")[2]) for one in late] == [(409, "load-ended")] * 4
    assert (await api("GET", "entities", table(1))).status == 404


async def test_load_is_private_and_invalid_names_are_refused(api: Any, load: str, jp_serverapp: Any) -> None:
    token = jp_serverapp.web_app.settings[SETTING].tokens.issue_token_and_revoke_earlier("kernel-1", User("bob"), "bob")
    bob = {"anonymous": True, "headers": {"Authorization": f"token {token}"}}
    strange = [
        await api("GET", "loads", load, **bob),
        await api("GET", "loads", load, "rejections", **bob),
        await api("POST", "loads", load, "batches", body=batch(row(0)), **bob),
        await api("PATCH", "loads", load, body={"state": "aborted"}, **bob),
        await api("POST", "loads", "never-opened", "batches", body=batch(row(0))),
    ]
    assert [one.status for one in strange] == [404] * 5
    assert (await api("PUT", "loads", load, answers="load", **bob)).status == 200
    may_not = {"urn": table(0), "operation": "delete"}
    done = await api("POST", "loads", load, "batches", body=batch(row(0), may_not), answers="load-batch-result", **bob)
    assert [one["problem"]["status"] for one in done.body["rejected"]] == [403]
    bad = [
        await api("PUT", "loads", "no name"),
        await api("PATCH", "loads", load, body={"state": "open"}),
        await api("POST", "loads", load, "batches", body={"partition": -1, "number": 0, "rows": [row(0)]}),
        await api("POST", "loads", load, "batches", body=batch()),
        await api("POST", "loads", load, "batches", body=batch(*[row(0)] * 1001)),
    ]
    bad += [await api("PUT", "loads", load, body=body) for body in (b"{", b"[]", {"state": "open"})]
    assert [one.status for one in bad] == [400] * 8
    assert (await api("PUT", "loads", load, body={}, answers="load")).status == 200
