"""Expectations of datasets as DataHub's assertions, and assertions of DataHub's clients as results."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from live import LiveServer

Program = Callable[..., Any]
_TABLE = "urn:li:dataset:(urn:li:dataPlatform:spark,checked.orders,PROD)"
_EXTERNAL = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"


def _call(server: LiveServer, method: str, path: str, body: object = None) -> Any:
    headers = {"Authorization": f"token {server.token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{server.url}colophon/api/{path}", data, headers, method=method)) as answer:
        return json.loads(answer.read() or b"null")


def _get_path(urn: str) -> str:
    return f"entities/{quote(urn, safe='')}"


def test_expectations_are_assertions_with_their_results(server: LiveServer, program: Program) -> None:
    fields = [{"fieldPath": name, "nativeDataType": "string"} for name in ("amount", "state")]
    _call(server, "PUT", f"{_get_path(_TABLE)}/aspects/schemaMetadata", {"fields": fields})
    expectations = {
        "amount": {
            "kind": "range",
            "column": "amount",
            "min": 0,
            "max": 9.5,
            "tolerance": 0.1,
            "description": "In euros.",
        },
        "state": {"kind": "set", "column": "state", "values": ["open", "paid"], "severity": "warning"},
        "rows": {"kind": "rowCount", "min": 1},
    }
    _call(server, "PUT", f"{_get_path(_TABLE)}/aspects/expectations", {"expectations": expectations})
    for time, status in ((1000, "passed"), (2000, "failed")):
        found = {"amount": {"status": status, "failing": 3, "rows": 10, "observed": "-1 to 9"}}
        body = {"source": {"kind": "program", "name": "nightly"}, "time": time, "results": found}
        _call(server, "POST", f"{_get_path(_TABLE)}/quality/results", body)
    read = program(f"""
g, t = graph(), {_TABLE!r}
related = g.get_related_entities(t, ["Asserts"], DataHubGraph.RelationshipDirection.INCOMING)
read = {{}}
for a in sorted(one.urn for one in related):
    info = g.get_aspect(a, AssertionInfoClass)
    d = info.datasetAssertion
    events = [[e.timestampMillis, e.result.type, e.result.unexpectedCount, e.asserteeUrn == t and e.assertionUrn == a]
        for e in g.get_timeseries_values(a, AssertionRunEventClass, {{}}, 10)]
    parameters = d.parameters and {{k: [p["value"], p["type"]] for k, p in d.parameters.to_obj().items() if p}}
    read[info.customProperties["expectation"]] = [d.dataset == t, d.scope, d.operator, parameters, d.fields, info.description,
        d.nativeType, g.get_aspect(a, DataPlatformInstanceClass).platform, g.exists(a), events]
print(json.dumps([read, g.exists("urn:li:assertion:colophon-xyz")]))
""")
    field = f"urn:li:schemaField:({_TABLE},%s)"
    platform = "urn:li:dataPlatform:colophon"
    events = [[2000, "FAILURE", 3, True], [1000, "SUCCESS", None, True]]
    between = {"minValue": ["0", "NUMBER"], "maxValue": ["9.5", "NUMBER"]}
    assert read[1] is False
    assert read[0] == {
        "amount": [
            True,
            "DATASET_COLUMN",
            "BETWEEN",
            between,
            [field % "amount"],
            "In euros.",
            "range",
            platform,
            True,
            events,
        ],
        "state": [
            *(True, "DATASET_COLUMN", "IN", {"value": ['["open", "paid"]', "SET"]}, [field % "state"], None, "set"),
            *(platform, True, []),
        ],
        "rows": [
            *(True, "DATASET_ROWS", "GREATER_THAN_OR_EQUAL_TO", {"value": ["1", "NUMBER"]}, None, None, "rowCount"),
            *(platform, True, []),
        ],
    }


def test_assertions_of_clients_are_stored_and_their_results_shown(server: LiveServer, program: Program) -> None:
    emit = f"""
a, t = "urn:li:assertion:9f2c", {_EXTERNAL!r}
field = "urn:li:schemaField:(" + t + ",id)"
info = AssertionInfoClass(type="DATASET", datasetAssertion=DatasetAssertionInfoClass(dataset=t, scope="DATASET_COLUMN",
    fields=[field], operator="NOT_NULL", aggregation="IDENTITY", nativeType="expect_column_values_to_not_be_null",
    nativeParameters={{"mostly": "0.9"}}))
instance = DataPlatformInstanceClass(platform="urn:li:dataPlatform:great-expectations")
def event(time, result):
    return AssertionRunEventClass(timestampMillis=time, runId=f"r{{time}}", asserteeUrn=t, assertionUrn=a, status="COMPLETE",
        result=result, batchSpec=BatchSpecClass(nativeBatchId="b"))
failed = AssertionResultClass(type="FAILURE", rowCount=10, unexpectedCount=2, nativeResults={{"sample": "secret"}})
"""
    stored = program(
        emit
        + """
emitter.emit_mcps([MCP(entityUrn=a, aspect=one) for one in (info, instance, event(1000, AssertionResultClass(type="SUCCESS")), event(2000, failed))])
g = graph()
print(json.dumps([g.get_aspect(a, AssertionInfoClass).to_obj() == info.to_obj(),
    [e.to_obj() == event(e.timestampMillis, e.result).to_obj() for e in g.get_timeseries_values(a, AssertionRunEventClass, {}, 10)],
    [one.urn for one in g.get_related_entities(t, ["Asserts"], DataHubGraph.RelationshipDirection.INCOMING)]]))
"""
    )
    assert stored == [True, [True, True], ["urn:li:assertion:9f2c"]]
    quality = _call(server, "GET", f"{_get_path(_EXTERNAL)}/aspects/quality")["value"]
    result = {
        **{"kind": "other", "name": "expect_column_values_to_not_be_null", "column": "id", "status": "failed"},
        **{"failing": 2, "rows": 10, "time": 2000, "source": {"kind": "import", "name": "great-expectations"}},
        "history": [{"time": 2000, "status": "failed"}, {"time": 1000, "status": "passed"}],
    }
    assert (quality["status"], quality["results"]) == ("failing", {"datahub:9f2c": result})
    program(emit + 'graph().soft_delete_entity(a)\nprint("0")')
    assert _call(server, "GET", f"{_get_path(_EXTERNAL)}/aspects/quality")["value"]["results"] == {}
