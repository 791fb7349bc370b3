"""Metadata change records and audit messages of a namespace."""

import asyncio
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from support.catalog import record_run
from support.events import open_event_stream

DATASET = "namespaces/shop/datasets/orders"
CHANGES = "namespaces/shop/metadata/changes"
NOTHING: dict[str, Any] = {"properties": {}, "tags": []}


def recorded(*tags: str, **properties: str) -> dict[str, Any]:
    return {"properties": properties, "tags": list(tags)}


#: The writes, and the previous and current metadata, the additions and the removals of the last one.
RECORDS = {
    "a first property": ([("POST", "properties", {"b": "2"})], NOTHING, recorded(b="2"), recorded(b="2"), NOTHING),
    "one more": (
        [("POST", "properties", {"a": "1"}), ("POST", "properties", {"b": "2"})],
        recorded(a="1"),
        recorded(a="1", b="2"),
        recorded(b="2"),
        NOTHING,
    ),
    "overwritten": (
        [("POST", "properties", {"a": "1", "c": "3"}), ("POST", "properties", {"a": "2"})],
        recorded(a="1", c="3"),
        recorded(a="2", c="3"),
        recorded(a="2"),
        recorded(a="1"),
    ),
    "tags in order": (
        [("POST", "tags", ["z", "b", "a"])],
        NOTHING,
        recorded("a", "b", "z"),
        recorded("a", "b", "z"),
        NOTHING,
    ),
    "a tag more": (
        [("POST", "tags", ["m"]), ("POST", "tags", ["z", "a", "m"])],
        recorded("m"),
        recorded("a", "m", "z"),
        recorded("a", "z"),
        NOTHING,
    ),
    "a tag less": (
        [("POST", "tags", ["a", "b"]), ("DELETE", "tags/a", None)],
        recorded("a", "b"),
        recorded("b"),
        NOTHING,
        recorded("a"),
    ),
    "a property less": (
        [("POST", "properties", {"a": "1", "b": "2"}), ("DELETE", "properties/b", None)],
        recorded(a="1", b="2"),
        recorded(a="1"),
        NOTHING,
        recorded(b="2"),
    ),
    "everything": (
        [("POST", "properties", {"a": "1"}), ("POST", "tags", ["t"]), ("DELETE", "", None)],
        recorded("t", a="1"),
        NOTHING,
        NOTHING,
        recorded("t", a="1"),
    ),
}


@pytest.mark.parametrize("case", RECORDS)
async def test_record_has_previous_current_and_difference(v3: Any, shop: None, case: str) -> None:
    steps, previous, updated, additions, deletions = RECORDS[case]
    for method, path, body in steps:
        answer = await v3(method, f"{DATASET}/metadata/{path}".rstrip("/"), body)
        assert answer.status == 200
    found = (await v3("GET", CHANGES)).body
    record = found["changes"][-1]
    assert record == {
        "previous": previous,
        "updated": updated,
        "changes": {"additions": additions, "deletions": deletions},
        "targetId": {"type": "dataset", "namespace": "shop", "id": "orders"},
        "updateTime": record["updateTime"],
        "updater": record["updater"],
        "scope": "USER",
        "version": record["version"],
        "seq": found["cursor"],
        "runId": None,
    }
    assert isinstance(record["updateTime"], int)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "properties", {"a": "1"}),
        ("POST", "properties", {}),
        ("POST", "tags", ["b", "a"]),
        ("POST", "tags", []),
        ("DELETE", "properties/none", None),
        ("DELETE", "tags/none", None),
    ],
)
async def test_unchanged_write_has_no_record(v3: Any, shop: None, method: str, path: str, body: Any) -> None:
    await v3("POST", f"{DATASET}/metadata/properties", {"a": "1"})
    await v3("POST", f"{DATASET}/metadata/tags", ["a", "b"])
    cursor = (await v3("GET", CHANGES, limit=0)).body["cursor"]
    assert (await v3(method, f"{DATASET}/metadata/{path}", body)).status == 200
    assert (await v3("GET", CHANGES, after=cursor)).body == {"cursor": cursor, "changes": []}


async def test_system_records_have_their_scope_and_entity_id(v3: Any, shop: None) -> None:
    for path in ("apps/etl", "apps/etl/flows/Load", "streams/clicks", "datasets/orders/field/price"):
        assert (await v3("POST", f"namespaces/shop/{path}/metadata/tags", ["x"])).status == 200
    assert (await v3("POST", "namespaces/shop/jar/etl.jar/metadata/tags", ["x"])).status == 200
    assert (await v3("POST", "namespaces/shop/metadata/tags", ["x"])).status == 200
    changes = (await v3("GET", CHANGES)).body["changes"]
    targets = [
        (change["targetId"]["type"], change["targetId"]["id"]) for change in changes if change["scope"] == "USER"
    ]
    assert targets == [
        ("app", "etl"),
        ("program", "etl.flows.Load"),
        ("stream", "clicks"),
        ("field", "orders.price"),
        ("jar", "etl.jar"),
        ("namespace", "shop"),
    ]
    described = [change for change in changes if "description" in change["changes"]["additions"]["properties"]]
    assert {change["scope"] for change in described} == {"SYSTEM"}
    assert [change["seq"] for change in changes] == sorted(change["seq"] for change in changes)


@pytest.mark.each_store
async def test_audit_messages_cover_creation_deletion_metadata_and_access(
    v3: Any, shop: None, jp_serverapp: Any
) -> None:
    catalog = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog()
    cursor = (await v3("GET", CHANGES, limit=0)).body["cursor"]
    await v3("PUT", "namespaces/shop/datasets/fresh", {})
    await v3("POST", "namespaces/shop/datasets/fresh/metadata/properties", {"a": "1"})
    await v3("POST", "namespaces/shop/datasets/fresh/metadata/properties", {"a": "2"})
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.fresh,PROD)"
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,shop),flows.Load)"
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, lambda: record_run(catalog, program, "r1", ("read", urn), end=5_000))
    await v3("DELETE", "namespaces/shop/datasets/fresh")
    found = (await v3("GET", CHANGES, after=cursor, format="audit")).body["changes"]
    mine = [event for event in found if event["metadataEntity"]["details"].get("dataset") == "fresh"]
    entity = {"details": {"namespace": "shop", "dataset": "fresh"}, "type": "dataset"}
    assert {json_of(event["metadataEntity"]) for event in mine} == {json_of(entity)}
    assert {event["version"] for event in mine} == {2}
    own = (await v3("GET", CHANGES, after=cursor, format="change")).body["changes"]
    numbers = [event["seq"] for event in found]
    assert numbers == sorted(set(numbers))
    births = [event["seq"] for event in own if event["urn"] == urn and event["operation"] == "create"]
    assert mine[0]["seq"] in births
    kinds = [event["type"] for event in mine]
    assert (kinds[0], kinds[-1]) == ("CREATE", "DELETE")
    assert set(kinds) == {"CREATE", "METADATA_CHANGE", "ACCESS", "DELETE"}
    people = [event for event in mine if "USER" in event["payload"].get("previous", {})]
    assert people[1]["payload"] == {
        "previous": {"USER": recorded(a="1")},
        "additions": {"USER": recorded(a="2")},
        "deletions": {"USER": recorded(a="1")},
    }
    (access,) = [event for event in mine if event["type"] == "ACCESS"]
    assert access["payload"]["accessType"] == "READ"
    assert access["payload"]["accessor"]["details"]["program"] == "Load"
    assert access["payload"]["accessor"]["details"]["application"] == "etl"


def json_of(document: Any) -> str:
    return repr(sorted(document.items(), key=str))


@pytest.mark.each_store
async def test_pages_are_complete_and_cursor_skips_other_changes(v3: Any, shop: None) -> None:
    whole = (await v3("GET", CHANGES)).body
    read: list[Any] = []
    after = 0
    while True:
        part = (await v3("GET", CHANGES, after=after, limit=1)).body
        if part["cursor"] == after:
            break
        read, after = read + part["changes"], part["cursor"]
    assert read == whole["changes"] != []
    assert after == whole["cursor"] == (await v3("GET", CHANGES, limit=0)).body["cursor"]
    # A client that requests the maximum gets as much as one answer may have.
    assert (await v3("GET", CHANGES, limit=100_000)).body == whole
    await v3("PUT", "namespaces/elsewhere")
    moved = (await v3("GET", CHANGES, after=after)).body
    assert moved["changes"] == []
    assert moved["cursor"] > after


async def test_a_long_poll_answers_when_there_is_a_record(v3: Any, shop: None) -> None:
    cursor = (await v3("GET", CHANGES, limit=0)).body["cursor"]
    waiting = asyncio.ensure_future(v3("GET", CHANGES, after=cursor, waitSeconds=15))
    await v3("PUT", "namespaces/elsewhere")
    await v3("POST", f"{DATASET}/metadata/tags", ["new"])
    (record,) = (await waiting).body["changes"]
    assert record["updated"]["tags"] == ["new"]
    assert (await v3("GET", CHANGES, after=record["seq"], waitSeconds=1)).body["changes"] == []


REFUSED_READS = [
    ("namespaces/none/metadata/changes", {}, 404),
    ("namespaces/none/metadata/changes/stream", {}, 404),
    ("namespaces/a-b/metadata/changes", {}, 400),
    (CHANGES, {"after": "x"}, 400),
    (CHANGES, {"limit": "-1"}, 400),
    (CHANGES, {"waitSeconds": "31"}, 400),
    (CHANGES, {"format": "xml"}, 400),
    (CHANGES, {"after": "999999"}, 410),
    (f"{CHANGES}/stream", {"after": "999999"}, 410),
    (f"{CHANGES}/stream", {"format": "xml"}, 400),
]


async def test_malformed_read_of_changes_is_refused(v3: Any, shop: None) -> None:
    for path, params, status in REFUSED_READS:
        assert (await v3("GET", path, **params)).status == status, (path, params, status)


async def test_record_stream_is_resumed(
    v3: Any, shop: None, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    whole = (await v3("GET", CHANGES)).body["changes"]
    path = f"{jp_base_url}colophon/v3/{CHANGES}/stream"
    events = await open_event_stream(jp_http_port, path, jp_auth_header | {"Last-Event-ID": str(whole[0]["seq"])})
    assert (await events.read_next()).kind == "hello"  # type: ignore[union-attr]
    assert await events.read_until(lambda event: event["seq"] == whole[-1]["seq"]) == whole[1:]
    await v3("POST", f"{DATASET}/metadata/tags", ["new"])
    (record,) = await events.read_until(lambda _: True)
    assert record["changes"]["additions"] == recorded("new")
    events.close()
