"""Expensive requests are refused, paged, timed out or isolated, and other requests are still answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.catalog import build_metadata_value
from support.openlineage import build_event, build_event_dataset
from support.urns import ORDERS
from tornado.httpclient import AsyncHTTPClient, HTTPResponse

STORE_NAMES = ["sqlite"]
CONNECTIONS = 2
MIB = 1024 * 1024
#: Enough that their values need more than one page.
WRITES = 60
BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
PROPERTIES = ("entities", ORDERS, "aspects", "datasetProperties")
#: Each of a thousand values is looked for in long texts that nearly hold it.
TEXT, VALUES = "a" * 20_000, ["a" * 100 + f"b{number}" for number in range(1_000)]


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    jp_server_config["Colophon"] |= {"max_connections_per_user": CONNECTIONS}
    return jp_server_config


def named(number: int) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,d.t{number},PROD)"


async def propose(api: Any, *proposals: dict[str, Any]) -> None:
    written = await api("POST", "proposals", body={"proposals": [one | {"operation": "upsert"} for one in proposals]})
    assert written.status == 200


def ask(datahub: Any, criteria: list[dict[str, Any]]) -> Awaitable[Any]:
    """Search datasets of DataHub's API by criteria."""
    body = {"entity": "dataset", "input": "*", "start": 0, "count": 10, "filter": {"or": [{"and": criteria}]}}
    return datahub("POST", "entities", params={"action": "search"}, body=body)


def contain(values: list[str]) -> dict[str, Any]:
    return {"field": "description", "condition": "CONTAIN", "values": values}


async def test_large_filter_is_refused_with_its_place(datahub: Any) -> None:
    for criteria in (
        [contain(["x" * MIB])] * 8,
        [contain(["x"])] * 1_000,
        [contain(["x"] * 2_000)],
        [contain(["x"] * 600)] * 2,
    ):
        refused = await ask(datahub, criteria)
        assert refused.status == 400
        assert refused.body["errors"][0]["pointer"].startswith("/filter")
    counted = {"aspect": "status", "urnLike": "%a" * 2_000}
    refused = await datahub("POST", "aspects", params={"action": "getCount"}, body=counted)
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/urnLike")


async def test_pages_end_by_their_size_and_cursors_lead_on(api: Any, sales: None) -> None:
    for number in range(WRITES):
        text = str(number % 10)
        custom = {str(key): text * 10_000 for key in range(10)}
        recorded = {"name": str(number), "description": text * 100_000, "customProperties": custom}
        assert (await api("PUT", *PROPERTIES, body=recorded)).status == 200

    async def pages(read: Callable[[Any], Awaitable[Any]], name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: Any = None
        while True:
            page = await read(cursor)
            assert page.status == 200
            assert int(page.headers["Content-Length"]) < 10 * MIB
            found += page.body[name]
            is_last = page.body["cursor"] is None if name == "versions" else not page.body[name]
            cursor = page.body["cursor"]
            if is_last:
                return found

    async def changes(cursor: Any) -> Any:
        return await api(
            "GET", "changes", params={"after": cursor or 0, "limit": 500, "urn": ORDERS}, answers="changes"
        )

    async def versions(cursor: Any) -> Any:
        return await api("GET", *PROPERTIES, "versions", params={"limit": 500} | ({"cursor": cursor} if cursor else {}))

    changed = [one for one in await pages(changes, "changes") if one["aspect"] == "datasetProperties"]
    assert [one["value"]["name"] for one in changed] == [str(number) for number in range(WRITES)]
    history = await pages(versions, "versions")
    assert [one["value"]["name"] for one in history] == [str(number) for number in reversed(range(WRITES))]
    assert history[0]["diff"][0]["op"] == "replace"


async def test_marquez_lists_end_by_their_size_and_lead_on(openlineage: Any) -> None:
    note = {"_producer": "https://example.org", "_schemaURL": "https://example.org/n.json", "n": "x" * 1_000_000}
    for number in range(7):
        run = f"01a1f874-f0d4-7cde-ab58-240223d68f{number:02d}"
        reported = build_event(
            run=run, second=number, run_facets={"note": note}, outputs=[build_event_dataset(f"t{number}", note=note)]
        )
        assert (await openlineage("POST", "api", "v1", "lineage", body=reported)).status == 201
    lists = {"datasets": ("postgres://db:5432", "datasets"), "runs": ("etl", "jobs", "load", "runs")}
    for name, path in lists.items():
        found: list[dict[str, Any]] = []
        offset, pages = 0, 0
        while offset is not None:
            page = await openlineage("GET", "api", "v1", "namespaces", *path, params={"offset": offset, "limit": 100})
            assert int(page.headers["Content-Length"]) < 6 * MIB
            found, offset, pages = found + page.body[name], page.body.get("nextOffset"), pages + 1
        assert pages > 1
        assert len({one["id"] if name == "runs" else one["name"] for one in found}) == len(found) == 7


async def test_too_large_batch_get_names_the_first_excess_entity(api: Any, datahub: Any, sales: None) -> None:
    recorded = {"customProperties": {str(key): "x" * 100_000 for key in range(60)}}
    for number in range(3):
        await propose(api, {"urn": named(number), "aspect": "datasetProperties", "value": recorded})
    path = ("openapi", "v3", "entity", "dataset", "batchGet")
    refused = await datahub("POST", *path, body=[{"urn": named(number)} for number in range(3)])
    assert (refused.status, [one["pointer"] for one in refused.body["errors"]]) == (413, ["/2"])
    fewer = await datahub("POST", *path, body=[{"urn": named(number)} for number in range(2)])
    assert [one["urn"] for one in fewer.body] == [named(0), named(1)]
    some = await datahub("POST", *path, body=[{"urn": named(number), "status": {}} for number in range(3)])
    assert len(some.body) == 3


async def test_connections_that_begin_at_once_are_counted(
    api: Any, sales: None, http_server_port: Any, jp_base_url: str, jp_auth_header: dict[str, str]
) -> None:
    async def status(path: str) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", http_server_port[-1])
        opened.append(writer)
        token = jp_auth_header["Authorization"]
        head = f"GET {jp_base_url}colophon/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {token}\r\n\r\n"
        writer.write(head.encode())
        return int((await asyncio.wait_for(reader.readline(), 60)).split()[1])

    for path in ("api/changes/stream?after=0", f"api/changes?after=0&waitSeconds=5&urn={named(404)}"):
        opened: list[asyncio.StreamWriter] = []
        found = await asyncio.gather(*(status(path) for _ in range(12)))
        assert sorted(found) == [200] * CONNECTIONS + [429] * (12 - CONNECTIONS), path
        for writer in opened:
            writer.close()
        # Ended connections are not counted.
        while (await api("GET", "changes", params={"waitSeconds": 1, "urn": named(404)})).status == 429:
            await asyncio.sleep(0.05)


async def test_slow_queries_time_out_without_delaying_others(
    api: Any, datahub: Any, sales: None, jp_serverapp: Any
) -> None:
    # Others must be answered before the last queries time out, also by a busy machine.
    settings = jp_serverapp.web_app.settings[SETTING].settings
    settings.read_timeout_seconds = 8.0
    recorded = {"description": TEXT, "customProperties": {}}
    await propose(api, *({"urn": named(at), "aspect": "datasetProperties", "value": recorded} for at in range(300)))
    slow = [asyncio.ensure_future(ask(datahub, [contain(VALUES)])) for _ in range(12)]
    # All of them are at work, or wait for their turn.
    await asyncio.sleep(0.3)
    assert (await api("GET", "entities", ORDERS)).status == 200
    assert (await api("PUT", *BUSINESS, body=build_metadata_value())).status == 200
    assert not any(one.done() for one in slow[-4:])
    # Those that still wait for a thread.
    settings.read_timeout_seconds = 0.5
    for one in slow:
        answer = await one
        assert answer.status == 503
        assert answer.headers["Retry-After"]
    settings.read_timeout_seconds = 60.0
    assert (await ask(datahub, [contain(["b"])])).body["value"]["numEntities"] == 0
    # All of them together exceed one page, whatever count is requested.
    scroll = ("openapi", "v3", "entity", "scroll")
    urns, cursor, pages = [], "", 0
    while cursor is not None:
        more = {"scrollId": cursor} if cursor else {}
        page = await datahub(
            "POST", *scroll, params={"count": 1_000} | more, body={"entities": ["dataset"], "aspects": []}
        )
        urns, cursor, pages = urns + [one["urn"] for one in page.body["entities"]], page.body["scrollId"], pages + 1
    assert pages > 1
    assert urns == sorted({*map(named, range(300)), ORDERS})


async def test_slow_queries_do_not_delay_other_users(
    api: Any, sales: None, jp_serverapp: Any, http_server_port: Any, jp_base_url: str
) -> None:
    recorded = {"description": TEXT, "customProperties": {}}
    await propose(api, *({"urn": named(at), "aspect": "datasetProperties", "value": recorded} for at in range(100)))
    kernels = jp_serverapp.web_app.settings[SETTING].tokens
    tokens = {
        user: kernels.issue_token_and_revoke_earlier(f"kernel-{user}", User(user), user) for user in ("ada", "bob")
    }
    client = AsyncHTTPClient(force_instance=True, max_clients=200)
    url = f"http://127.0.0.1:{http_server_port[-1]}{jp_base_url}colophon/datahub/entities?action=search"

    def search(user: str, values: list[str]) -> asyncio.Future[HTTPResponse]:
        headers = {"Authorization": f"token {tokens[user]}"}
        criteria = [{"and": [contain(values)]}]
        body = {"entity": "dataset", "input": "*", "start": 0, "count": 10, "filter": {"or": criteria}}
        return client.fetch(
            url, method="POST", body=json.dumps(body), headers=headers, raise_error=False, request_timeout=120
        )

    limits = jp_serverapp.web_app.settings[SETTING].settings
    limits.read_timeout_seconds = 1.0
    slow = [search("ada", VALUES) for _ in range(80)]
    # Some of Ada's queries run, as many as may wait do, and the others are refused.
    while not any(one.done() for one in slow):
        await asyncio.sleep(0.01)
    # Bob's query has its turn at once, but shares the interpreter with Ada's: a second may be too short for it.
    limits.read_timeout_seconds = 5.0
    found = await search("bob", ["b"])
    limits.read_timeout_seconds = 1.0
    assert (found.code, json.loads(found.body)["value"]["numEntities"]) == (200, 0)
    assert sum(not one.done() for one in slow) > 40
    answers = await asyncio.gather(*slow)
    given_up = [one for one in answers if one.code == 503]
    assert len(given_up) > 60
    assert all(one.headers["Retry-After"] for one in given_up)
    refused = [one for one in given_up if b"waiting queries" in one.body]
    assert 0 < len(refused) <= 20
    client.close()
