"""DataHub's own clients with this server: emitter, graph, SDK, command line and a file recipe."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_colophon.client.api.queries import Queries
from live import LiveServer

Program = Callable[..., Any]
Command = Callable[..., str]


def test_the_emitter_writes_what_the_graph_reads(program: Program) -> None:
    found = program("""
t = urn("emit.ü t/1")
emitter.test_connection()
emitter.emit_mcp(MCP(entityUrn=t, aspect=DatasetPropertiesClass(name="t", description="é ☃", customProperties={"k": "v"})))
emitter.emit_mcps([MCP(entityUrn=urn(f"emit.b{n}"), aspect=StatusClass(removed=False)) for n in range(450)])
g = graph()
properties = g.get_dataset_properties(t)
print(json.dumps([properties.description, g.exists(t), g.exists(urn("emit.none")), g.exists(urn("emit.b449")),
    sorted(g.get_entity_semityped(t))]))
""")
    assert found == ["é ☃", True, False, True, ["datasetKey", "datasetProperties", "status"]]


def test_what_is_refused_is_reported_by_the_client_and_requested_once(program: Program) -> None:
    found = program("""
from datahub.configuration.common import OperationalError
t = urn("refused.t")
emitter.emit_mcp(MCP(entityUrn=t, aspect=StatusClass(removed=False)))
def refused(**how):
    try:
        emitter.emit_mcp(MCP(entityUrn=t, aspect=DatasetPropertiesClass(name="x"), **how))
    except OperationalError as error:
        return error.info.get("status")
    return None
statuses = [refused(changeType="CREATE"), refused(changeType="CREATE"), refused(changeType="CREATE", headers={"If-None-Match": "*"}),
    refused(headers={"If-Version-Match": "99"}), refused(headers={"If-Version-Match": "1"}), refused(changeType="CREATE_ENTITY")]
print(json.dumps(statuses))
""")
    assert found == [None, 422, None, 422, None, 422]


def test_classes_read_what_a_spark_listener_wrote(program: Program) -> None:
    found = program("""
import urllib.parse, urllib.request
from datahub.sdk import DataHubClient
t = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.listened,PROD)"
def put(aspect, value):
    where = f"{URL.removesuffix('datahub')}api/entities/{urllib.parse.quote(t, safe='')}/aspects/{aspect}"
    headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(where, json.dumps(value).encode(), headers, method="PUT")).close()
fields = [{"fieldPath": "a", "nativeDataType": "bigint", "nullable": True}, {"fieldPath": "b", "nativeDataType": "array<string>"}]
put("schemaMetadata", {"fields": fields})
put("upstreamLineage", {"upstreams": [{"dataset": urn("listened.up")}]})
g = graph()
read = g.get_aspect(t, SchemaMetadataClass)
shown = [[one.fieldPath, one.nativeDataType, type(one.type.type).__name__] for one in read.fields]
upstream = g.get_aspect(t, UpstreamLineageClass).upstreams[0]
(semityped,) = [one for name, one in g.get_entity_semityped(t).items() if name == "schemaMetadata"]
listed = [str(one.field_path) for one in DataHubClient(server=URL, token=TOKEN).entities.get(t).schema]
print(json.dumps([read.schemaName, read.platform, shown, upstream.type, len(semityped.fields), listed]))
""")
    assert found == [
        "sales.listened",
        "urn:li:dataPlatform:spark",
        [["a", "bigint", "NumberTypeClass"], ["b", "array<string>", "ArrayTypeClass"]],
        "TRANSFORMED",
        2,
        ["a", "b"],
    ]


def test_classes_read_the_runs_that_openlineage_reported(program: Program) -> None:
    found = program("""
import urllib.request
event = {"eventTime": "2026-01-01T00:00:00Z", "eventType": "COMPLETE", "producer": "https://x/p", "schemaURL": "https://x/s",
    "run": {"runId": "01a1f874-f0d4-7cde-ab58-240223d68fd6"}, "job": {"namespace": "etl", "name": "load"},
    "outputs": [{"namespace": "hive", "name": "runs.t"}]}
headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json; charset=UTF-8"}
where = f"{URL}/openapi/openlineage/api/v1/lineage"
urllib.request.urlopen(urllib.request.Request(where, json.dumps(event).encode(), headers)).close()
g, run = graph(), "urn:li:dataProcessInstance:" + event["run"]["runId"]
last = g.get_latest_timeseries_value(run, DataProcessInstanceRunEventClass, {})
print(json.dumps([g.exists(run), g.get_aspect(run, DataProcessInstanceRelationshipsClass).parentTemplate,
    g.get_aspect(run, DataProcessInstanceOutputClass).outputs, g.get_aspect(run, DataProcessInstancePropertiesClass).created.time,
    last.status, last.result.type]))
""")
    assert found == [
        True,
        "urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),load)",
        ["urn:li:dataset:(urn:li:dataPlatform:hive,runs.t,PROD)"],
        1767225600000,
        "COMPLETE",
        "SUCCESS",
    ]


def test_snapshots_deletions_and_usage(program: Program) -> None:
    found = program("""
t = urn("mce.t")
emitter.emit_mce(MetadataChangeEventClass(proposedSnapshot=DatasetSnapshotClass(urn=t, aspects=[StatusClass(removed=False), DatasetPropertiesClass(name="viaMCE")])))
emitter.emit_usage(UsageAggregationClass(bucket=1700000000000, duration="DAY", resource=t, metrics=UsageAggregationMetricsClass(uniqueUserCount=3)))
g = graph()
name = g.get_dataset_properties(t).name
usage = g.get_usage_aspects_from_urn(t, 0, 1800000000000)
emitter.emit_mcp(MCP(entityUrn=t, changeType="DELETE", aspect=DatasetKeyClass(platform="urn:li:dataPlatform:hive", name="mce.t", origin="PROD")))
print(json.dumps([name, [one.uniqueUserCount for one in usage], g.exists(t)]))
""")
    assert found == ["viaMCE", [3], False]


def test_the_graph_patches_searches_and_deletes(program: Program) -> None:
    found = program("""
from datahub.specific.dataset import DatasetPatchBuilder
t, g = urn("patch.t"), graph()
builder = DatasetPatchBuilder(t).add_tag(TagAssociationClass("urn:li:tag:pii")).add_custom_property("p", "q")
builder.add_owner(OwnerClass("urn:li:corpuser:a", "DATAOWNER")).add_upstream_lineage(UpstreamClass(urn("patch.s"), "COPY"))
builder.add_term(GlossaryTermAssociationClass("urn:li:glossaryTerm:x"))
builder.for_field("c0").add_tag(TagAssociationClass("urn:li:tag:f"))
for one in builder.build():
    emitter.emit(one)
tags = [one.tag for one in g.get_tags(t).tags]
owners = [one.owner for one in g.get_ownership(t).owners]
upstreams = [one.dataset for one in g.get_aspect(t, UpstreamLineageClass).upstreams]
fields = [one.fieldPath for one in g.get_aspect(t, EditableSchemaMetadataClass).editableSchemaFieldInfo]
listed = t in g.list_all_entity_urns("dataset", 0, 10_000)
g.soft_delete_entity(t)
removed = g.get_aspect(t, StatusClass).removed
rows = g.hard_delete_entity(t)[0]
print(json.dumps([tags, owners, upstreams, fields, listed, removed, rows > 5, g.exists(t)]))
""")
    source = "urn:li:dataset:(urn:li:dataPlatform:hive,patch.s,PROD)"
    assert found == [["urn:li:tag:pii"], ["urn:li:corpuser:a"], [source], ["c0"], True, True, True, False]


def test_values_by_time_are_read_newest_first_and_deleted(program: Program) -> None:
    found = program("""
t, g = urn("time.t"), graph()
for at in range(3):
    emitter.emit_mcp(MCP(entityUrn=t, aspect=DatasetProfileClass(timestampMillis=1700000000000 + at, rowCount=at)))
rows = [one.rowCount for one in g.get_timeseries_values(t, DatasetProfileClass, {}, limit=2)]
latest = g.get_latest_timeseries_value(t, DatasetProfileClass, {}).rowCount
from datetime import datetime
gone = g.hard_delete_timeseries_aspect(t, "datasetProfile", None, None)
print(json.dumps([rows, latest, gone, g.get_latest_timeseries_value(t, DatasetProfileClass, {}) is None]))
""")
    assert found == [[2, 1], 2, 3, True]


def test_the_sdk_creates_updates_and_links(program: Program) -> None:
    found = program("""
from datahub.sdk import DataHubClient, Dataset
client = DataHubClient(server=URL, token=TOKEN)
one = Dataset(platform="hive", name="sdk.t", schema=[("a", "int")], description="first")
client.entities.create(one)
try:
    client.entities.create(one)
    twice = True
except Exception:
    twice = False
two = Dataset(platform="hive", name="sdk.up")
client.entities.upsert(two)
again = client.entities.get(one.urn)
again.set_description("second")
client.entities.upsert(again)
client.lineage.add_lineage(upstream=two.urn, downstream=one.urn)
read = client.entities.get(one.urn)
print(json.dumps([twice, read.description, [str(up.dataset) for up in read.upstreams.upstreams]]))
""")
    assert found == [False, "second", ["urn:li:dataset:(urn:li:dataPlatform:hive,sdk.up,PROD)"]]


def test_users_may_force_the_openapi_routes(program: Program) -> None:
    found = program("""
from datahub.emitter.rest_emitter import EmitMode
forced = DatahubRestEmitter(URL, token=TOKEN, openapi_ingestion=True)
t, g = urn("openapi.ü t/1"), graph()
forced.emit_mcp(MCP(entityUrn=t, aspect=DatasetPropertiesClass(name="t")))
forced.emit_mcps([MCP(entityUrn=urn(f"openapi.b{n}"), aspect=StatusClass(removed=False)) for n in range(250)])
later = forced.emit_mcp(MCP(entityUrn=t, aspect=StatusClass(removed=True)), emit_mode=EmitMode.ASYNC)
forced._await_status([later])
found = g.get_entities("dataset", [t], ["datasetProperties", "status"], with_system_metadata=True)
scrolled, cursor = [], None
while True:
    page = g.scroll_entities(entity_names=["dataset"], aspects=["status"], count=100, scroll_id=cursor, include_soft_delete=True)
    scrolled += [one for one in page.entities if "openapi.b" in one]
    cursor = page.scroll_id
    if cursor is None: break
forced.emit_mcp(MCP(entityUrn=t, changeType="DELETE", aspect=DatasetKeyClass(platform="urn:li:dataPlatform:hive", name="openapi.ü t/1", origin="PROD")))
print(json.dumps([found[t]["status"][0].removed, found[t]["datasetProperties"][1].version, len(scrolled), g.exists(t)]))
""")
    assert found == [True, "1", 250, False]


def test_the_command_line_puts_reads_ingests_and_rolls_back(datahub: Command, tmp_path: Path) -> None:
    urn = "urn:li:dataset:(urn:li:dataPlatform:hive,cli.t,PROD)"
    (tmp_path / "properties.json").write_text(json.dumps({"name": "cli", "description": "via put"}))
    datahub("put", "--urn", urn, "--aspect", "datasetProperties", "--aspect-data", "properties.json")
    assert (
        json.loads(datahub("get", "--urn", urn, "--aspect", "datasetProperties"))["datasetProperties"]["name"] == "cli"
    )
    proposal = {"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "status"}
    (tmp_path / "mcps.json").write_text(json.dumps([proposal | {"aspect": {"json": {"removed": True}}}]))
    recipe = {"run_id": "run-of-a-file", "source": {"type": "file", "config": {"path": "mcps.json"}}}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    datahub("ingest", "run", "-c", "recipe.json", "--no-progress")
    assert json.loads(datahub("get", "--urn", urn, "--aspect", "status"))["status"]["removed"] is True
    assert "run-of-a-file" in datahub("ingest", "list-runs")
    datahub("ingest", "rollback", "--run-id", "run-of-a-file", "--force")
    assert "run-of-a-file" not in datahub("ingest", "list-runs")
    datahub("delete", "--urn", urn, "--hard", "--force")
    assert datahub("exists", "--urn", urn).strip() == "false"


def test_aspects_written_by_people_survive_reading_and_writing_back(program: Program) -> None:
    found = program("""
import urllib.parse, urllib.request
from datahub.sdk import DataHubClient
from datahub.metadata.urns import CorpUserUrn
from datahub.specific.dataset import DatasetPatchBuilder
t = urn("united.t")
at = f"{URL.removesuffix('datahub')}api/entities/{urllib.parse.quote(t, safe='')}"
headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}
def ask(where, value=None, method="GET"):
    body = None if value is None else json.dumps(value).encode()
    with urllib.request.urlopen(urllib.request.Request(where, body, headers, method=method)) as answer:
        return json.load(answer)
def own(name): return ask(at)["aspects"].get(name, {}).get("value")
def machines(*tags): return GlobalTagsClass([TagAssociationClass(f"urn:li:tag:{one}") for one in tags])
term = GlossaryTermAssociationClass("urn:li:glossaryTerm:Sales.Margin")
emitter.emit_mcps([MCP(entityUrn=t, aspect=one) for one in (
    DatasetPropertiesClass(name="t", description="by machines"), machines("machine"),
    GlossaryTermsClass([term], AuditStampClass(0, "urn:li:corpuser:m")),
    OwnershipClass([OwnerClass("urn:li:corpuser:bob", OwnershipTypeClass.DATAOWNER)]))])
people = {"properties": {"owner": "ada", "description": "by ada"}, "tags": ["pii", "raw"]}
ask(at + "/aspects/businessMetadata", people, "PUT")

client = DataHubClient(server=URL, token=TOKEN)
def read():
    table = client.entities.get(t)
    return [[one.tag.removeprefix("urn:li:tag:") for one in table.tags], [str(one.urn) for one in table.terms],
        [one.owner.removeprefix("urn:li:corpuser:") for one in table.owners], table.description]
before = read()
table = client.entities.get(t)
client.entities.update(table)
same = read() == before
table.add_tag("urn:li:tag:x")
table.add_term("urn:li:glossaryTerm:Sales.Net")
table.add_owner("urn:li:corpuser:eve")
client.entities.update(table)
g = graph()
tags = g.get_aspect(t, GlobalTagsClass)
tags.tags.append(TagAssociationClass("urn:li:tag:y"))
g.emit_mcp(MCP(entityUrn=t, aspect=tags))
added = [read(), [one["tag"] for one in own("globalTags")["tags"]], len(own("ownership")["owners"]), own("businessMetadata") == people]
builder = DatasetPatchBuilder(t)
builder.remove_tag("urn:li:tag:pii").remove_tag("urn:li:tag:x").remove_owner(CorpUserUrn("ada"), OwnershipTypeClass.NONE)
for one in builder.build():
    emitter.emit(one)
print(json.dumps([before, same, added, read(), own("businessMetadata")]))
""")
    before, same, (added, own, owners, people), after, recorded = found
    assert before == [["machine", "pii", "raw"], ["urn:li:glossaryTerm:Sales.Margin"], ["bob", "ada"], "by ada"]
    assert same
    assert [sorted(one) for one in added[:3]] == [
        ["machine", "pii", "raw", "x", "y"],
        ["urn:li:glossaryTerm:Sales.Margin", "urn:li:glossaryTerm:Sales.Net"],
        ["ada", "bob", "eve"],
    ]
    assert own == ["urn:li:tag:machine", "urn:li:tag:x", "urn:li:tag:y"]
    assert (owners, people) == (2, True)
    assert [sorted(after[0]), sorted(after[2])] == [["machine", "raw", "y"], ["bob", "eve"]]
    assert recorded == {"properties": {"description": "by ada"}, "tags": ["raw"]}


def test_what_the_client_states_is_found_shown_and_respected_everywhere(program: Program, server: LiveServer) -> None:
    table, column = program("""
from datahub.metadata import schema_classes as S
from datahub.emitter.mce_builder import make_schema_field_urn
t, now = urn("vocabulary.staff"), S.AuditStampClass(0, "urn:li:corpuser:datahub")
def tags(*names): return S.GlobalTagsClass([S.TagAssociationClass(f"urn:li:tag:{name}") for name in names])
def terms(*names): return S.GlossaryTermsClass([S.GlossaryTermAssociationClass(f"urn:li:glossaryTerm:{name}") for name in names], now)
def field(path, **more):
    return S.SchemaFieldClass(path, S.SchemaFieldDataTypeClass(S.StringTypeClass()), "string", **more)
schema = S.SchemaMetadataClass("staff", "urn:li:dataPlatform:spark", 0, "", S.OtherSchemaClass(""),
    [field("[version=2.0].[type=string].ssn", globalTags=tags("confidential")), field("pay"), field("name")])
edited = S.EditableSchemaMetadataClass([S.EditableSchemaFieldInfoClass("pay", globalTags=tags("confidential"), glossaryTerms=terms("c0de"))])
for of, aspect in ((t, tags("platinum")), (t, terms("c0de")), (t, schema), (t, edited),
    (t, S.OwnershipClass([S.OwnerClass("urn:li:corpuser:hopper", S.OwnershipTypeClass.DATAOWNER)])),
    (t, S.DomainsClass(["urn:li:domain:d1"])), (t, S.EditableDatasetPropertiesClass(description="Everybody on the zenith payroll")),
    ("urn:li:glossaryTerm:c0de", S.GlossaryTermInfoClass("Personal data", "INTERNAL", name="Personal Data")),
    ("urn:li:domain:d1", S.DomainPropertiesClass("Human Resources")), ("urn:li:tag:platinum", S.TagPropertiesClass("Platinum Tier")),
    ("urn:li:corpuser:hopper", S.CorpUserInfoClass(True, displayName="Grace Hopper"))):
    emitter.emit_mcp(MCP(entityUrn=of, aspect=aspect))
print(json.dumps([t, make_schema_field_urn(t, "ssn")]))
""")
    catalog = server.create_client()
    for filters in ({"tag": "Platinum Tier"}, {"term": "c0de"}, {"domain": "Human Resources"}, {"owner": "hopper"}):
        found = catalog.search("zenith", **filters)
        assert [hit["urn"] for hit in found["hits"]] == [table], filters
    assert found["facets"]["domain"] == [{"value": "d1", "count": 1, "name": "Human Resources"}]
    (hit,) = found["hits"]
    assert (hit["tags"], hit["terms"], hit["owner"]) == (["Platinum Tier"], ["Personal Data"], "Grace Hopper")
    shown = Queries(catalog).show(table)
    assert {("SYSTEM", "tag", "Platinum Tier", ""), ("SYSTEM", "term", "Personal Data", "")} <= set(shown.rows)
    assert ("USER", "property", "description", "Everybody on the zenith payroll") in shown.rows
    assert {one["name"] for one in shown.document["fields"]} == {"pay", "ssn"}
    # What the mask stage, `tags_of` and crawls ask.
    for urn, scope in ((column, "SYSTEM"), (column.replace("ssn", "pay"), "USER")):
        assert catalog.read_entity_metadata(urn)[scope]["tags"] == ["confidential"]
    catalog.close()
