"""Values of confidential columns are in no answer, also of profiles that were recorded before the column was marked."""

import json
import logging
from typing import Any

import pytest
from support.catalog import build_metadata_value
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

CANARY = "canary7q"
SSN = f"urn:li:schemaField:({ORDERS},ssn)"
#: All members of DataHub's class that have values of the column.
REVEALING = {
    "min": CANARY,
    "max": CANARY,
    "mean": CANARY,
    "median": CANARY,
    "stdev": CANARY,
    "quantiles": [{"quantile": "0.5", "value": CANARY}],
    "distinctValueFrequencies": [{"value": CANARY, "frequency": 2}],
    "histogram": {"boundaries": [CANARY], "heights": [1.0]},
    "sampleValues": [CANARY],
}
COUNTS = {"nullCount": 1, "nullProportion": 0.5, "uniqueCount": 1, "uniqueProportion": 1.0}
TAG = {"tags": [{"tag": "urn:li:tag:Confidential"}]}
TERM = {"terms": [{"urn": "urn:li:glossaryTerm:confidential"}], "auditStamp": {"time": 0, "actor": "urn:li:corpuser:a"}}


async def put(api: Any, urn: str, aspect: str, value: Any) -> None:
    answer = await api("PUT", "entities", urn, "aspects", aspect, body=value)
    assert answer.status in (200, 201), answer.body


@pytest.fixture
def profiled(api: Any, jp_asyncio_loop: Any) -> None:
    """A table with a profile of two columns."""

    async def make() -> None:
        fields = [{"fieldPath": name, "nativeDataType": "string"} for name in ("ssn", "city", "ssn.part")]
        await put(api, ORDERS, "schemaMetadata", {"fields": fields})
        columns = [{"fieldPath": name, **COUNTS, **REVEALING} for name in ("ssn", "ssn.part")]
        columns.append({"fieldPath": "city", **COUNTS, "min": "Ulm"})
        profile = {"timestampMillis": 1_700_000_000_000, "rowCount": 2, "columnCount": 2, "fieldProfiles": columns}
        await put(api, ORDERS, "datasetProfile", profile)

    jp_asyncio_loop.run_until_complete(make())


async def read_profile(api: Any) -> tuple[dict[str, Any], list[str]]:
    place = ("entities", ORDERS, "aspects", "datasetProfile", "values")
    (value,) = (await api("GET", *place, answers="timeseries-values")).body["values"]
    return {one["fieldPath"]: one for one in value["value"]["fieldProfiles"]}, value.get("withheld", [])


@pytest.mark.parametrize(
    ("urn", "aspect", "value", "withheld"),
    [
        (SSN, "businessMetadata", build_metadata_value({}, ["CONFIDENTIAL"]), ["ssn", "ssn.part"]),
        (SSN, "globalTags", TAG, ["ssn", "ssn.part"]),
        (SSN, "glossaryTerms", TERM, ["ssn", "ssn.part"]),
        (
            ORDERS,
            "editableSchemaMetadata",
            {"editableSchemaFieldInfo": [{"fieldPath": "ssn", "globalTags": TAG}]},
            ["ssn", "ssn.part"],
        ),
        (ORDERS, "globalTags", TAG, ["ssn", "ssn.part", "city"]),
    ],
)
async def test_only_counts_of_a_confidential_column_are_read(
    api: Any, profiled: None, urn: str, aspect: str, value: Any, withheld: list[str]
) -> None:
    columns, nothing = await read_profile(api)
    assert (columns["ssn"]["min"], nothing) == (CANARY, [])
    await put(api, urn, aspect, value)
    columns, reported = await read_profile(api)
    assert reported == withheld
    assert columns["ssn"] == {"fieldPath": "ssn", **COUNTS}
    assert columns["city"].get("min") == (None if "city" in withheld else "Ulm")


async def test_values_are_in_no_answer(
    api: Any,
    datahub: Any,
    http_server_client: Any,
    jp_auth_header: Any,
    jp_base_url: str,
    profiled: None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    await put(api, SSN, "businessMetadata", build_metadata_value({}, ["confidential"]))
    request = {"urn": ORDERS, "entity": "dataset", "aspect": "datasetProfile"}
    series = {"params": {"action": "getTimeseriesAspectValues"}, "body": request}
    answers = [
        await api("GET", "entities", ORDERS),
        await api("GET", "entities", ORDERS, "aspects", "datasetProfile", "values"),
        await api("GET", "entities", ORDERS, "fields", "metadata"),
        await api("GET", "changes"),
        await api("GET", "changes", params={"urn": ORDERS}),
        await api("GET", "search", params={"q": "ssn orders"}),
        await api("GET", "keys"),
        await datahub("POST", "aspects", **series),
    ]
    assert [one.status for one in answers] == [200] * len(answers)
    texts = [one.body if isinstance(one.body, str) else json.dumps(one.body) for one in answers]
    exported = await http_server_client.fetch(
        f"{jp_base_url}colophon/api/export?namespace=sales", headers=jp_auth_header
    )
    texts.append(exported.body.decode())
    assert [at for at, text in enumerate(texts) if CANARY in text] == []
    # The answers are about the profile, so the test would find the values.
    assert all("ssn" in texts[at] for at in (0, 1, 3, 7, 8))
    assert CANARY not in caplog.text
    assert (await api("GET", "search", params={"q": CANARY})).body["hits"] == []


async def test_filter_does_not_see_withheld_values(datahub: Any, api: Any, profiled: None) -> None:
    def build_request(minimum: str) -> dict[str, Any]:
        condition = {"field": "fieldProfiles.min", "value": minimum, "condition": "EQUAL"}
        filter_ = {"or": [{"and": [condition]}]}
        body = {"urn": ORDERS, "entity": "dataset", "aspect": "datasetProfile", "filter": filter_}
        return {"params": {"action": "getTimeseriesAspectValues"}, "body": body}

    async def count(minimum: str) -> int:
        return len((await datahub("POST", "aspects", **build_request(minimum))).body["value"]["values"])

    before = await count(CANARY)
    await put(api, SSN, "businessMetadata", build_metadata_value({}, ["confidential"]))
    assert await count(CANARY) == 0 <= before
