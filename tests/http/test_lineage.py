"""Lineage over HTTP: continuation, paths, impact, differences, and earlier states."""

from itertools import pairwise
from typing import Any

import pytest
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from support.catalog import build_metadata_value
from support.urns import build_cell_urn, build_table_urn

pytestmark = pytest.mark.each_store

A, B, C, D, E = (build_table_urn(name) for name in "abcde")
P, Q, R, S = (build_cell_urn(name) for name in "pqrs")
DAY = 86_400_000
NOON = 1_700_000_000_000


@pytest.fixture
def record(api: Any) -> Any:
    """`await record(program, run, [(data, mode)…], start, end)`."""

    async def made(program: str, run: str, touched: Any, start: int = NOON, end: int = NOON + 1) -> None:
        times = {"start": format_ms_as_iso_time(start), "end": format_ms_as_iso_time(end)}
        body = {"program": program, "runId": run, "status": "succeeded", **times}
        urn = (await api("POST", "runs", body=body, answers="run")).body["urn"]
        accesses = [{"data": one, "mode": mode} for one, mode in touched]
        await api("POST", "runs", urn, "accesses", body={"accesses": accesses}, answers="run")

    return made


@pytest.fixture
def chain(record: Any, jp_asyncio_loop: Any) -> None:
    """a - p - b - q - d and a - r - c - s - d, and d - s - e"""

    async def make() -> None:
        await record(P, "1", [(A, "read"), (B, "write")])
        await record(Q, "1", [(B, "read"), (D, "write")])
        await record(R, "1", [(A, "read"), (C, "write")])
        await record(S, "1", [(C, "read"), (D, "write"), (E, "write")])

    jp_asyncio_loop.run_until_complete(make())


async def test_a_program_has_the_title_that_its_writer_gave_it(api: Any, chain: None) -> None:
    value = {"name": "Clean the orders", "type": {"string": "COMMAND"}}
    proposal = {"urn": P, "aspect": "dataJobInfo", "operation": "upsert", "value": value}
    assert (await api("POST", "proposals", body={"proposals": [proposal]}, answers="write-results")).status == 200
    for path, params in ((("lineage",), {"urn": A}), (("lineage", "path"), {"from": A, "to": D})):
        nodes = (await api("GET", *path, params=params)).body["nodes"]
        titles = {node["urn"]: node.get("title") for node in nodes if node["urn"] in (A, P, R)}
        assert titles == {A: None, P: "Clean the orders", R: None}


async def test_all_shortest_paths_are_found_with_only_their_edges(api: Any, chain: None, record: Any) -> None:
    await record(build_cell_urn("long"), "1", [(A, "read"), (build_table_urn("x"), "write")])
    found = (await api("GET", "lineage", "path", params={"from": A, "to": D}, answers="lineage-path")).body
    assert (found["levels"], found["count"], found["truncated"]) == (2, 2, False)
    assert sorted(found["paths"]) == sorted([[A, P, B, Q, D], [A, R, C, S, D]])
    assert {node["urn"] for node in found["nodes"]} == {A, B, C, D, P, Q, R, S}
    assert {(edge["source"], edge["target"]) for edge in found["edges"]} == {
        (one, other) for path in found["paths"] for one, other in pairwise(path)
    }
    back = (await api("GET", "lineage", "path", params={"from": D, "to": A}, answers="lineage-path")).body
    assert (back["levels"], back["count"], back["paths"], back["edges"]) == (None, 0, [], [])
    here = (await api("GET", "lineage", "path", params={"from": A, "to": A}, answers="lineage-path")).body
    assert (here["levels"], here["paths"]) == (0, [[A]])
    late = {"from": A, "to": D, "start": format_ms_as_iso_time(NOON + 5)}
    assert (await api("GET", "lineage", "path", params=late, answers="lineage-path")).body["levels"] is None
    assert (await api("GET", "lineage", "path", params={"from": A, "to": build_table_urn("none")})).status == 404


async def test_paths_are_counted_beyond_the_limit(api: Any, record: Any) -> None:
    for step in range(5):
        for way in range(3):
            touched = [(build_table_urn(f"t{step}"), "read"), (build_table_urn(f"t{step + 1}"), "write")]
            await record(build_cell_urn(f"c{step}{way}"), "1", touched)
    params = {"from": build_table_urn("t0"), "to": build_table_urn("t5")}
    found = (await api("GET", "lineage", "path", params=params, answers="lineage-path")).body
    assert (found["levels"], found["count"], len(found["paths"]), len(found["edges"])) == (5, 243, 100, 30)


async def test_impact_counts_downstream_entities_by_type(api: Any, chain: None) -> None:
    await api("PUT", "entities", D, "aspects", "businessMetadata", body=build_metadata_value({"owner": "ada"}))
    found = (await api("GET", "lineage", "impact", params={"urn": A}, answers="lineage-impact")).body
    assert (found["total"], found["truncated"]) == (8, False)
    assert found["byType"] == [{"name": "dataJob", "count": 4}, {"name": "dataset", "count": 4}]
    assert found["byOwner"] == [{"name": "", "count": 7}, {"name": "ada", "count": 1}]
    assert sum(one["count"] for one in found["byNamespace"]) == 8
    near = (await api("GET", "lineage", "impact", params={"urn": A, "levels": 1}, answers="lineage-impact")).body
    assert near["total"] == 4
    assert (await api("GET", "lineage", "impact", params={"urn": E}, answers="lineage-impact")).body["total"] == 0


async def test_impact_reads_owners_of_every_aspect(api: Any, chain: None) -> None:
    owners = {"owners": [{"owner": "urn:li:corpuser:eve", "type": "DATAOWNER"}]}
    assert (await api("PUT", "entities", D, "aspects", "ownership", body=owners)).status == 200
    # Clients' copies in other properties are not an owner, neither here nor in search.
    copied = {"customProperties": {"owner": "eve@example.org"}}
    assert (await api("PUT", "entities", D, "aspects", "datasetProperties", body=copied)).status == 200
    assert (await api("PUT", "entities", C, "aspects", "datasetProperties", body=copied)).status == 200
    found = (await api("GET", "lineage", "impact", params={"urn": A}, answers="lineage-impact")).body
    assert found["byOwner"] == [{"name": "", "count": 7}, {"name": "eve", "count": 1}]
    facets = (await api("GET", "search", params={"q": "*"}, answers="search-results")).body["facets"]
    assert facets["owner"] == [{"value": "eve", "count": 1}]


async def test_labels_have_tags_and_first_owner(api: Any, chain: None) -> None:
    await api(
        "PUT",
        "entities",
        D,
        "aspects",
        "businessMetadata",
        body=build_metadata_value({"owner": "ada"}, tags=["pii", "faa"]),
    )
    body = {"urns": [D, A, D, build_table_urn("none"), "urn:li:corpuser:eve"]}
    found = (await api("POST", "lineage", "labels", body=body, answers="lineage-labels")).body["nodes"]
    assert found[0] == {"urn": D, "tags": ["faa", "pii"], "owner": "ada"}
    assert found[1] == {"urn": A, "tags": [], "owner": None}
    assert (await api("POST", "lineage", "labels", body={"urns": ["wrong"]})).status == 400


async def test_diff_has_added_and_removed_edges(api: Any, record: Any) -> None:
    await record(P, "old", [(A, "read"), (B, "write")], NOON, NOON + 1)
    await record(P, "new", [(A, "read"), (C, "write")], NOON + 30 * DAY, NOON + 30 * DAY + 1)
    params = {"urn": A, "from": NOON + DAY, "to": NOON + 31 * DAY}
    found = (await api("GET", "lineage", "diff", params=params, answers="lineage-diff")).body
    assert [(one["source"], one["target"]) for one in found["added"]] == [(P, C)]
    assert [(one["source"], one["target"]) for one in found["removed"]] == [(P, B)]
    assert {node["urn"] for node in found["nodes"]} == {A, B, C, P}
    wide = (await api("GET", "lineage", "diff", params=params | {"window": "60d"}, answers="lineage-diff")).body
    assert ([one["target"] for one in wide["added"]], wide["removed"]) == ([C], [])
    for wrong in ({"window": "long"}, {"window": "-1d"}, {"from": NOON + 40 * DAY}):
        assert (await api("GET", "lineage", "diff", params=params | wrong)).status == 400


async def test_diff_has_edges_that_exist_at_both_times_and_differ(api: Any) -> None:
    async def report(
        program: str,
        day: int,
        code: str,
        transformation: str,
        modes: tuple[str, str] = ("read", "write"),
        statement: int | None = None,
    ) -> None:
        time = format_ms_as_iso_time(NOON + day * DAY)
        body = {"program": program, "runId": f"{day}", "status": "succeeded", "start": time, "end": time}
        urn = (await api("POST", "runs", body=body | {"facts": {"sourceHash": code}}, answers="run")).body["urn"]
        part = {} if statement is None else {"statement": statement}
        accesses = [{"data": data, "mode": mode} | part for data, mode in zip((A, B), modes, strict=True)]
        column = {"source": A, "sourceField": "x", "target": B, "targetField": "y", "transformation": transformation}
        sent = {"accesses": accesses, "columns": [column]}
        assert (await api("POST", "runs", urn, "accesses", body=sent)).status == 200

    cases = {
        "same": (("1", "identity"), ("1", "identity")),
        "code": (("1", "identity"), ("2", "identity")),
        "columns": (("1", "identity"), ("1", "aggregation")),
        "access": (("1", "identity"), ("1", "identity", ("both", "write"))),
        "statement": (("1", "identity"), ("1", "identity", ("read", "write"), 1)),
    }
    for name, (first, second) in cases.items():
        await report(build_cell_urn(name), 0, *first)
        await report(build_cell_urn(name), 30, *second)
    params = {"urn": A, "from": NOON + DAY, "to": NOON + 31 * DAY}
    found = (await api("GET", "lineage", "diff", params=params, answers="lineage-diff")).body
    changed: dict[str, dict[str, list[str]]] = {}
    for one in found["changed"]:
        source, target = one["edge"]["source"], one["edge"]["target"]
        program = target if source == A else source
        changed.setdefault(program, {})["read" if source == A else "write"] = one["changes"]
    statements = {"read": ["statements"], "write": ["statements"]}
    assert changed == {
        build_cell_urn("code"): {"read": ["program"], "write": ["program"]},
        build_cell_urn("columns"): {"read": ["columns"], "write": ["columns"]},
        build_cell_urn("access"): {"read": ["access"]},
        build_cell_urn("statement"): statements,
    }
    # Data that are now written, too, have one more edge.
    assert [(one["source"], one["target"]) for one in found["added"]] == [(build_cell_urn("access"), A)]
    assert (found["removed"], found["truncated"]) == ([], False)
    assert {node["urn"] for node in found["nodes"]} == {A, B, *map(build_cell_urn, cases)} - {build_cell_urn("same")}


async def test_traversal_continues_from_its_frontier(api: Any, chain: None) -> None:
    params = {"urn": A, "direction": "downstream", "levels": 1}
    found = (await api("GET", "lineage", params=params, answers="lineage")).body
    assert sorted(found["frontier"]) == [B, C]
    visited = [node["urn"] for node in found["nodes"]]
    body = {"frontier": found["frontier"], "visited": visited, "direction": "downstream", "levels": 3}
    rest = (await api("POST", "lineage", "next", body=body, answers="lineage")).body
    edges = {(one["source"], one["target"]) for one in (*found["edges"], *rest["edges"])}
    whole = (await api("GET", "lineage", params=params | {"levels": 9}, answers="lineage")).body
    assert edges == {(one["source"], one["target"]) for one in whole["edges"]}
    assert len(found["edges"]) + len(rest["edges"]) == len(whole["edges"])
    for wrong in (
        {"frontier": []},
        {"frontier": ["x"]},
        {"frontier": [A, "urn:li:custom:(x)"]},
        {"frontier": [A], "levels": 0},
        {},
    ):
        assert (await api("POST", "lineage", "next", body=wrong)).status == 400
    backwards = {"frontier": [A], "start": "now", "end": "now-1d"}
    assert (await api("POST", "lineage", "next", body=backwards)).status == 400


async def test_undirected_lineage_equals_cdap_lineage(api: Any, chain: None) -> None:
    found = (await api("GET", "lineage", params={"urn": E, "direction": "undirected"}, answers="lineage")).body
    assert {node["urn"] for node in found["nodes"]} == {C, D, E, S}
    assert sorted(found["frontier"]) == [C, D]


async def test_edge_has_its_source_and_as_of_hides_later_ones(api: Any, chain: None) -> None:
    found = (await api("GET", "lineage", params={"urn": A}, answers="lineage")).body
    runs = (await api("GET", "runs", answers="runs")).body["runs"]
    actors = {run["urn"]: run["actor"] for run in runs}
    assert all(edge["reportedBy"] == actors[edge["runs"][0]] for edge in found["edges"])
    assert not any(edge["declared"] for edge in found["edges"])
    later = (await api("GET", "lineage", params={"urn": A, "asOf": "now+1d"}, answers="lineage")).body
    assert later["edges"] == found["edges"]
    assert (await api("GET", "lineage", params={"urn": A, "asOf": "now-1d"})).status == 404


async def test_declared_edge_connects_data_and_names_its_source(api: Any, record: Any) -> None:
    await record(P, "1", [(A, "read"), (B, "write")])
    value = {"upstreams": [{"dataset": B}, {"dataset": build_table_urn("unheard")}]}
    assert (await api("PUT", "entities", C, "aspects", "upstreamLineage", body=value)).status == 200
    found = (await api("GET", "lineage", params={"urn": C, "levels": 2}, answers="lineage")).body
    assert {one["urn"] for one in found["nodes"]} == {A, B, C, P, build_table_urn("unheard")}
    edges = [one for one in found["edges"] if one["declared"]]
    assert {(one["source"], one["target"], one["access"]) for one in edges} == {
        (B, C, "declared"),
        (build_table_urn("unheard"), C, "declared"),
    }
    (who,) = {one["reportedBy"] for one in edges}
    assert (bool(who), {(one["runCount"], one["end"]) for one in edges}) == (True, {(0, None)})
    assert {one["urn"]: one["deleted"] for one in found["nodes"]}[build_table_urn("unheard")] is True
    other = (await api("GET", "lineage", params={"urn": build_table_urn("unheard")}, answers="lineage")).body
    assert [(one["source"], one["target"]) for one in other["edges"]] == [(build_table_urn("unheard"), C)]
    # Neighbours that are not shown are counted at their data, and a traversal continues from there.
    rim = (await api("GET", "lineage", params={"urn": C, "limit": 2}, answers="lineage")).body
    assert (rim["truncated"], C in rim["frontier"]) == (True, True)
    way = (await api("GET", "lineage", "path", params={"from": A, "to": C}, answers="lineage-path")).body
    assert (way["levels"], way["count"], way["paths"]) == (2, 1, [[A, P, B, C]])
    assert [(one["source"], one["target"]) for one in way["edges"]] == [(A, P), (P, B), (B, C)]


async def test_hidden_neighbours_of_declared_data_are_counted_as_data(api: Any, record: Any) -> None:
    await record(P, "1", [(C, "read"), (D, "write")])
    value = {"upstreams": [{"dataset": A}, {"dataset": B}, {"dataset": E}]}
    assert (await api("PUT", "entities", C, "aspects", "upstreamLineage", body=value)).status == 200
    found = (await api("GET", "lineage", params={"urn": D}, answers="lineage")).body
    (node,) = [one for one in found["nodes"] if one["urn"] == C]
    assert node["notShown"] == {"upstream": 3, "downstream": 0}


async def test_omitted_column_edges_are_reported_as_truncated(api: Any, record: Any) -> None:
    await record(P, "1", [(A, "read"), (B, "write")])
    run = (await api("GET", "runs", params={"program": P})).body["runs"][0]["urn"]
    touched = [{"data": A, "mode": "read"}, {"data": B, "mode": "write"}]
    for part, is_cut in ((range(10_000), False), (range(10_000, 10_001), True)):
        ends = {"source": A, "target": B, "transformation": "identity"}
        columns = [{**ends, "sourceField": f"f{n}", "targetField": f"f{n}"} for n in part]
        body = {"accesses": touched, "columns": columns}
        assert (await api("POST", "runs", run, "accesses", body=body)).status == 200
        found = (await api("GET", "lineage", params={"urn": B, "columns": "true"}, answers="lineage")).body
        assert (len(found["columns"]), found["truncated"]) == (10_000, is_cut)


async def test_omitted_edge_components_are_reported_as_truncated(api: Any, record: Any) -> None:
    await record(P, "1", [(B, "write")])
    run = (await api("GET", "runs", params={"program": P})).body["runs"][0]["urn"]
    names = [f"c{number:02}" for number in range(21)]
    for part, is_cut in ((names[:20], False), (names[20:], True)):
        touched = [{"data": A, "mode": "read", "component": name} for name in part]
        assert (await api("POST", "runs", run, "accesses", body={"accesses": touched})).status == 200
        found = (await api("GET", "lineage", params={"urn": B}, answers="lineage")).body
        (edge,) = [one for one in found["edges"] if one["source"] == A]
        assert (edge["components"], found["truncated"]) == (names[:20], is_cut)


async def test_paths_and_differences_report_components_that_were_left_out(api: Any, record: Any) -> None:
    await record(P, "1", [(B, "write")])
    run = (await api("GET", "runs", params={"program": P})).body["runs"][0]["urn"]
    reads = (
        ("path", {"from": A, "to": B}),
        ("diff", {"urn": B, "from": format_ms_as_iso_time(0), "to": format_ms_as_iso_time(NOON + 2)}),
    )
    for part, is_cut in ((range(20), False), (range(20, 21), True)):
        touched = [{"data": A, "mode": "read", "component": f"c{number:02}"} for number in part]
        assert (await api("POST", "runs", run, "accesses", body={"accesses": touched})).status == 200
        for name, params in reads:
            found = (await api("GET", "lineage", name, params=params, answers=f"lineage-{name}")).body
            edges = [*found.get("edges", ()), *found.get("added", ())]
            (edge,) = [one for one in edges if one["source"] == A]
            assert (len(edge["components"]), found["truncated"]) == (20, is_cut), name


async def test_a_time_that_cannot_be_read_is_named(api: Any, chain: None) -> None:
    for name in ("start", "end", "asOf"):
        refused = [
            await api("GET", "lineage", params={"urn": A, name: "rubbish"}),
            await api("POST", "lineage", "next", body={"frontier": [A], name: "rubbish"}),
        ]
        for one in refused:
            assert one.status == 400
            assert one.body["detail"].startswith(f"{name}: expected a time such as ")


async def test_a_parameter_that_is_missing_is_named(api: Any) -> None:
    for path, name in ((("lineage",), "urn"), (("lineage", "path"), "from"), (("export",), "namespace")):
        refused = await api("GET", *path)
        assert (refused.status, refused.body["detail"]) == (400, f"parameter {name!r} is required")


async def test_run_and_edge_list_versions_of_table(api: Any) -> None:
    start = {"program": P, "runId": "versions", "start": format_ms_as_iso_time(NOON)}
    urn = (await api("POST", "runs", body=start, answers="run")).body["urn"]
    reads = [{"data": A, "mode": "read", "tableVersion": version, "statement": 0} for version in ("3", "4", "3")]
    write = {"data": B, "mode": "write", "statement": 0}
    await api("POST", "runs", urn, "accesses", body={"accesses": [*reads, write]}, answers="run")
    loop = [{"data": B, "mode": "write", "tableVersion": str(version)} for version in range(30)]
    run = (await api("POST", "runs", urn, "accesses", body={"accesses": loop}, answers="run")).body
    newest = [str(version) for version in range(10, 30)]
    assert {access["data"]: access["tableVersions"] for access in run["accesses"]} == {A: ["4", "3"], B: newest}
    listed = (await api("GET", "runs", urn, "accesses", answers="run-accesses")).body["accesses"]
    assert [entity.get("tableVersions") for entity in listed if entity["urn"] in (A, P)] == [None, ["4", "3"]]
    edges = (await api("GET", "lineage", params={"urn": P}, answers="lineage")).body["edges"]
    assert {edge["source"]: edge["tableVersions"] for edge in edges} == {A: ["3", "4"], P: newest[::-1]}
    renamed = await api("POST", "entities", A, "rename", body={"to": C})
    assert renamed.status == 200
    moved = (await api("GET", "runs", urn, answers="run")).body["accesses"]
    assert {access["data"]: access["tableVersions"] for access in moved} == {C: ["4", "3"], B: newest}
    refused = await api("POST", "runs", urn, "accesses", body={"accesses": [write | {"tableVersion": 3}]})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/accesses/0/tableVersion")
