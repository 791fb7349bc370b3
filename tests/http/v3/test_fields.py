"""Lineage of fields through `/colophon/v3`."""

from typing import Any

import pytest
from jupyter_colophon.core.time_format import format_ms_as_iso_time

pytestmark = pytest.mark.each_store

EVER = {"start": "0", "end": "now+1d"}
LOAD = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,shop),flows.Load)"
JOIN = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,shop),spark.Join)"
CLICKS = "urn:li:dataset:(urn:li:dataPlatform:stream,shop.clicks,PROD)"
ORDERS = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.orders,PROD)"
REPORT = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.report,PROD)"
FIELDS = "namespaces/shop/datasets/orders/lineage/fields"


def made(source: str, source_field: str, target: str, target_field: str, how: str = "identity") -> dict[str, str]:
    return {
        "source": source,
        "sourceField": source_field,
        "target": target,
        "targetField": target_field,
        "transformation": how,
    }


@pytest.fixture
def known(api: Any, v3: Any, shop: None, jp_asyncio_loop: Any) -> None:
    """Load makes orders of clicks, at 1,000 s with other columns than at 2,000 s; Join makes the report at 3,000 s."""

    async def record(program: str, run: str, second: int, source: str, target: str, columns: Any) -> None:
        time = format_ms_as_iso_time(second * 1000)
        body = {"program": program, "runId": run, "status": "succeeded", "start": time, "end": time}
        urn = (await api("POST", "runs", body=body)).body["urn"]
        accesses = [{"data": source, "mode": "read"}, {"data": target, "mode": "write"}]
        reported = await api("POST", "runs", urn, "accesses", body={"accesses": accesses, "columns": columns})
        assert reported.status == 200

    async def make() -> None:
        schema = {"type": "record", "name": "o", "fields": [{"name": "page", "type": "string"}]}
        schema["fields"] += [{"name": "note", "type": "string"}]  # type: ignore[operator]  # the list from above
        await v3("PUT", "namespaces/shop/datasets/orders", {"properties": {"schema": schema}})
        first = [made(CLICKS, "page", ORDERS, "page"), made(CLICKS, "old", ORDERS, "gone")]
        await record(LOAD, "1", 1_000, CLICKS, ORDERS, first)
        second = [made(CLICKS, "page", ORDERS, "page"), made(CLICKS, "at", ORDERS, "day", "transformation")]
        await record(LOAD, "2", 2_000, CLICKS, ORDERS, second)
        await record(JOIN, "3", 3_000, ORDERS, REPORT, [made(ORDERS, "day", REPORT, "days", "aggregation")])

    jp_asyncio_loop.run_until_complete(make())


async def test_fields_that_have_lineage_in_the_window_are_named(v3: Any, known: None) -> None:
    assert (await v3("GET", FIELDS, **EVER)).body == ["day", "gone", "page"]
    assert (await v3("GET", FIELDS, start=1_000, end=1_001)).body == ["gone", "page"]
    assert (await v3("GET", FIELDS, start=1_500, end=2_500)).body == ["day", "page"]
    assert (await v3("GET", FIELDS, prefix="p", **EVER)).body == ["page"]
    current = (await v3("GET", FIELDS, includeCurrent="true", **EVER)).body
    assert {field["name"]: field["lineage"] for field in current} == {
        "day": True,
        "gone": True,
        "note": False,
        "page": True,
    }
    assert (await v3("GET", "namespaces/shop/streams/clicks/lineage/fields", **EVER)).body == ["at", "old", "page"]


async def test_field_lineage_has_both_directions(v3: Any, known: None) -> None:
    both = (await v3("GET", f"{FIELDS}/day", direction="both", **EVER)).body
    stream = {"namespace": "shop", "stream": "clicks", "entity": "STREAM"}
    report = {"namespace": "shop", "dataset": "report", "entity": "DATASET"}
    assert both == {
        "incoming": [{"dataset": stream, "fields": ["at"]}],
        "outgoing": [{"dataset": report, "fields": ["days"]}],
    }
    assert (await v3("GET", f"{FIELDS}/day", direction="incoming", **EVER)).body.keys() == {"incoming"}
    early = (await v3("GET", f"{FIELDS}/gone", direction="both", start=1_500, end=9_000)).body
    assert early == {"incoming": [], "outgoing": []}


async def test_operations_have_programs_and_last_execution(v3: Any, known: None) -> None:
    found = (await v3("GET", f"{FIELDS}/page/operations", direction="incoming", **EVER)).body
    (group,) = found["incoming"]
    (program,) = group["programs"]
    assert (program["program"]["program"], program["lastExecutedTimeInSeconds"]) == ("Load", 2_000)
    read, step, write = group["operations"]
    assert read["inputs"] == {"endPoint": {"namespace": "shop", "name": "clicks"}}
    assert read["outputs"] == {"fields": ["page"]}
    assert step["inputs"] == {"fields": [{"origin": read["name"], "name": "page"}]}
    assert write["inputs"] == {"fields": [{"origin": step["name"], "name": "page"}]}
    assert write["outputs"] == {"endPoint": {"namespace": "shop", "name": "orders"}}
    assert all(operation["description"] for operation in group["operations"])
    either = (await v3("GET", f"{FIELDS}/day/operations", **EVER)).body
    assert either.keys() == {"incoming", "outgoing"}


async def test_all_fields_are_returned_as_relations(v3: Any, known: None) -> None:
    path = "namespaces/shop/datasets/orders/lineage/allfieldlineage"
    found = (await v3("GET", path, direction="both", start=1_500, end=9_000)).body
    assert (found["direction"], found["start-ts"], found["end-ts"]) == ("both", 1_500, 9_000)
    assert found["entityId"] == {"namespace": "shop", "dataset": "orders", "entity": "DATASET"}
    assert found["fields"] == ["day", "note", "page"]
    (incoming,) = found["incoming"]
    assert incoming["fieldCount"] == 2
    assert incoming["relations"] == [
        {"source": "at", "destination": "day"},
        {"source": "page", "destination": "page"},
    ]
    (outgoing,) = found["outgoing"]
    assert (outgoing["fieldCount"], outgoing["relations"]) == (1, [{"source": "day", "destination": "days"}])


async def test_direction_is_required_and_checked(v3: Any, known: None) -> None:
    for path in (f"{FIELDS}/day", "namespaces/shop/datasets/orders/lineage/allfieldlineage"):
        for params in ({}, {"direction": "up"}):
            assert (await v3("GET", path, **EVER, **params)).status == 400
        assert (await v3("GET", path, direction="both", start="0")).status == 400
    assert (await v3("GET", "namespaces/shop/datasets/nothing/lineage/fields", **EVER)).status == 404
