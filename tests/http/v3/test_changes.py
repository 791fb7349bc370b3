"""Metadata change records and audit messages of a namespace."""

import asyncio
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from support.catalog import touch
from support.events import streaming

DATASET = "namespaces/shop/datasets/orders"
CHANGES = "namespaces/shop/metadata/changes"
NOTHING: dict[str, Any] = {"properties": {}, "tags": []}


def said(*tags: str, **properties: str) -> dict[str, Any]:
    return {"properties": properties, "tags": list(tags)}


#: What is done, and what was, is, was added and was taken away by the last of it.
RECORDS = {
    "a first property": ([("POST", "properties", {"b": "2"})], NOTHING, said(b="2"), said(b="2"), NOTHING),
    "one more": (
        [("POST", "properties", {"a": "1"}), ("POST", "properties", {"b": "2"})],
        said(a="1"),
        said(a="1", b="2"),
        said(b="2"),
        NOTHING,
    ),
    "overwritten": (
        [("POST", "properties", {"a": "1", "c": "3"}), ("POST", "properties", {"a": "2"})],
        said(a="1", c="3"),
        said(a="2", c="3"),
        said(a="2"),
        said(a="1"),
    ),
    "tags in order": ([("POST", "tags", ["z", "b", "a"])], NOTHING, said("a", "b", "z"), said("a", "b", "z"), NOTHING),
    "a tag more": (
        [("POST", "tags", ["m"]), ("POST", "tags", ["z", "a", "m"])],
        said("m"),
        said("a", "m", "z"),
        said("a", "z"),
        NOTHING,
    ),
    "a tag less": (
        [("POST", "tags", ["a", "b"]), ("DELETE", "tags/a", None)],
        said("a", "b"),
        said("b"),
        NOTHING,
        said("a"),
    ),
    "a property less": (
        [("POST", "properties", {"a": "1", "b": "2"}), ("DELETE", "properties/b", None)],
        said(a="1", b="2"),
        said(a="1"),
        NOTHING,
        said(b="2"),
    ),
    "everything": (
        [("POST", "properties", {"a": "1"}), ("POST", "tags", ["t"]), ("DELETE", "", None)],
        said("t", a="1"),
        NOTHING,
        NOTHING,
        said("t", a="1"),
    ),
}


@pytest.mark.parametrize("case", RECORDS)
async def test_a_record_tells_what_was_what_is_and_the_difference(v3: Any, shop: None, case: str) -> None:
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
async def test_nothing_changed_is_no_record(v3: Any, shop: None, method: str, path: str, body: Any) -> None:
    await v3("POST", f"{DATASET}/metadata/properties", {"a": "1"})
    await v3("POST", f"{DATASET}/metadata/tags", ["a", "b"])
    cursor = (await v3("GET", CHANGES, limit=0)).body["cursor"]
    assert (await v3(method, f"{DATASET}/metadata/{path}", body)).status == 200
    assert (await v3("GET", CHANGES, after=cursor)).body == {"cursor": cursor, "changes": []}


async def test_machines_records_are_of_the_other_scope_and_each_kind_of_target_has_its_id(v3: Any, shop: None) -> None:
    for path in ("apps/etl", "apps/etl/flows/Load", "streams/clicks", "datasets/orders/field/price"):
        assert (await v3("POST", f"namespaces/shop/{path}/metadata/tags", ["x"])).status == 200
    assert (await v3("POST", "namespaces/shop/jar/etl.jar/metadata/tags", ["x"])).status == 200
    assert (await v3("POST", "namespaces/shop/metadata/tags", ["x"])).status == 200
    changes = (await v3("GET", CHANGES)).body["changes"]
    targets = [(one["targetId"]["type"], one["targetId"]["id"]) for one in changes if one["scope"] == "USER"]
    assert targets == [
        ("app", "etl"),
        ("program", "etl.flows.Load"),
        ("stream", "clicks"),
        ("field", "orders.price"),
        ("jar", "etl.jar"),
        ("namespace", "shop"),
    ]
    described = [one for one in changes if "description" in one["changes"]["additions"]["properties"]]
    assert {one["scope"] for one in described} == {"SYSTEM"}
    assert [one["seq"] for one in changes] == sorted(one["seq"] for one in changes)


@pytest.mark.each_store
async def test_audit_messages_tell_of_births_deaths_metadata_and_accesses(
    v3: Any, shop: None, jp_serverapp: Any
) -> None:
    catalog = jp_serverapp.web_app.settings[SETTING].catalog()
    cursor = (await v3("GET", CHANGES, limit=0)).body["cursor"]
    await v3("PUT", "namespaces/shop/datasets/fresh", {})
    await v3("POST", "namespaces/shop/datasets/fresh/metadata/properties", {"a": "1"})
    await v3("POST", "namespaces/shop/datasets/fresh/metadata/properties", {"a": "2"})
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.fresh,PROD)"
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,shop),flows.Load)"
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, lambda: touch(catalog, program, "r1", ("read", urn), end=5_000))
    await v3("DELETE", "namespaces/shop/datasets/fresh")
    found = (await v3("GET", CHANGES, after=cursor, format="audit")).body["changes"]
    mine = [one for one in found if one["metadataEntity"]["details"].get("dataset") == "fresh"]
    entity = {"details": {"namespace": "shop", "dataset": "fresh"}, "type": "dataset"}
    assert {json_of(one["metadataEntity"]) for one in mine} == {json_of(entity)}
    assert {one["version"] for one in mine} == {2}
    own = (await v3("GET", CHANGES, after=cursor, format="change")).body["changes"]
    numbers = [one["seq"] for one in found]
    assert numbers == sorted(set(numbers))
    births = [one["seq"] for one in own if one["urn"] == urn and one["operation"] == "create"]
    assert mine[0]["seq"] in births
    kinds = [one["type"] for one in mine]
    assert (kinds[0], kinds[-1]) == ("CREATE", "DELETE")
    assert set(kinds) == {"CREATE", "METADATA_CHANGE", "ACCESS", "DELETE"}
    people = [one for one in mine if "USER" in one["payload"].get("previous", {})]
    assert people[1]["payload"] == {
        "previous": {"USER": said(a="1")},
        "additions": {"USER": said(a="2")},
        "deletions": {"USER": said(a="1")},
    }
    (access,) = [one for one in mine if one["type"] == "ACCESS"]
    assert access["payload"]["accessType"] == "READ"
    assert access["payload"]["accessor"]["details"]["program"] == "Load"
    assert access["payload"]["accessor"]["details"]["application"] == "etl"


def json_of(document: Any) -> str:
    return repr(sorted(document.items(), key=str))


@pytest.mark.each_store
async def test_slices_are_the_whole_and_the_cursor_moves_over_what_is_no_record(v3: Any, shop: None) -> None:
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
    # A client that asks for all it can get gets the most there is for one answer.
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


async def test_records_come_as_events_and_are_resumed(
    v3: Any, shop: None, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    whole = (await v3("GET", CHANGES)).body["changes"]
    path = f"{jp_base_url}colophon/v3/{CHANGES}/stream"
    events = await streaming(jp_http_port, path, jp_auth_header | {"Last-Event-ID": str(whole[0]["seq"])})
    assert (await events.next()).kind == "hello"  # type: ignore[union-attr]
    assert await events.until(lambda one: one["seq"] == whole[-1]["seq"]) == whole[1:]
    await v3("POST", f"{DATASET}/metadata/tags", ["new"])
    (record,) = await events.until(lambda one: True)
    assert record["changes"]["additions"] == said("new")
    events.close()
