"""The impact of a column: what is derived from it, and what may use it because its columns are unknown."""

from typing import Any

import pytest
from support.urns import build_cell_urn, build_table_urn

pytestmark = pytest.mark.each_store

A, B, C, D, E, F = (build_table_urn(name) for name in "abcdef")
P, Q, R, S = (build_cell_urn(name) for name in "pqrs")
NOON = "2026-11-20T12:00:00.000Z"


def column_urn(table: str, path: str) -> str:
    return f"urn:li:schemaField:({table},{path})"


@pytest.fixture
def record(api: Any) -> Any:
    """`await record(program, reads, writes, [(source, field, target, field, transformation)…])`."""

    async def made(program: str, reads: list[str], writes: list[str], *columns: tuple[str, str, str, str, str]) -> None:
        body = {"program": program, "runId": "1", "status": "succeeded", "start": NOON, "end": NOON}
        urn = (await api("POST", "runs", body=body, answers="run")).body["urn"]
        accesses = [{"data": one, "mode": "read", "statement": 0} for one in reads]
        accesses += [{"data": one, "mode": "write", "statement": 0} for one in writes]
        names = ("source", "sourceField", "target", "targetField", "transformation")
        edges = [dict(zip(names, one, strict=True)) for one in columns]
        await api("POST", "runs", urn, "accesses", body={"accesses": accesses, "columns": edges}, answers="run")

    return made


async def impact_of(api: Any, table: str, path: str, **more: Any) -> dict[str, Any]:
    params = {"urn": column_urn(table, path), **more}
    body: dict[str, Any] = (await api("GET", "lineage", "column-impact", params=params, answers="column-impact")).body
    return body


def reached(body: dict[str, Any]) -> dict[str, tuple[int, str]]:
    return {f"{one['name']}.{one['column']}": (one["level"], one["dependency"]) for one in body["columns"]}


async def test_values_and_control_are_apart(api: Any, record: Any) -> None:
    await record(P, [A], [B], (A, "x", B, "y", "identity"), (A, "x", B, "z", "filter"), (A, "w", B, "v", "identity"))
    await record(Q, [B], [C], (B, "y", C, "total", "aggregation"), (B, "z", C, "count", "identity"))
    found = await impact_of(api, A, "x")
    assert reached(found) == {
        "b.y": (1, "data"),
        "b.z": (1, "control"),
        "c.total": (2, "data"),
        # The values that flow on are filtered by the column.
        "c.count": (2, "control"),
    }
    assert (found["mayUse"], found["truncated"]) == ([], False)
    (first, *_) = found["columns"]
    assert (first["urn"], first["program"], first["transformation"]) == (column_urn(B, "y"), P, "identity")
    assert reached(await impact_of(api, A, "x", levels=1)) == {"b.y": (1, "data"), "b.z": (1, "control")}
    assert reached(await impact_of(api, A, "w")) == {"b.v": (1, "data")}
    assert reached(await impact_of(api, C, "total")) == {}


async def test_dependency_by_values_counts_more_than_a_shorter_one_by_control(api: Any, record: Any) -> None:
    await record(P, [A], [B, C], (A, "x", B, "y", "identity"), (A, "x", C, "z", "join"))
    await record(Q, [B], [C], (B, "y", C, "z", "identity"))
    await record(R, [C], [D], (C, "z", D, "end", "identity"))
    assert reached(await impact_of(api, A, "x")) == {
        "b.y": (1, "data"),
        "c.z": (1, "data"),
        "d.end": (2, "data"),
    }


async def test_cycle_ends(api: Any, record: Any) -> None:
    await record(P, [A], [B], (A, "x", B, "y", "identity"))
    await record(Q, [B], [A], (B, "y", A, "x", "identity"))
    assert reached(await impact_of(api, A, "x")) == {"b.y": (1, "data")}


async def test_what_uses_a_table_without_known_columns_may_use_the_column(api: Any, record: Any) -> None:
    await record(P, [A], [B], (A, "x", B, "y", "identity"))
    # Columns are unknown from here on: everything downstream of it may use the column too.
    await record(Q, [B], [C])
    await record(R, [C], [D])
    # This program only reads, and this one uses another column.
    await record(S, [A], [])
    await record(build_cell_urn("known"), [A], [E], (A, "w", E, "v", "identity"))
    found = await impact_of(api, A, "x")
    assert reached(found) == {"b.y": (1, "data")}
    assert {one["urn"] for one in found["mayUse"]} == {S, Q, C, R, D}
    assert [one["urn"] for one in found["mayUse"]][-1] == D
    assert {one["urn"] for one in (await impact_of(api, A, "w"))["mayUse"]} == {S}


async def test_declared_lineage_has_no_program(api: Any) -> None:
    fine = {
        "upstreamType": "FIELD_SET",
        "downstreamType": "FIELD",
        "upstreams": [column_urn(A, "x")],
        "downstreams": [column_urn(B, "y")],
        "transformOperation": "identity",
    }
    for target, edges in ((B, [fine]), (C, [])):
        value = {"upstreams": [{"dataset": A, "type": "TRANSFORMED"}], "fineGrainedLineages": edges}
        assert (await api("PUT", "entities", target, "aspects", "upstreamLineage", body=value)).status == 200
    found = await impact_of(api, A, "x")
    assert [(one["urn"], one["program"]) for one in found["columns"]] == [(column_urn(B, "y"), None)]
    assert [one["urn"] for one in found["mayUse"]] == [C]


async def test_only_columns_of_known_datasets_have_an_impact(api: Any, record: Any) -> None:
    await record(P, [A], [B], (A, "x", B, "y", "identity"))
    schema = {"fields": [{"fieldPath": "only", "nativeDataType": "int"}]}
    assert (await api("PUT", "entities", A, "aspects", "schemaMetadata", body=schema)).status == 200
    assert reached(await impact_of(api, A, "only")) == {}
    # A column that was removed from the schema still has lineage.
    assert reached(await impact_of(api, A, "x")) == {"b.y": (1, "data")}
    for urn, status in ((A, 400), (column_urn(A, "none"), 404), (column_urn(build_table_urn("none"), "x"), 404)):
        assert (await api("GET", "lineage", "column-impact", params={"urn": urn})).status == status
