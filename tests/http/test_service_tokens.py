"""Service tokens: rights, header forms, expiry, rotation and revocation, in every API."""

import asyncio
import json
import logging
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.service_token import generate_service_token, hash_token
from jupyter_colophon.http import service_tokens
from jupyter_colophon.http.state import SETTING
from support.catalog import build_metadata_value
from support.change_socket import open_change_socket
from support.events import open_event_stream
from support.process import run_script
from support.service_tokens import create_service_token
from support.urns import ORDERS, build_table_urn
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

#: One of the APIs of Jupyter that refuse a service token.
USES_TERMINALS = True
IDENTITY = IdentityRules()
INVALID = "the service token is not valid: it is unknown, expired or revoked"
BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
#: A read of each API, and MCP over HTTP.
READS = {
    "native": "colophon/api/me",
    "cdap": "colophon/v3/namespaces",
    "datahub": "colophon/datahub/config",
    "openlineage": "colophon/openlineage/api/v1/namespaces",
    "elyra": "elyra/schemaspace",
}


def caller(api: Any, headers: dict[str, str]) -> Any:
    return partial(api, anonymous=True, headers=headers)


@pytest.mark.each_store
async def test_token_has_its_scopes_and_its_account_is_the_actor(api: Any, sales: None) -> None:
    program = caller(api, await create_service_token(api, "crawler", "read", "annotate"))
    me = (await program("GET", "me", answers="me")).body
    assert (me["user"]["username"], me["via"]) == ("service:crawler", "service:crawler")
    assert (me["scopes"], me["namespaces"]) == (["annotate", "read"], None)
    assert (await program("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))).status == 200
    aspect = (await api("GET", *BUSINESS, answers="aspect")).body
    assert (aspect["actor"], aspect["via"]) == ("service:crawler", "service:crawler")
    technical = ("entities", ORDERS, "aspects", "technicalMetadata")
    assert (await program("PUT", *technical, body=build_metadata_value())).status == 403
    assert (await program("DELETE", "entities", ORDERS)).status == 403


async def test_token_without_read_can_only_emit(api: Any, openlineage: Any, sales: None) -> None:
    program = await create_service_token(api, "airflow", "emit")
    assert (await api("GET", "search", params={"q": "*"}, anonymous=True, headers=program)).status == 403
    event = {"eventTime": "2026-11-20T12:00:00Z", "producer": "https://x.example", "schemaURL": "https://x.example"}
    run = {"run": {"runId": "0176a8c2-fe01-7439-87e6-56a1a1b4029f"}, "job": {"namespace": "etl", "name": "load"}}
    sent = await openlineage(
        "POST", "api", "v1", "lineage", body=event | run | {"eventType": "START"}, anonymous=True, headers=program
    )
    assert sent.status in (201, 404)


@pytest.mark.each_store
async def test_restricted_token_neither_reads_nor_writes_elsewhere(api: Any, sales: None) -> None:
    other = ("entities", build_table_urn("people", "hr"), "aspects", "technicalMetadata")
    assert (await api("PUT", *other, body=build_metadata_value({"rows": "1"}))).status == 200
    scopes = ("read", "annotate", "emit", "admin")
    program = caller(api, await create_service_token(api, "dbt", *scopes, namespaces=["sales"]))
    assert (await program("GET", "me", answers="me")).body["namespaces"] == ["sales"]
    assert (await program("GET", *other)).status == 404
    assert (await program("PUT", *other, body=build_metadata_value({"rows": "2"}))).status == 404
    assert (await program("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))).status == 200
    found = (await program("GET", "search", params={"q": "*"}, answers="search-results")).body
    assert {hit["namespace"] for hit in found["hits"]} == {"sales"}
    changes = (await program("GET", "changes", params={"limit": 500}, answers="changes")).body["changes"]
    assert {change["namespace"] for change in changes} == {"sales"}
    # Its scope admin is that of its namespaces: what concerns all of them is denied.
    assert (await program("GET", "service-tokens")).status == 403
    assert (await program("GET", "schemaspaces", "code-snippets", "instances")).status == 404


@pytest.mark.each_store
async def test_batch_of_restricted_token_is_restricted_when_it_is_applied(api: Any, sales: None) -> None:
    program = caller(api, await create_service_token(api, "dbt", "read", "emit", "annotate", namespaces=["sales"]))
    urns = [ORDERS, build_table_urn("people", "hr")]
    for urn in urns:
        proposal = {"urn": urn, "aspect": "businessMetadata", "operation": "upsert", "value": build_metadata_value()}
        await program("POST", "proposals", params={"async": "true"}, body={"proposals": [proposal]})
    for _ in range(600):
        health = (await api("GET", "health")).body
        if not health["inbox"]["pending"]:
            break
        await asyncio.sleep(0.05)
    statuses = [(await api("GET", "entities", urn, "aspects", "businessMetadata")).status for urn in urns]
    assert statuses == [200, 404]


async def test_every_api_accepts_both_header_forms(
    api: Any, sales: None, http_server_client: Any, jp_base_url: str
) -> None:
    program = await create_service_token(api, "ci", "read")
    token = program["Authorization"].split()[1]
    for name, path in READS.items():
        for scheme in ("token", "Token", "Bearer", "bearer", "BEARER"):
            headers = {"Authorization": f"{scheme} {token}"}
            found = await http_server_client.fetch(f"{jp_base_url}{path}", headers=headers, raise_error=False)
            assert found.code == 200, (name, scheme, found.body)
        wrong = {"Authorization": f"Bearer {token}x"}
        refused = await http_server_client.fetch(f"{jp_base_url}{path}", headers=wrong, raise_error=False)
        assert (refused.code, refused.headers["WWW-Authenticate"]) == (401, "Bearer"), name
        assert INVALID in refused.body.decode()


async def test_assistant_may_use_a_service_token(
    api: Any, sales: None, http_server_client: Any, jp_base_url: str
) -> None:
    program = await create_service_token(api, "assistant", "read")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = program | {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    found = await http_server_client.fetch(
        f"{jp_base_url}colophon/mcp", method="POST", body=json.dumps(message), headers=headers, raise_error=False
    )
    assert found.code == 200, found.body


async def test_other_routes_of_the_server_do_not_accept_it(api: Any, http_server_client: Any, jp_base_url: str) -> None:
    program = await create_service_token(api, "ci", "read", "annotate", "emit", "admin")
    for path in ("api/contents", "api/kernels", "api/me", "api/terminals"):
        with pytest.raises(HTTPClientError) as refused:
            await http_server_client.fetch(f"{jp_base_url}{path}", headers=program)
        assert refused.value.code in (401, 403), path
    token = program["Authorization"].split()[1]
    with pytest.raises(HTTPClientError) as refused:
        await http_server_client.fetch(f"{jp_base_url}colophon/api/me?token={token}")
    assert refused.value.code == 403


async def test_unknown_expired_and_revoked_tokens_get_the_same_401(
    api: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    revoked = await create_service_token(api, "revoked", "read")
    expired = await create_service_token(api, "expired", "read", expiresInDays=1)
    assert (await api("GET", "me", anonymous=True, headers=expired)).status == 200
    assert (await api("DELETE", "service-tokens", "revoked", answers="service-token")).status == 200
    day_later = service_tokens._read_time_ms() + 25 * 60 * 60 * 1000
    monkeypatch.setattr(service_tokens, "_read_time_ms", lambda: day_later)
    await asyncio.sleep(1)
    unknown = {"Authorization": f"Bearer {generate_service_token()}"}
    answers = [await api("GET", "me", anonymous=True, headers=headers) for headers in (unknown, expired, revoked)]
    assert {(answer.status, answer.body["detail"]) for answer in answers} == {(401, INVALID)}
    assert len({json.dumps(answer.body) for answer in answers}) == 1
    listed = (await api("GET", "service-tokens", answers="service-tokens")).body["serviceTokens"]
    assert [token["name"] for token in listed] == ["expired"]


async def test_rotation_keeps_the_earlier_token_for_the_overlap_alone(api: Any) -> None:
    first = await create_service_token(api, "ci", "read")
    body = {"overlapSeconds": 1_000}
    second = await api("POST", "service-tokens", "ci", "rotate", body=body, answers="issued-service-token")
    both = [first, {"Authorization": f"Bearer {second.body['token']}"}]
    await asyncio.sleep(0.5)
    assert [(await api("GET", "me", anonymous=True, headers=one)).status for one in both] == [200, 200]
    third = await api("POST", "service-tokens", "ci", "rotate", answers="issued-service-token")
    assert (third.body["scopes"], third.body["previousExpires"]) == (["read"], None)
    tokens = [*both, {"Authorization": f"Bearer {third.body['token']}"}]
    await asyncio.sleep(1)
    assert [(await api("GET", "me", anonymous=True, headers=one)).status for one in tokens] == [401, 401, 200]


@pytest.mark.each_store
async def test_revocation_by_another_process_ends_requests_and_connections(
    api: Any, sales: None, jp_serverapp: Any, jp_http_port: int, jp_base_url: str
) -> None:
    program = await create_service_token(api, "ci", "read")
    spared = await create_service_token(api, "other", "read")
    state = jp_serverapp.web_app.settings[SETTING]
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    socket, other = [await open_change_socket(url, headers) for headers in (program, spared)]
    stream = await open_event_stream(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", program)
    assert await stream.read_next() is not None
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    question = {"after": head, "waitSeconds": 30}
    waiting = asyncio.ensure_future(api("GET", "changes", params=question, anonymous=True, headers=program))
    while state.change_hub.count < 4:
        await asyncio.sleep(0.01)
    script = (
        "import json, sys\n"
        "from jupyter_colophon.core.access import Principal\n"
        "from jupyter_colophon.core.store import StorageChoice\n"
        "from jupyter_colophon.core.identity.names import IdentityRules\n"
        "from jupyter_colophon.composition import open_or_create_catalog\n"
        "catalog = open_or_create_catalog(StorageChoice(**json.loads(sys.argv[1])), IdentityRules())\n"
        "catalog.service_tokens.revoke_token('ci', Principal('ada'))\n"
        "catalog.close()\n"
    )
    store = json.dumps({"provider": state.store.provider, "options": dict(state.store.options)})
    await asyncio.to_thread(run_script, script, store)
    assert (await waiting).status == 401
    assert await socket.read_message() is None
    assert (socket.socket.close_code, socket.socket.close_reason) == (
        4401,
        "the service token was revoked, or has expired",
    )
    assert (await stream.read_next())[1:] == ("end", {"reason": "the service token was revoked, or has expired"})
    assert await stream.read_next() is None
    assert (await api("GET", "me", anonymous=True, headers=program)).status == 401
    assert (await api("GET", "me", anonymous=True, headers=spared)).status == 200
    other.socket.close()


async def test_websocket_with_an_invalid_token_is_refused(api: Any, jp_http_port: int, jp_base_url: str) -> None:
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    headers = {"Authorization": f"Bearer {generate_service_token()}"}
    with pytest.raises(HTTPClientError) as refused:
        await websocket_connect(HTTPRequest(url, headers=headers))
    assert refused.value.code == 401


async def test_only_administrators_manage_tokens(api: Any, kernel: Any) -> None:
    await create_service_token(api, "emitter", "read", "emit")
    reader = await create_service_token(api, "reader", "read", "emit")
    admin = await create_service_token(api, "admin", "read", "admin")
    requests = [
        ("GET", ("service-tokens",), None),
        ("POST", ("service-tokens",), {"name": "mine", "scopes": ["read"]}),
        ("GET", ("service-tokens", "emitter"), None),
        ("POST", ("service-tokens", "emitter", "rotate"), None),
        ("DELETE", ("service-tokens", "emitter"), None),
    ]
    for headers in (kernel, reader):
        for method, path, body in requests:
            assert (await api(method, *path, body=body, anonymous=True, headers=headers)).status == 403, path
    program = caller(api, admin)
    assert (await program("GET", "service-tokens", answers="service-tokens")).status == 200
    # It cannot issue what it does not have, neither a new token nor that of another account.
    stronger = {"name": "mine", "scopes": ["read", "emit"]}
    assert (await program("POST", "service-tokens", body=stronger)).status == 403
    assert (await program("POST", "service-tokens", "emitter", "rotate")).status == 403
    assert (await program("POST", "service-tokens", body={"name": "mine", "scopes": ["read"]})).status == 201


async def test_invalid_creations_are_refused_with_a_pointer(api: Any) -> None:
    valid = {"name": "ci", "scopes": ["read"]}
    wrong = {
        "/name": {"name": "Not A Name"},
        "/scopes": {"scopes": []},
        "/scopes/0": {"scopes": ["everything"]},
        "/namespaces": {"namespaces": []},
        "/expiresInDays": {"expiresInDays": 366},
    }
    for pointer, change in wrong.items():
        refused = await api("POST", "service-tokens", body=valid | change)
        assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, pointer)
    created = await api("POST", "service-tokens", body=valid, answers="issued-service-token")
    assert created.status == 201
    assert (await api("POST", "service-tokens", body=valid)).status == 409
    for method, path in (("GET", ()), ("DELETE", ()), ("POST", ("rotate",))):
        assert (await api(method, "service-tokens", "none", *path)).status == 404


async def test_token_appears_only_in_the_answer_that_issues_it(
    api: Any, sales: None, jp_serverapp: Any, caplog: pytest.LogCaptureFixture, openlineage: Any, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    issued = await api("POST", "service-tokens", body={"name": "canary", "scopes": ["read", "annotate", "admin"]})
    canary = issued.body["token"]
    program = caller(api, {"Authorization": f"Bearer {canary}"})
    answers = [await program("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))]
    answers += [await program("PUT", *BUSINESS, body={"wrong": 1}), await program("GET", "nowhere")]
    for path in (("health",), ("me",), ("service-tokens",), ("service-tokens", "canary"), (*BUSINESS, "versions")):
        answers.append(await program("GET", *path))
    answers.append(await program("GET", "changes", params={"limit": 500}))
    answers.append(await api("GET", "me", anonymous=True, headers={"Authorization": f"Bearer {canary}x"}))
    answers.append(await api("GET", "search", params={"q": canary}))
    shown = "\n".join(json.dumps([answer.body, dict(answer.headers)]) for answer in answers[:-1])
    assert "canary" in shown
    assert canary not in shown
    # Only the hash is stored.
    catalog = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog()
    assert [item.hash for item in catalog.service_tokens.list_accepted_hashes()] == [hash_token(canary)]
    database = Path(jp_serverapp.web_app.settings[SETTING].store.options["path"])
    assert all(canary.encode() not in file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("jupyter_colophon"))
    assert "the service token canary was created by" in logged
    assert canary not in logged


async def test_last_use_is_recorded(api: Any) -> None:
    program = await create_service_token(api, "ci", "read")
    unused = (await api("GET", "service-tokens", "ci", answers="service-token")).body
    assert unused["lastUsed"] is None
    assert (await api("GET", "me", anonymous=True, headers=program)).status == 200
    for _ in range(600):
        used = (await api("GET", "service-tokens", "ci", answers="service-token")).body["lastUsed"]
        if used is not None:
            break
        await asyncio.sleep(0.05)
    assert used is not None
    # Further uses within the minute are not written one by one.
    for _ in range(5):
        assert (await api("GET", "me", anonymous=True, headers=program)).status == 200
    assert (await api("GET", "service-tokens", "ci", answers="service-token")).body["lastUsed"] == used


HEADERS = st.one_of(
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=80),
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(["token", "Bearer", "Basic", "bearer", ""]),
        st.sampled_from([" ", "  ", "\t", ""]),
        st.sampled_from(["colophon_", "colophon_x", "COLOPHON_", generate_service_token()]),
        st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=50),
    ),
)


async def test_no_header_form_without_a_valid_token_is_accepted(api: Any, jp_auth_header: Any) -> None:
    await create_service_token(api, "ci", "read")
    loop = asyncio.get_running_loop()
    server_token = jp_auth_header["Authorization"].split()[1]

    @given(HEADERS.filter(lambda header: server_token not in header))
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    def refuse(header: str) -> None:
        answer = asyncio.run_coroutine_threadsafe(
            api("GET", "me", anonymous=True, headers={"Authorization": header}), loop
        ).result(60)
        assert answer.status in (401, 403), header
        is_service_token = re.fullmatch(r"(?i:token|bearer)\s+colophon_\S*\s*", header.strip())
        assert answer.status == (401 if is_service_token else 403), header

    await asyncio.to_thread(refuse)
