"""Which dataset an event of OpenLineage is about: symlinks in some events alone, prefixes of platform instances, hidden tables."""

from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn
from support.openlineage import RUN, build_event, build_event_dataset
from support.urns import build_table_urn

pytestmark = pytest.mark.each_store

LINEAGE = ("api", "v1", "lineage")
LINKED = {"identifiers": [{"namespace": "hive://metastore:9083", "name": "sales.orders", "type": "TABLE"}]}
SCHEMA = {"fields": [{"name": "id", "type": "INT"}]}
TABLE, PLACE = build_table_urn("orders"), "urn:li:dataset:(urn:li:dataPlatform:file,/warehouse/orders,PROD)"
EAST = "urn:li:dataset:(urn:li:dataPlatform:postgres,east.shop.public.t,PROD)"
SECRET = build_table_urn("orders", "secret")


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    more = {
        "platform_instances": [("postgres://east*", "east")],
        "policy": "support.policies.HiddenAndReadOnlyNamespaces",
    }
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | more}


def place(**facets: Any) -> dict[str, Any]:
    return build_event_dataset("/warehouse/orders", "file", own={"quality": {"rows": 7}}, **facets)


EVENTS = [
    build_event("START", 1, outputs=[place(schema=SCHEMA)]),
    build_event("COMPLETE", 2, outputs=[place(symlinks=LINKED)], inputs=[build_event_dataset("in", "file")]),
    build_event("COMPLETE", 3, run=RUN.replace("01a1", "02a1"), job="read", inputs=[place()]),
    {
        **{
            key: value
            for key, value in build_event("OTHER", 4, job="plain", inputs=[place()]).items()
            if key != "eventType"
        },
        "outputs": [build_event_dataset("out", "file")],
    }
    | {"run": {"runId": RUN.replace("01a1", "03a1")}},
]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (1, 0, 2, 3), (3, 2, 1, 0)])
async def test_events_by_path_and_by_table_are_one_dataset(order: tuple[int, ...], openlineage: Any, api: Any) -> None:
    for at in order:
        assert (await openlineage("POST", *LINEAGE, body=EVENTS[at])).status == 201
    assert (await api("GET", "entities", PLACE)).status == 404
    schema = (await api("GET", "entities", TABLE, "aspects", "schemaMetadata")).body["value"]
    assert [one["fieldPath"] for one in schema["fields"]] == ["id"]
    found = (await api("GET", "lineage", params={"urn": TABLE, "direction": "both"})).body
    ends = ({edge["source"], edge["target"]} for edge in found["edges"])
    assert {job for one in ends if TABLE in one for job in one - {TABLE}} == {
        f"urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),{job})" for job in ("load", "read", "plain")
    }
    run = (await api("GET", "runs", f"urn:li:dataProcessInstance:{RUN}")).body
    assert [one["data"] for one in run["accesses"] if one["mode"] == "write"] == [TABLE]
    # By OpenLineage's name of its files, it is the same.
    reported = (await openlineage("GET", "api", "v1", "namespaces", "file", "datasets", "/warehouse/orders")).body
    assert set(reported["facets"]) == {"schema", "symlinks"}


async def test_other_metadata_of_the_location_stays_there(openlineage: Any, api: Any) -> None:
    assert (await openlineage("POST", *LINEAGE, body=EVENTS[0])).status == 201
    value = {"properties": {"owner": "ops"}, "tags": []}
    assert (await api("PUT", "entities", PLACE, "aspects", "businessMetadata", body=value)).status == 200
    assert (await openlineage("POST", *LINEAGE, body=EVENTS[1])).status == 201
    assert (await api("GET", "entities", PLACE, "aspects", "businessMetadata")).body["value"] == value
    assert (await api("GET", "lineage", params={"urn": PLACE})).body["edges"] == []


async def test_setting_distinguishes_servers_of_a_platform(openlineage: Any, api: Any) -> None:
    reported = build_event(
        inputs=[build_event_dataset("shop.public.t", "postgres://east:5432")],
        outputs=[build_event_dataset("shop.public.t")],
    )
    assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201
    run = (await api("GET", "runs", f"urn:li:dataProcessInstance:{RUN}")).body
    assert {(one["mode"], one["data"]) for one in run["accesses"]} == {
        ("read", EAST),
        ("write", EAST.replace("east.", "db:5432/")),
    }


async def test_captured_read_over_jdbc_and_event_are_one_dataset(openlineage: Any, api: Any) -> None:
    captured = build_jdbc_urn("jdbc:postgresql://db/shop?user=bob&password=hunter2", "public.orders")
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.a.ipynb#1)"
    run = await api("POST", "runs", body={"program": program, "runId": "r1", "start": "2026-11-20T12:00:00Z"})
    access = {"data": captured, "mode": "read", "time": "2026-11-20T12:00:01Z"}
    added = await api("POST", "runs", run.body["urn"], "accesses", body={"accesses": [access]})
    assert added.status == 200, added.body
    names = ("shop.public.orders", "postgres://DB:5432"), ("shop.public.orders", "postgres")
    for number, name in enumerate(names):
        reported = build_event(
            run=RUN.replace("01a1", f"0{number}a1"), inputs=[build_event_dataset(*name, schema=SCHEMA)]
        )
        assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201
    listed = (await api("GET", "entities", params={"type": "dataset"})).body["entities"]
    # An event without a server may be about a table of any of them: it remains a separate dataset.
    apart = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
    assert {one["urn"] for one in listed} == {captured, apart}
    runs = (await api("GET", "runs", params={"data": captured})).body["runs"]
    assert {one["program"] for one in runs} == {program, "urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),load)"}
    schema = (await api("GET", "entities", captured, "aspects", "schemaMetadata")).body["value"]
    assert [one["fieldPath"] for one in schema["fields"]] == ["id"]


class TestPolicies:
    """Namespaces that a policy hides or makes read-only, through both APIs."""

    @pytest.fixture
    def openlineage(self, openlineage: Any, kernel: Any, jp_asyncio_loop: Any) -> Any:
        """Events named tables in both namespaces; the caller is a kernel."""

        async def report() -> None:
            for name in ("secret", "shown"):
                linked = {"identifiers": [LINKED["identifiers"][0] | {"name": f"{name}.orders"}]}
                reported = build_event(
                    job=name,
                    outputs=[build_event_dataset(f"/{name}", "file", symlinks=linked)],
                    inputs=[build_event_dataset("in", "file")],
                )
                reported["run"]["runId"] = RUN.replace("01a1", "0aa1" if name == "secret" else "0ba1")
                assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201

        jp_asyncio_loop.run_until_complete(report())
        return replace(openlineage, token=kernel)

    @pytest.fixture
    def datahub(self, datahub: Any, kernel: Any) -> Any:
        return replace(datahub, token=kernel)

    async def test_hidden_entity_is_returned_by_neither_api(self, openlineage: Any, datahub: Any) -> None:
        assert set((await datahub("GET", "entitiesV2", SECRET)).body["aspects"]) == {"datasetKey"}
        assert (await datahub("GET", "aspects", SECRET, params={"aspect": "openLineage"})).status == 404
        hidden, shown = (f"urn:li:dataProcessInstance:{RUN.replace('01a1', one)}" for one in ("0aa1", "0ba1"))
        assert "dataProcessInstanceOutput" not in (await datahub("GET", "entitiesV2", hidden)).body["aspects"]
        assert "dataProcessInstanceOutput" in (await datahub("GET", "entitiesV2", shown)).body["aspects"]
        for action, body in (
            ("listUrns", {"entity": "dataset", "start": 0, "count": 100}),
            ("search", {"input": "orders", "entity": "dataset", "start": 0, "count": 100}),
        ):
            reported = (await datahub("POST", "entities", params={"action": action}, body=body)).body
            assert SECRET not in str(reported)
        counted = {"aspect": "openLineage", "urnLike": "urn:li:dataset:%secret%"}
        assert (await datahub("POST", "aspects", params={"action": "getCount"}, body=counted)).body["value"] == 0
        listed = (await openlineage("GET", "api", "v1", "namespaces", "file", "datasets")).body
        assert "secret" not in str(listed)
        node = {"nodeId": "dataset:file:in", "depth": "5"}
        graph = (await openlineage("GET", *LINEAGE, params=node)).body
        assert {one["id"] for one in graph["graph"] if one["type"] == "DATASET"} >= {"dataset:file:in"}
        assert "secret.orders" not in str(graph)

    @pytest.mark.parametrize(("name", "status"), [("secret", 404), ("shown", 403)])
    async def test_event_on_location_of_unwritable_table_is_refused(
        self, name: str, status: int, openlineage: Any, datahub: Any
    ) -> None:
        reported = build_event(run=RUN.replace("01a1", "04a1"), outputs=[build_event_dataset(f"/{name}", "file")])
        assert (await openlineage("POST", *LINEAGE, body=reported)).status == status
        aspect = {"value": "{}", "contentType": "application/json"}
        proposal = {"entityUrn": build_table_urn("orders", name), "entityType": "dataset", "changeType": "UPSERT"}
        body = {"proposal": proposal | {"aspectName": "datasetProperties", "aspect": aspect}}
        answer = await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=body)
        assert answer.status == status
