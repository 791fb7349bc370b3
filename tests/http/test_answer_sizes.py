"""Every read of every API has a bound in bytes, in a catalog whose entities are large: a new route needs a row here."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

import pytest
from jupyter_colophon.core.read_budget import ANSWER_BYTES_MAX, LIST_BYTES_MAX, PAGE_BYTES_MAX
from jupyter_colophon.operations.datahub.api import DATAHUB
from jupyter_colophon.operations.elyra.api import ELYRA
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE
from jupyter_colophon.operations.v3.api import V3
from support.datahub import build_proposal, emit_proposal
from support.openlineage import RUN, build_event, build_event_dataset
from support.snippets import SPACE, build_snippet, write_instance_file
from support.urns import build_table_urn
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse

STORE_NAMES = ["sqlite"]
MIB = 1024 * 1024
#: How far a page may exceed its bound: the item that ended it, and the JSON around the items.
ITEM = 3 * MIB
PAGE, LIST = PAGE_BYTES_MAX + ITEM, LIST_BYTES_MAX + ITEM
#: A single item is answered whole, up to this.
WHOLE = ANSWER_BYTES_MAX
#: More than a page; and more than a list.
MANY, MOST = 8, 20
TEXT = "large " * 160_000
#: The longest allowed description; this many of them exceed a page.
DESCRIPTION, DESCRIBED = TEXT[:100_000], 60
TABLES = [build_table_urn(f"t{at}") for at in range(MANY)]
ORDERS, PROGRAM = TABLES[0], "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,sales),flows.Load)"
PROFILED = "urn:li:dataset:(urn:li:dataPlatform:hive,d.profiled,PROD)"
#: A node of Marquez's API, and its path.
NODE = "dataset:postgres://db:5432:t0"
JOB = ("api", "v1", "namespaces", "etl", "jobs", "load")
EVER = {"start": "0", "end": "now+1d"}
SPACES = "namespaces/sales"
RUNS = f"{SPACES}/apps/etl/flows/Load/runs"
FIELDS = f"{SPACES}/datasets/t0/lineage"


@dataclass(frozen=True)
class Read:
    """A request, and the maximum size of its answer. `cut` states that the answer would be larger without the bound."""

    bound: int
    path: tuple[str, ...] | str
    params: Any = field(default_factory=dict)
    body: Any = None
    cut: bool = False
    status: int = 200


def entity(*rest: str, urn: str = ORDERS) -> tuple[str, ...]:
    return ("entities", urn, *rest)


ALL = {"limit": 500}
INSTANCES = ("schemaspaces", SPACE)
URNS = {"urn": ORDERS}
SEARCHED = {"query": "*", "responseFormat": "v5"}
TIMED = {"urn": PROFILED, "entity": "dataset", "aspect": "datasetProfile", "limit": 100}
READ_MANY = ("openapi", "v3", "entity", "dataset", "batchGet")
SCROLLED = {"entities": ["dataset"], "aspects": []}
#: Reads by operation. The APIs of `/colophon/datahub/openapi/openlineage` and `/colophon/openlineage` share handlers.
READS: dict[str, list[Read]] = {
    # The native API.
    "readMe": [Read(PAGE, ("me",))],
    "readHealth": [Read(PAGE, ("health",))],
    "listEntityTypes": [Read(WHOLE, ("registry",))],
    "readEntityType": [Read(WHOLE, ("registry", "dataset"))],
    "readOpenApi": [Read(PAGE, ("openapi.json",))],
    "listEntities": [Read(PAGE, ("entities",), ALL)],
    "readEntity": [Read(WHOLE, entity())],
    "readDisplayNames": [Read(PAGE, ("entities", "display-names"), body={"urns": TABLES})],
    "readHierarchy": [Read(PAGE, ("hierarchy",), body={"urns": TABLES})],
    "filterOwnedEntities": [Read(PAGE, ("me", "owned"), body={"urns": TABLES})],
    "listMyTeams": [Read(PAGE, ("me", "teams"))],
    "listMemberships": [Read(PAGE, entity("memberships", urn="urn:li:corpuser:ada"))],
    "listRequests": [Read(PAGE, ("requests",), ALL)],
    "readAccess": [Read(PAGE, ("access",), URNS | {"permission": "read"})],
    "listPolicies": [Read(PAGE, ("policies",))],
    "readPolicy": [Read(WHOLE, ("policies", "content"), {"policy": "urn:li:accessPolicy:etl"}, status=404)],
    "checkPolicy": [Read(PAGE, ("policies", "check"), body={"document": {"rules": []}})],
    "listServiceTokens": [Read(PAGE, ("service-tokens",))],
    "listSystemApps": [Read(PAGE, ("system-apps",))],
    "listAppPanels": [Read(PAGE, ("system-apps", "panels"))],
    "listSystemAppLogs": [Read(PAGE, ("system-apps", "dataprep", "logs"), ALL)],
    "listSystemAppEvents": [Read(PAGE, ("system-apps", "dataprep", "events"))],
    "listAuditEntries": [Read(PAGE, ("audit",), ALL)],
    "verifyAudit": [Read(PAGE, ("audit", "verification"))],
    "readServiceToken": [Read(PAGE, ("service-tokens", "etl"), status=404)],
    "listErasures": [Read(PAGE, ("erasures",))],
    "readErasure": [Read(PAGE, ("erasures", "erased-0123456789ab"), status=404)],
    "readRetention": [Read(PAGE, ("retention",))],
    "previewRetention": [Read(PAGE, ("retention", "preview"), body={"rules": []})],
    "readEntityMetadata": [Read(WHOLE, entity("metadata"))],
    "listFields": [Read(WHOLE, entity("fields"))],
    "listFieldsMetadata": [Read(PAGE + 3 * MIB, entity("fields", "metadata"), ALL, cut=True)],
    "readAspect": [Read(WHOLE, entity("aspects", "datasetProperties"))],
    "listVersions": [Read(PAGE + ITEM, entity("aspects", "datasetProperties", "versions"), ALL, cut=True)],
    "listTimeseriesValues": [Read(PAGE, entity("aspects", "datasetProfile", "values", urn=PROFILED), ALL, cut=True)],
    "readInboxEntry": [Read(PAGE, ("inbox", "{entry}"))],
    "readProposal": [Read(PAGE, ("proposals", "1"), status=404)],
    "listDeadLetters": [Read(PAGE, ("dead-letters",), ALL)],
    "readLoad": [Read(PAGE, ("loads", "night"))],
    "listLoadRejections": [Read(PAGE, ("loads", "night", "rejections"), ALL)],
    "search": [Read(PAGE, ("search",), {"q": "*", "limit": 500}, cut=True)],
    "listKeys": [Read(PAGE, ("keys",), ALL)],
    "listValues": [Read(PAGE, ("keys", "note", "values"), ALL, cut=True)],
    "readLineage": [Read(LIST, ("lineage",), URNS | {"columns": "true"})],
    "listRuns": [Read(PAGE, ("runs",), ALL, cut=True)],
    "listCellRuns": [Read(LIST, ("cell-runs",), {"notebook": "large.ipynb"}, cut=True)],
    "listCellStates": [Read(PAGE, ("cell-states",), body={"notebook": "large.ipynb"})],
    "readRun": [Read(WHOLE, ("runs", "{run}"))],
    "listRunAccesses": [Read(LIST, ("runs", "{run}", "accesses"))],
    "continueLineage": [Read(LIST, ("lineage", "next"), body={"frontier": [ORDERS]})],
    "readLineagePath": [Read(LIST, ("lineage", "path"), {"from": ORDERS, "to": TABLES[1]})],
    "readLineageImpact": [Read(PAGE, ("lineage", "impact"), URNS)],
    "readColumnImpact": [Read(LIST, ("lineage", "column-impact"), {"urn": f"urn:li:schemaField:({TABLES[1]},f0)"})],
    "readLineageLabels": [Read(PAGE, ("lineage", "labels"), body={"urns": TABLES})],
    "readQualityStatuses": [Read(PAGE, ("quality", "statuses"), body={"urns": TABLES})],
    "readLineageDiff": [Read(LIST, ("lineage", "diff"), URNS)],
    "exportRunEvents": [Read(LIST, ("lineage", "events"), body={"runs": ["{run}"]})],
    "readChanges": [Read(PAGE + ITEM, ("changes",), {"limit": 500}, cut=True)],
    "listSchemaspaces": [Read(WHOLE, ("schemaspaces",))],
    "readSchema": [Read(WHOLE, (*INSTANCES, "schemas", "code-snippet"))],
    "checkSchema": [Read(PAGE, ("schemas",), body={}, status=400)],
    "listInstances": [Read(PAGE, (*INSTANCES, "instances"), ALL, cut=True)],
    "listCompleteInstances": [Read(PAGE, (*INSTANCES, "complete-instances"), ALL, cut=True)],
    "readInstance": [Read(WHOLE, (*INSTANCES, "instances", "large0"))],
    "listInstanceValues": [Read(PAGE, (*INSTANCES, "values"), {"pointer": "/description"}, cut=True)],
    "exportInstances": [Read(WHOLE, (*INSTANCES, "export"), body={})],
    "listRecoveryFiles": [Read(WHOLE, (*INSTANCES, "recovery-files"))],
    "listArtifacts": [Read(PAGE, ("namespaces", "sales", "artifacts"), ALL)],
    "readArtifact": [Read(WHOLE, ("namespaces", "sales", "artifacts", "none", "versions", "1"), status=404)],
    "readArtifactContent": [
        Read(WHOLE, ("namespaces", "sales", "artifacts", "none", "versions", "1", "content"), status=404)
    ],
    "listPipelinePlugins": [Read(WHOLE, ("pipelines", "plugins"))],
    "checkPipeline": [Read(PAGE, ("pipelines", "check"), body={"name": "p", "document": {}})],
    "listPipelineSchedules": [Read(WHOLE, ("pipelines", "schedules"))],
    "packagePipeline": [Read(PAGE, ("pipelines", "package"), body={"name": "p", "document": {}}, status=400)],
    "readPipelineExecution": [Read(PAGE, ("pipelines", "executions", str(UUID(int=0))), status=404)],
    # CDAP's API.
    # What an application returns is bounded where it is encoded (tests/apps).
    "v3ListSecrets": [Read(PAGE, "namespaces/sales/secrets")],
    "v3GetServiceInstances": [Read(PAGE, "namespaces/system/apps/none/services/service/instances", status=404)],
    "v3GetSparkMethod": [Read(PAGE, "namespaces/system/apps/none/spark/service/methods/v2", status=404)],
    "v3GetAppMethod": [Read(PAGE, "namespaces/system/apps/none/services/service/methods/v2", status=404)],
    "v3ReadAppPanelFile": [Read(PAGE, "namespaces/system/apps/none/panels/list/0/panel.js", status=404)],
    "v3SearchNamespace": [
        Read(PAGE, f"{SPACES}/metadata/search", SEARCHED, cut=True),
        Read(PAGE, f"{SPACES}/metadata/search", SEARCHED | {"responseFormat": "v6", "sort": "entity-name"}, cut=True),
        Read(PAGE, f"{SPACES}/metadata/search", SEARCHED | {"responseFormat": "records"}, cut=True),
        Read(PAGE, f"{SPACES}/metadata/search", SEARCHED | {"responseFormat": "names"}),
    ],
    "v3Search": [Read(PAGE, "metadata/search", SEARCHED, cut=True)],
    "v3ListKeys": [Read(PAGE, f"{SPACES}/metadata/keys")],
    "v3ListValues": [Read(PAGE, f"{SPACES}/metadata/keys/note/values", cut=True)],
    "v3ReadChanges": [Read(PAGE + ITEM, f"{SPACES}/metadata/changes", {"limit": 500}, cut=True)],
    "v3ListRuns": [Read(PAGE, RUNS, cut=True)],
    "v3ReadRun": [Read(WHOLE, f"{RUNS}/0")],
    "v3ReadRunMetadata": [Read(WHOLE, f"{RUNS}/0/metadata", {"scope": "system"})],
    "v3ReadRunAccesses": [Read(LIST, f"{RUNS}/0/metadata/accesses")],
    "v3ReadRunProperties": [Read(WHOLE, f"{RUNS}/0/metadata/properties")],
    "v3ReadSystemRunProperties": [Read(WHOLE, f"{RUNS}/0/metadata/properties/system")],
    "v3ReadOpenApi": [Read(PAGE, "openapi.json")],
    "v3ReadRunTags": [Read(WHOLE, f"{RUNS}/0/metadata/tags")],
    "v3ReadLineage": [Read(LIST, FIELDS, EVER)],
    "v3ReadNextLineage": [Read(LIST, f"{FIELDS}/next", body=EVER | {"frontier": ["dataset.sales.t0"]})],
    "v3ListFields": [Read(LIST, f"{FIELDS}/fields", EVER)],
    "v3ReadField": [Read(LIST, f"{FIELDS}/fields/f0", EVER | {"direction": "both"})],
    "v3ListOperations": [Read(LIST, f"{FIELDS}/fields/f0/operations", EVER)],
    "v3ReadAllFields": [Read(LIST, f"{FIELDS}/allfieldlineage", EVER | {"direction": "both"})],
    "v3ReadMetadata": [Read(WHOLE, f"{SPACES}/datasets/t0/metadata", {"scope": "system"})],
    "v3ReadProperties": [Read(WHOLE, f"{SPACES}/datasets/t0/metadata/properties", {"scope": "system"})],
    "v3ReadSystemProperties": [Read(WHOLE, f"{SPACES}/datasets/t0/metadata/properties/system")],
    "v3ReadTags": [Read(WHOLE, f"{SPACES}/datasets/t0/metadata/tags")],
    "v3ListNamespaces": [Read(WHOLE, "namespaces")],
    "v3ReadNamespace": [Read(WHOLE, SPACES)],
    "v3ReadDataset": [Read(WHOLE, f"{SPACES}/datasets/t0")],
    "v3ReadApplication": [Read(WHOLE, f"{SPACES}/apps/etl")],
    "v3ReadProgram": [Read(WHOLE, f"{SPACES}/apps/etl/flows/Load")],
    # OpenLineage's and Marquez's.
    "readMarquezGraph": [Read(LIST, ("api", "v1", "lineage"), {"nodeId": NODE}, cut=True)],
    "readMarquezColumns": [Read(LIST, ("api", "v1", "column-lineage"), {"nodeId": NODE})],
    "listNamespaces": [Read(PAGE, ("api", "v1", "namespaces"))],
    "readNamespace": [Read(PAGE, ("api", "v1", "namespaces", "etl"))],
    "listJobs": [Read(PAGE, JOB[:-1])],
    "readJob": [Read(WHOLE, JOB)],
    "listRunsOfJob": [Read(PAGE, (*JOB, "runs"), cut=True)],
    "listDatasets": [Read(PAGE, (*JOB[:3], "postgres://db:5432", "datasets"), cut=True)],
    "readDataset": [Read(WHOLE, (*JOB[:3], "postgres://db:5432", "datasets", "t0"))],
    "listAllJobs": [Read(PAGE, ("api", "v1", "jobs"))],
    "readRunOfJob": [Read(WHOLE, ("api", "v1", "jobs", "runs", RUN))],
    "readRunFacets": [Read(WHOLE, ("api", "v1", "jobs", "runs", RUN, "facets"))],
    "searchJobsAndDatasets": [Read(PAGE, ("api", "v1", "search"), {"q": "t", "limit": 100})],
    "readOpenLineageOpenApi": [Read(PAGE, ("openapi.json",))],
    # DataHub's.
    "readConfig": [Read(PAGE, ("config",))],
    "listSpecifications": [Read(PAGE, ("openapi", "v1", "registry", "models", "entity", "specifications"))],
    "askGraphql": [Read(PAGE, ("api", "graphql"), body={})],
    "actOnAspects": [
        Read(LIST, ("aspects",), {"action": "getTimeseriesAspectValues"}, TIMED, cut=True, status=413),
        Read(LIST, ("aspects",), {"action": "getTimeseriesAspectValues"}, TIMED | {"limit": 3}),
        Read(PAGE, ("aspects",), {"action": "getCount"}, {"aspect": "status"}),
    ],
    "readAspectByClass": [Read(WHOLE, ("aspects", ORDERS), {"aspect": "datasetProperties"})],
    "readEnvelopedEntity": [Read(WHOLE, ("entitiesV2", ORDERS))],
    "actOnUsage": [],  # Its one action writes.
    "actOnEntities": [
        Read(PAGE, ("entities",), {"action": "listUrns"}, {"entity": "dataset", "count": 10_000}),
        Read(PAGE, ("entities",), {"action": "search"}, {"entity": "dataset", "input": "*", "count": 10_000}),
    ],
    "actOnRuns": [
        Read(PAGE, ("runs",), {"action": "list"}, {}),
        Read(LIST, ("runs",), {"action": "describe"}, {"runId": "load", "includeAspect": True}, cut=True, status=413),
        Read(LIST, ("runs",), {"action": "describe"}, {"runId": "load", "includeAspect": True, "count": 2}),
    ],
    "actOnOperations": [Read(PAGE, ("operations",), {"action": "getEsTaskStatus"}, {}, status=400)],
    "traceWrite": [Read(PAGE, ("openapi", "v1", "trace", "write", "0" * 32), body={ORDERS: ["status"]})],
    "listRelated": [Read(PAGE, ("openapi", "relationships", "v1"), URNS)],
    "scrollRelationships": [Read(PAGE, ("openapi", "v3", "relationship", "scroll"), {"count": 1_000}, {})],
    "scrollLineage": [Read(PAGE, ("openapi", "v3", "lineage", "scroll"), {"count": 1_000}, {"urns": [ORDERS]})],
    "scrollEntities": [
        # Entities are read twenty at once.
        Read(WHOLE, ("openapi", "v3", "entity", "scroll"), {"count": 1_000}, SCROLLED)
    ],
    "readEntities": [
        Read(LIST, READ_MANY, body=[{"urn": urn} for urn in TABLES], cut=True, status=413),
        Read(LIST, READ_MANY, body=[{"urn": urn} for urn in TABLES[1:3]]),
    ],
    "readOneEntity": [Read(WHOLE, ("openapi", "v3", "entity", "dataset", ORDERS))],
    "readDataHubOpenApi": [Read(PAGE, ("openapi.json",))],
    # Elyra's.
    "listSchemaspaceNames": [Read(PAGE, ("schemaspace",))],
    "readSchemaspace": [Read(PAGE, ("schemaspace", SPACE))],
    "listSchemas": [Read(WHOLE, ("schema", SPACE))],
    "readSchemaDocument": [Read(WHOLE, ("schema", SPACE, "code-snippet"))],
    "listMetadata": [
        Read(WHOLE, ("metadata", SPACE)),
        Read(PAGE, ("metadata", SPACE), {"limit": 500}, cut=True),
    ],
    "readMetadata": [Read(WHOLE, ("metadata", SPACE, "large0"))],
    "readElyraYaml": [Read(PAGE, ("elyra.yaml",))],
}
#: Answers that are streamed in pieces and never held in memory completely.
STREAMED = {
    "exportAuditEntries",
    "exportNamespace",
    "exportPerson",
    "exportSelection",
    "followChanges",
    "readMetrics",
    "streamChanges",
    "v3StreamChanges",
}


def reads() -> Iterable[tuple[str, str, str]]:
    """Yield every operation that reads, with its method, for each prefix of its API."""
    for api in (NATIVE, V3, OPENLINEAGE, DATAHUB, ELYRA):
        for one in api.operations:
            if one.is_read_only or one.method == "GET":
                yield from ((one.id, one.method, prefix) for prefix in (api.prefix, *api.aliases))


Ask = Callable[[str, str, Read], Awaitable[HTTPResponse]]


@pytest.fixture
def ask(http_server_client: Any, http_server_port: Any, jp_base_url: str, jp_auth_header: dict[str, str]) -> Ask:
    """`await ask("GET", "/colophon/api", read)`"""
    client = AsyncHTTPClient(force_instance=True, max_body_size=1024 * MIB)

    async def send(method: str, prefix: str, read: Read) -> HTTPResponse:
        path = read.path if isinstance(read.path, str) else "/".join(quote(part, safe="") for part in read.path)
        url = (
            f"http://127.0.0.1:{http_server_port[-1]}{jp_base_url.rstrip('/')}{prefix}/{path}?{urlencode(read.params)}"
        )
        body = json.dumps(read.body).encode() if method == "POST" else None
        request = HTTPRequest(url, method, headers=jp_auth_header, body=body, request_timeout=300)
        return await client.fetch(request, raise_error=False)

    return send


def properties(number: int) -> dict[str, Any]:
    """A value of `datasetProperties` of about a megabyte."""
    return {"customProperties": {f"{number}.{at}": DESCRIPTION for at in range(10)}}


async def make_entities(api: Any, ingest: Any, propose: Any) -> None:
    """Datasets with large aspects, versions, columns and values by time, most of them written by the run `load`."""
    for at, urn in enumerate(TABLES):
        note = {"properties": {"note": f"{at} {TEXT}"}, "tags": []}
        await propose(urn=urn, aspect="technicalMetadata", value=note)
        await ingest(urn, "datasetProperties", properties(at))
        await propose(urn=ORDERS, aspect="datasetProperties", value=properties(at))
    several = [
        {"operation": "upsert", "urn": urn, "aspect": "datasetProperties", "value": {"description": DESCRIPTION}}
        for urn in (build_table_urn(f"described{at}") for at in range(DESCRIBED))
    ]
    assert (await api("POST", "proposals", body={"proposals": several})).status == 200
    described = [{"fieldPath": f"f{at}", "description": DESCRIPTION} for at in range(DESCRIBED)]
    await propose(urn=ORDERS, aspect="editableSchemaMetadata", value={"editableSchemaFieldInfo": described})
    await propose(urn=PROFILED, aspect="status", value={"removed": False})
    for at in range(MOST):
        profile = {"timestampMillis": at, "fieldProfiles": [{"fieldPath": "f", "min": TEXT}]}
        await ingest(PROFILED, "datasetProfile", profile)
    for at in range(MANY, MOST):
        await ingest(f"{PROFILED[:-6]}{at},PROD)", "datasetProperties", properties(at))


async def make_refused(api: Any, propose: Any) -> str:
    """Dead letters and refused rows of a load; an entry of the inbox."""
    for _ in range(MANY):
        unknown = {"urn": build_table_urn("unknown"), "operation": "update", "aspect": "technicalMetadata"}
        entry = await propose({"async": "true"}, **unknown, value={"properties": {}, "tags": []})
    while not (await api("GET", "dead-letters")).body["deadLetters"]:
        await asyncio.sleep(0.05)
    assert (await api("PUT", "loads", "night")).status == 200
    batch = {"partition": 0, "number": 0, "rows": [{"urn": "x", "operation": "upsert"}] * 100}
    assert (await api("POST", "loads", "night", "batches", body=batch)).status == 200
    return str(entry.body["id"])


async def make_cell_runs(api: Any) -> None:
    """Runs of the cells of a notebook, with large arguments."""
    for at in range(MOST):
        program = f"urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.large.ipynb#{at}c)"
        start = {"program": program, "runId": f"c{at}", "start": "2026-01-01T00:00:00Z", "arguments": {"note": TEXT}}
        assert (await api("POST", "runs", body=start, answers="run")).status == 200


async def make_runs(api: Any) -> str:
    """Runs with large arguments that touch the datasets and make columns of columns; the URN of one."""
    ends = {"source": TABLES[1], "sourceField": "f0", "target": ORDERS, "transformation": "identity"}
    columns = [ends | {"targetField": f"f{at}"} for at in range(MANY)]
    touched = [{"data": urn, "mode": mode} for urn in TABLES for mode in ("read", "write")]
    for at in range(MANY):
        start = {"program": PROGRAM, "runId": str(at), "start": "2026-01-01T00:00:00Z", "arguments": {"note": TEXT}}
        run = str((await api("POST", "runs", body=start, answers="run")).body["urn"])
        reported = await api("POST", "runs", run, "accesses", body={"accesses": touched, "columns": columns})
        assert reported.status == 200
    return run


async def make_events(openlineage: Any) -> None:
    """A job that writes datasets with large facets, in runs some of which have them too."""
    note = {"_producer": "https://example.org", "_schemaURL": "https://example.org/n.json", "n": TEXT}
    for at in range(MOST):
        facets = {"note": note} if at < MANY else {}
        reported = build_event(
            run=f"{RUN[:-2]}{at:02d}", second=at, run_facets=facets, outputs=[build_event_dataset(f"t{at}", note=note)]
        )
        assert (await openlineage("POST", "api", "v1", "lineage", body=reported)).status == 201
    assert (await openlineage("POST", "api", "v1", "lineage", body=build_event(second=59))).status == 201


@pytest.fixture
def large(api: Any, datahub: Any, openlineage: Any, jp_asyncio_loop: Any) -> dict[str, str]:
    """A catalog with a few large entities, instances, runs and events; the URN of a run, and an entry of the inbox."""

    async def propose(params: Any = None, **proposal: Any) -> Any:
        body = {"proposals": [{"operation": "upsert"} | proposal]}
        reported = await api("POST", "proposals", body=body, params=params)
        assert reported.status in (200, 202), reported.body
        return reported

    async def ingest(urn: str, aspect: str, value: Any) -> None:
        reported = await emit_proposal(
            datahub, build_proposal(aspect, value, urn=urn, systemMetadata={"runId": "load"})
        )
        assert reported.status == 200, reported.body

    async def make() -> dict[str, str]:
        await make_entities(api, ingest, propose)
        await make_events(openlineage)
        await make_cell_runs(api)
        return {"entry": await make_refused(api, propose), "run": await make_runs(api)}

    for at in range(MANY):
        write_instance_file(f"large{at}", build_snippet(f"Large {at}", description=f"{at} {TEXT}"))
    made: dict[str, str] = jp_asyncio_loop.run_until_complete(make())
    return made


def test_every_route_that_reads_has_a_bound() -> None:
    assert {name for name, _, _ in reads()} == READS.keys() | STREAMED


async def test_answers_are_bounded_in_bytes(ask: Ask, large: dict[str, str]) -> None:
    wrong = []
    for name, method, prefix in reads():
        for read in READS.get(name, ()):
            path = read.path if isinstance(read.path, str) else tuple(one.format(**large) for one in read.path)
            body = json.loads(json.dumps(read.body).replace("{run}", large["run"]))
            found = await ask(method, prefix, Read(read.bound, path, read.params, body))
            size = len(found.body or b"")
            if found.code != read.status or size > read.bound or (read.cut and read.status == 200 and size < 3 * MIB):
                wrong.append((prefix, name, read.params, found.code, size, read.bound, (found.body or b"")[:200]))
    assert not wrong, "\n".join(map(repr, wrong))


async def test_answers_without_pages_are_refused_beyond_their_bound(ask: Ask) -> None:
    for at in range(8):
        write_instance_file(f"huge{at}", build_snippet(f"Huge {at}", description="x" * 9 * MIB))
    listed = await ask("GET", "/elyra", Read(WHOLE, ("metadata", SPACE)))
    exported = await ask("POST", "/colophon/api", Read(WHOLE, (*INSTANCES, "export"), body={}))
    assert [found.code for found in (listed, exported)] == [413, 413]
    page = await ask("GET", "/elyra", Read(WHOLE, ("metadata", SPACE), {"limit": 500}))
    assert (page.code, 'rel="next"' in page.headers["Link"]) == (200, True)
