"""Sensitive values are in no output: every operation that reads is called, as the operations declare them.

A new operation needs a request in `test_answer_sizes.READS`, which a test there requires, and is included here by that.
"""

import getpass
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.assistants import connect_assistant
from support.catalog import build_metadata_value
from support.change_socket import open_change_socket
from support.events import open_event_stream
from support.openlineage import RUN, build_event, build_event_dataset
from support.reads import load_answer_sizes
from support.snippets import SPACE

_SIZES = load_answer_sizes()
ORDERS, PROFILED, ask = _SIZES.ORDERS, _SIZES.PROFILED, _SIZES.ask
#: A value of a column, which is confidential; a secret of an instance; a secret that a schema refuses.
VALUE, SECRET, REFUSED = "canary-value-7q", "canary-secret-8w", "canary-refused-9e"
COLUMN = "ssn"
SECRETS_SPACE, SECRETS_NAME, SECRETS_SCHEMA = "runtimes", "work", "kfp"
RUNTIME = {
    "api_endpoint": "https://kfp.example/pipeline",
    "cos_endpoint": "https://cos.example",
    "cos_bucket": "bucket",
    "cos_username": "ada",
    "cos_password": SECRET,
    "cos_auth_type": "USER_CREDENTIALS",
    "engine": "Argo",
    "auth_type": "NO_AUTHENTICATION",
    "runtime_type": "KUBEFLOW_PIPELINES",
}
METRICS = dict.fromkeys(("min", "max", "sum"), VALUE) | {"quantiles": {"0.5": VALUE}, "nullCount": 1}
#: The required arguments of tools.
TOOL_ARGUMENTS: dict[str, Any] = {"urn": ORDERS, "query": "t0", "notebook": "large.ipynb"}
#: What is read instead of the entities and instances of `READS`, in paths and parameters.
OTHERS = (
    {},
    {ORDERS: PROFILED},
    {"datasetProperties": "datasetProfile", ORDERS: PROFILED},
    {"datasetProperties": "openLineage"},
    {SPACE: SECRETS_SPACE, "large0": SECRETS_NAME, "code-snippet": SECRETS_SCHEMA},
)


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | {"audit": "on", "audit_reads": True}}


@dataclass(frozen=True)
class Server:
    """How to reach the server's APIs outside the checked clients."""

    fetch: Any
    port: int
    base: str
    headers: dict[str, str]
    user: str


@pytest.fixture
def server(
    jp_serverapp: Any, http_server_client: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: dict[str, str]
) -> Server:
    base = f"{jp_base_url}colophon/"
    return Server(http_server_client.fetch, jp_http_port, base, jp_auth_header, getpass.getuser())


async def put(api: Any, urn: str, aspect: str, value: Any) -> None:
    answer = await api("PUT", "entities", urn, "aspects", aspect, body=value)
    assert answer.status in (200, 201), answer.body


async def fill(api: Any, openlineage: Any) -> dict[str, str]:
    """Record values and secrets in all places that take them; return the URN of a run, and an entry of the inbox."""
    profile = {"fieldPath": COLUMN, "nullCount": 1, "min": VALUE, "max": VALUE, "sampleValues": [VALUE]}
    for urn in (ORDERS, PROFILED):
        await put(api, urn, "schemaMetadata", {"fields": [{"fieldPath": COLUMN, "nativeDataType": "string"}]})
        for at in range(2):
            value = {"timestampMillis": 1_700_000_000_000 + at, "fieldProfiles": [profile | {"nullCount": at}]}
            await put(api, urn, "datasetProfile", value)
    facet = {"_producer": "https://example.org", "_schemaURL": "https://example.org/n.json"}
    for second in range(2):
        metrics = facet | {"rowCount": second, "columnMetrics": {COLUMN: METRICS}}
        dataset = build_event_dataset("t0", dataQualityMetrics=metrics)
        event = build_event(run=f"{RUN[:-2]}0{second}", second=second, inputs=[dataset], outputs=[dataset])
        assert (await openlineage("POST", "api", "v1", "lineage", body=event)).status == 201
    named = (await openlineage("GET", "api", "v1", "namespaces", "postgres://db:5432", "datasets", "t0")).body
    assert VALUE in json.dumps(named)
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,sales),flows.Load)"
    run = str(
        (await api("POST", "runs", body={"program": program, "runId": "0", "start": "2026-01-01T00:00:00Z"})).body[
            "urn"
        ]
    )
    proposal = {"urn": ORDERS, "operation": "upsert", "aspect": "technicalMetadata", "value": build_metadata_value()}
    entry = (await api("POST", "proposals", body={"proposals": [proposal]}, params={"async": "true"})).body["id"]
    await api("PUT", "loads", "night")
    document = {"display_name": "Work", "schema_name": SECRETS_SCHEMA, "metadata": RUNTIME}
    place = ("schemaspaces", SECRETS_SPACE, "instances")
    assert (await api("POST", *place, body=document)).status == 201
    assert (await api("PATCH", *place, SECRETS_NAME, body={"display_name": "Work again"})).status == 200
    return {"run": run, "entry": str(entry)}


async def mark_as_confidential(api: Any) -> None:
    """Mark the column, after its values were recorded."""
    found = (await api("GET", "search", params={"q": "t0", "type": "dataset", "limit": 50})).body["hits"]
    urns = {hit["urn"] for hit in found} | {ORDERS, PROFILED}
    assert len(urns) > 2
    for urn in urns:
        column = f"urn:li:schemaField:({urn},{COLUMN})"
        await put(api, column, "businessMetadata", build_metadata_value({}, ["Confidential"]))


def build_variants(read: Any, names: dict[str, str]) -> Iterator[Any]:
    """Yield the request, and the same for other entities and instances."""
    text = json.dumps([read.path, read.params, read.body]).replace("{run}", names["run"])
    for others in OTHERS:
        replaced = text.replace("{entry}", names["entry"])
        for old, new in others.items():
            replaced = replaced.replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
        path, params, body = json.loads(replaced)
        yield _SIZES.Read(_SIZES.WHOLE, path if isinstance(path, str) else tuple(path), params, body)


async def read_everything(ask: Any, names: dict[str, str]) -> dict[str, str]:
    """Return the answers of all operations that read, by operation and request."""
    answers: dict[str, str] = {}
    for name, method, prefix in _SIZES.reads():
        for read in _SIZES.READS.get(name, ()):
            for variant in build_variants(read, names):
                request = json.dumps([prefix, name, variant.path, variant.params, variant.body])
                if request not in answers:
                    response = await ask(method, prefix, variant)
                    assert response.code < 500, (request, response.code, response.body)
                    answers[request] = (response.body or b"").decode() + str(dict(response.headers))
    return answers


async def refuse_secrets(api: Any, elyra: Any) -> str:
    """Return the answers to requests with a secret that is not valid."""
    place = ("schemaspaces", SECRETS_SPACE, "instances")
    wrong = {"display_name": "Wrong", "schema_name": SECRETS_SCHEMA, "metadata": RUNTIME | {"cos_password": [REFUSED]}}
    answers = [
        await api("POST", *place, body=wrong),
        await api("PATCH", *place, SECRETS_NAME, body={"metadata": {"cos_password": [REFUSED]}}),
        await elyra("POST", "metadata", SECRETS_SPACE, body=wrong),
    ]
    assert [answer.status for answer in answers] == [400, 400, 400]
    return json.dumps([answer.body for answer in answers])


async def read_export(server: Server, path: str, body: Any = None) -> str:
    request = {"method": "GET"} if body is None else {"method": "POST", "body": json.dumps(body)}
    response = await server.fetch(f"{server.base}{path}", headers=server.headers, **request)
    return str(response.body.decode())


async def read_events(server: Server, path: str) -> str:
    """Return the data of all changes, as a stream sends them."""
    listed = json.loads(await read_export(server, f"{path.removesuffix('/stream')}?limit=500"))["changes"]
    events = await open_event_stream(server.port, f"{server.base}{path}", server.headers, after=0)
    assert await events.read_next() is not None
    received = await events.read_until(lambda change: change["seq"] == listed[-1]["seq"])
    events.close()
    return json.dumps(received)


async def read_socket(server: Server, path: str) -> str:
    client = await open_change_socket(f"ws://127.0.0.1:{server.port}{server.base}{path}", server.headers, after=0)
    received = await client.read_until(lambda change: change["seq"] == client.head)
    client.socket.close()
    return json.dumps(received)


#: How each streamed operation is read to its present end.
STREAMS: dict[str, Callable[[Server], Awaitable[str]]] = {
    "exportNamespace": lambda server: read_export(server, "api/export?namespace=sales"),
    "exportSelection": lambda server: read_export(server, "api/export", {"namespace": "default"}),
    "exportAuditEntries": lambda server: read_export(server, "api/audit/export"),
    "exportPerson": lambda server: read_export(server, "api/person-export", {"person": server.user}),
    "readMetrics": lambda server: read_export(server, "api/metrics"),
    "streamChanges": lambda server: read_events(server, "api/changes/stream"),
    "v3StreamChanges": lambda server: read_events(server, "v3/namespaces/sales/metadata/changes/stream"),
    "followChanges": lambda server: read_socket(server, "api/changes/ws"),
}


async def call_tools(server: Server) -> str:
    """Return the answers of all tools of the MCP server."""
    texts = []
    async with connect_assistant(f"http://127.0.0.1:{server.port}{server.base}mcp", server.headers) as client:
        for tool in (await client.list_tools()).tools:
            arguments = {name: TOOL_ARGUMENTS[name] for name in tool.input_schema.get("required", ())}
            result = await client.call_tool(tool.name, arguments)
            assert not result.is_error, (tool.name, result.content)
            texts.append(json.dumps(result.structured_content))
    return "\n".join(texts)


async def test_sensitive_values_are_in_no_output(
    api: Any, elyra: Any, openlineage: Any, ask: Any, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    names = await fill(api, openlineage)
    before = await read_everything(ask, names)
    # The requests reach the values: before the column is marked, many answers have them.
    assert len([text for text in before.values() if VALUE in text]) > 10
    await mark_as_confidential(api)
    answers = await read_everything(ask, names)
    for name, read in STREAMS.items():
        answers[name] = await read(server)
    answers["tools"] = await call_tools(server)
    answers["refusals"] = await refuse_secrets(api, elyra)
    answers["log"] = caplog.text
    for word in (VALUE, SECRET, REFUSED):
        assert (await api("GET", "search", params={"q": word})).body["hits"] == []
        assert [request for request, text in answers.items() if word in text] == []


def test_every_stream_is_read() -> None:
    assert STREAMS.keys() == _SIZES.STREAMED
