"""Entities as DataHub's clients list, search, count, write and delete them; every answer is held against the document."""

from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from support.datahub import T, build_proposal, emit_proposal, emit_proposals, read_aspect
from support.openapi_contract import DATAHUB

RUN = {"lastObserved": 1795169599357, "runId": "run1"}


def named(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,{name},PROD)"


async def act(datahub: Any, path: str, action: str, body: Any) -> Any:
    return await datahub("POST", path, params={"action": action}, body=body)


@pytest.fixture
def many(datahub: Any, jp_asyncio_loop: Any) -> None:
    """Thirty datasets, of which the last one is hidden, and a domain."""
    wishes = [build_proposal("status", {"removed": number == 29}, urn=named(f"d.t{number:02}")) for number in range(30)]
    wishes.append(
        build_proposal("datasetProperties", {"name": "Orders", "description": "of customers"}, urn=named("d.t00"))
    )
    wishes.append(build_proposal("domainProperties", {"name": "Sales"}, urn="urn:li:domain:d1"))
    assert jp_asyncio_loop.run_until_complete(emit_proposals(datahub, *wishes)).status == 200


def test_the_document_is_openapi_3_1() -> None:
    validate(DATAHUB.document, cls=OpenAPIV31SpecValidator)


async def test_the_document_is_served(datahub: Any, jp_base_url: str) -> None:
    assert (await datahub("GET", "openapi.json")).body["servers"] == [{"url": f"{jp_base_url}colophon/datahub"}]


@pytest.mark.each_store
async def test_entities_are_listed_searched_and_counted(datahub: Any, many: None) -> None:
    listed = (await act(datahub, "entities", "listUrns", {"entity": "dataset", "start": 28, "count": 10})).body["value"]
    assert (listed["total"], listed["entities"]) == (30, [named("d.t28"), named("d.t29")])
    reported = {"input": "*", "entity": "dataset", "start": 0, "count": 2}
    found = (await act(datahub, "entities", "search", reported)).body["value"]
    assert (found["numEntities"], len(found["entities"])) == (29, 2)
    words = (await act(datahub, "entities", "search", reported | {"input": "orders"})).body["value"]
    assert words["entities"] == [{"entity": named("d.t00")}]
    counted = await act(datahub, "aspects", "getCount", {"aspect": "status", "urnLike": "urn:li:dataset:%d.t0_,%"})
    assert counted.body == {"value": 10}


@pytest.mark.each_store
async def test_a_count_beyond_the_bound_is_the_bound(datahub: Any, many: None) -> None:
    most = 2**31 - 1
    listed = (await act(datahub, "entities", "listUrns", {"entity": "dataset", "start": 0, "count": most})).body[
        "value"
    ]
    assert (listed["total"], len(listed["entities"]), listed["count"]) == (30, 30, 30)
    words = {"input": "*", "entity": "dataset", "start": 0, "count": most}
    assert len((await act(datahub, "entities", "search", words)).body["value"]["entities"]) == 29
    runs = (await act(datahub, "runs", "list", {"pageOffset": 0, "pageSize": most, "includeSoft": False})).body
    assert runs["value"] == []
    moments = {"urn": named("d.t00"), "entity": "dataset", "aspect": "datasetProfile", "limit": most}
    assert (await act(datahub, "aspects", "getTimeseriesAspectValues", moments)).body["value"]["values"] == []
    for path in (("openapi", "v3", "entity", "scroll"), ("openapi", "v3", "relationship", "scroll")):
        assert (await datahub("POST", *path, params={"count": most}, body={})).status == 200


async def test_a_domain_is_found_by_its_name(datahub: Any, many: None) -> None:
    def by_name(name: str) -> dict[str, Any]:
        criteria = [{"field": "name", "values": [name], "condition": "EQUAL"}]
        return {"input": "*", "entity": "domain", "start": 0, "count": 10, "filter": {"or": [{"and": criteria}]}}

    found = (await act(datahub, "entities", "search", by_name("Sales"))).body["value"]
    assert found["entities"] == [{"entity": "urn:li:domain:d1"}]
    assert (await act(datahub, "entities", "search", by_name("Sale"))).body["value"]["numEntities"] == 0
    strange = by_name("x") | {"filter": {"or": [{"and": [{"field": "name", "condition": "SOUNDS_LIKE"}]}]}}
    reported = await act(datahub, "entities", "search", strange)
    assert reported.body["errors"][0]["pointer"] == "/filter/or/0/and/0/condition"


@pytest.mark.each_store
async def test_all_entities_are_scrolled_through(datahub: Any, many: None) -> None:
    async def scrolled(body: Any, **params: Any) -> list[str]:
        found, cursor = [], ""
        while True:
            requested = params | {"count": 7} | ({"scrollId": cursor} if cursor else {})
            page = (await datahub("POST", "openapi", "v3", "entity", "scroll", params=requested, body=body)).body
            found += [entity["urn"] for entity in page["entities"]]
            if (cursor := page["scrollId"]) is None:
                return found

    assert await scrolled({"entities": ["dataset"]}) == [named(f"d.t{number:02}") for number in range(29)]
    assert len(await scrolled({"entities": ["dataset"]}, includeSoftDelete="true")) == 30
    only = {"and": [{"criteria": [{"field": "description", "values": ["customers"], "condition": "CONTAIN"}]}]}
    assert await scrolled({"entities": ["dataset", "domain"], "filter": only}) == [named("d.t00")]


async def test_entities_are_written_patched_read_and_deleted_through_openapi(datahub: Any) -> None:
    path, system = ("openapi", "v3", "entity", "dataset"), {"systemMetadata": "true"}
    reported = await datahub("POST", *path, body=[{"urn": T, "datasetProperties": {"value": {"name": "t"}}}])
    assert reported.body == [{"urn": T, "datasetProperties": {"value": {"name": "t"}}}]
    patch = [{"op": "add", "path": "/customProperties/p", "value": "q"}]
    reported = await datahub("PATCH", *path, body=[{"urn": T, "datasetProperties": {"value": patch}}])
    assert reported.body[0]["datasetProperties"]["value"]["customProperties"] == {"p": "q"}
    wrong = await datahub("PATCH", *path, body=[{"urn": T, "status": {"value": [{"op": "remove", "path": "/x"}]}}])
    assert (wrong.status, wrong.body["errors"][0]["pointer"]) == (400, "/0/status/value/0/path")
    expected = [{"urn": T, "datasetProperties": {}}, {"urn": named("none")}]
    (read,) = (await datahub("POST", *path, "batchGet", params=system, body=expected)).body
    assert read["datasetProperties"]["systemMetadata"]["version"] == "2"
    entity = (await datahub("GET", *path, T, params={"aspects": "status"})).body
    assert entity == {"urn": T, "status": {"value": {"removed": False}}}
    held = {"value": {"name": "x"}, "headers": {"If-Version-Match": "1"}}
    assert (await datahub("POST", *path, body=[{"urn": T, "datasetProperties": held}])).status == 412
    assert (await datahub("DELETE", *path, T, params={"aspects": "datasetProperties"})).status == 200
    assert (await read_aspect(datahub, "datasetProperties")).status == 404
    assert (await datahub("DELETE", *path, T)).status == 200
    assert (await datahub("GET", *path, T)).status == 404
    assert (await datahub("POST", *path, body=[{"urn": "urn:li:tag:a", "tagProperties": {"value": {}}}])).status == 400
    assert (await datahub("POST", "openapi", "v3", "entity", "nothing", body=[])).status == 404


async def test_deletion_counts_timeseries_values(datahub: Any) -> None:
    profiles = [build_proposal("datasetProfile", {"timestampMillis": moment, "rowCount": 1}) for moment in (1, 2)]
    assert (await emit_proposals(datahub, build_proposal("status", {"removed": False}), *profiles)).status == 200
    gone = (await act(datahub, "entities", "delete", {"urn": T})).body["value"]
    assert gone == {"urn": T, "rows": 2, "timeseriesRows": 2}
    assert (await act(datahub, "entities", "delete", {"urn": T})).body["value"]["timeseriesRows"] == 0


async def test_snapshot_is_written_by_class_names(datahub: Any) -> None:
    def snapshot(*aspects: Any) -> dict[str, Any]:
        reported = {"urn": T, "aspects": list(aspects)}
        return {
            "entity": {"value": {"com.linkedin.metadata.snapshot.DatasetSnapshot": reported}},
            "systemMetadata": RUN,
        }

    reported = snapshot({"com.linkedin.common.Status": {"removed": True}})
    assert (await act(datahub, "entities", "ingest", reported)).status == 200
    assert (await read_aspect(datahub, "status")).body["systemMetadata"]["runId"] == "run1"
    place = "/entity/value/com.linkedin.metadata.snapshot.DatasetSnapshot/aspects/0/com.linkedin.Nothing"
    wrong = await act(datahub, "entities", "ingest", snapshot({"com.linkedin.Nothing": {}}))
    assert (wrong.status, wrong.body["errors"][0]["pointer"]) == (422, place)


@pytest.mark.each_store
async def test_run_is_listed_described_and_rolled_back(datahub: Any) -> None:
    await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "before"}))
    await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "after"}, systemMetadata=RUN))
    (run,) = (await act(datahub, "runs", "list", {"pageOffset": 0, "pageSize": 10})).body["value"]
    assert (run["runId"], run["rows"]) == ("run1", 1)
    (row,) = (await act(datahub, "runs", "describe", {"runId": "run1", "includeAspect": True})).body["value"]
    assert (row["urn"], row["aspectName"], row["payload"]) == (T, "datasetProperties", '{"name":"after"}')
    dry = await act(datahub, "runs", "rollback", {"runId": "run1", "dryRun": True, "safe": True})
    assert dry.body["value"]["aspectsReverted"] == 1
    await act(datahub, "runs", "rollback", {"runId": "run1", "dryRun": False, "safe": True})
    found = (await read_aspect(datahub, "datasetProperties")).body["aspect"]
    assert found == {"com.linkedin.dataset.DatasetProperties": {"name": "before"}}
    assert (await act(datahub, "runs", "list", {})).body["value"] == []


async def test_unneeded_and_unsupported_actions_are_reported(datahub: Any) -> None:
    assert "nothing needs to be restored" in (await act(datahub, "operations", "restoreIndices", {})).body["value"]
    reported = (await datahub("POST", "api", "graphql", body={"query": "{ me { corpUser { urn } } }"})).body
    assert len(reported["errors"]) == 1
    path = ("openapi", "v1", "registry", "models", "entity", "specifications")
    page = (await datahub("GET", *path, params={"start": 0, "count": 100})).body
    assert page["total"] >= 72
    assert {"dataset", "tag", "domain"} <= {element["name"] for element in page["elements"]}
