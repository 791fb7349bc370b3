"""Authentication on every route, authorization, kernel tokens, XSRF and origins."""

import asyncio
import re
from functools import partial
from getpass import getuser
from typing import Any

import pytest
from jupyter_colophon.http.authenticated_request import RESOURCE
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.operations.datahub.api import DATAHUB
from jupyter_colophon.operations.elyra.api import ELYRA
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE
from jupyter_colophon.operations.v3.api import V3
from jupyter_server.auth.authorizer import Authorizer
from support.browser import sign_in
from support.catalog import build_metadata_value
from support.urns import CELL, ORDERS, build_table_urn
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")
NO_TOKEN = "the token is wrong or missing ('_xsrf' argument missing from POST)"
#: One of the APIs of Jupyter that refuse the token of a kernel.
USES_TERMINALS = True
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def examples() -> list[tuple[str, str]]:
    """Every method of every path, also those that are not served, with a path that fits."""
    paths = dict.fromkeys([one.path for one in NATIVE.operations] + ["/nowhere"])
    return [(method, re.sub(r"\{[a-z]+\}", "x", path)) for path in paths for method in METHODS]


async def test_every_method_of_every_route_refuses_strangers_without_a_word(api: Any, sales: None) -> None:
    requested = [(method, path) for method, path in examples() if path != "/changes/ws"]
    assert len(requested) > 20
    for method, path in requested:
        for headers in ({}, {"Authorization": "token eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9."}):
            found = await api(method, *path.strip("/").split("/"), anonymous=True, headers=headers)
            assert found.status == 403, (method, path)
            recorded = ("you are not signed in, or your token does not permit this request", "Forbidden", NO_TOKEN)
            assert found.body["detail"] in recorded


async def test_path_parameter_does_not_bypass_authentication(api: Any, sales: None) -> None:
    for tail in (";v1/users/login", "/../../../api/status", "/%2e%2e/api"):
        assert (await api("GET", "entities", ORDERS + tail, anonymous=True)).status in (400, 403, 404)


async def test_kernel_may_annotate_and_emit_but_not_delete(api: Any, sales: None, kernel: Any) -> None:
    async def requested(method: str, *path: str, body: Any = None) -> int:
        return (await api(method, *path, body=body, anonymous=True, headers=kernel)).status

    me = await api("GET", "me", anonymous=True, headers=kernel, answers="me")
    assert (me.body["via"], me.body["scopes"]) == ("kernel-1", ["annotate", "emit", "read"])
    assert await requested("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"})) == 200
    assert await requested("PUT", *TECHNICAL, body=build_metadata_value({"rows": "3"})) == 200
    assert await requested("POST", "runs", body={"program": CELL, "runId": "r", "start": "2026-11-20T12:00:00Z"}) == 200
    assert await requested("DELETE", "entities", ORDERS) == 403
    batch = {"proposals": [{"urn": ORDERS, "operation": "delete"}]}
    assert await requested("POST", "proposals", body=batch) == 403
    assert "Set-Cookie" not in me.headers  # nor does it get a browser's rights for its token
    found = await api("GET", *BUSINESS, answers="aspect")
    assert (found.body["actor"], found.body["via"]) == ("ada", "kernel-1")


async def test_a_kernels_token_dies_with_the_kernel(api: Any, kernel: Any, jp_serverapp: Any) -> None:
    assert (await api("GET", "me", anonymous=True, headers=kernel)).status == 200
    bearer = {"Authorization": kernel["Authorization"].replace("token", "Bearer")}
    assert (await api("GET", "me", anonymous=True, headers=bearer)).status == 200
    endpoint = jp_serverapp.web_app.settings[SETTING]
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    question = {"after": head, "waitSeconds": 30}
    waiting = asyncio.ensure_future(api("GET", "changes", params=question, anonymous=True, headers=kernel))
    while not endpoint.change_hub.count:
        await asyncio.sleep(0.01)
    endpoint.tokens.revoke_token_and_close_connections("kernel-1")
    assert (await waiting).status == 403
    assert (await api("GET", "me", anonymous=True, headers=kernel)).status == 403


async def test_kernel_token_is_not_accepted_by_jupyters_apis(
    kernel: Any, http_server_client: Any, jp_base_url: str
) -> None:
    for path in ("api/contents", "api/kernels", "api/me", "api/terminals"):
        with pytest.raises(HTTPClientError) as refused:
            await http_server_client.fetch(f"{jp_base_url}{path}", headers=kernel)
        assert refused.value.code in (401, 403), path
    token = kernel["Authorization"].split()[1]
    with pytest.raises(HTTPClientError) as refused:
        await http_server_client.fetch(f"{jp_base_url}colophon/api/me?token={token}")
    assert refused.value.code == 403


class ReadOnly(Authorizer):
    """An authorizer that allows only reads, and records its calls."""

    requested: list[tuple[str, str]]

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        self.requested.append((action, resource))
        return action == "read"


async def test_jupyters_authorizer_decides_before_anything_is_looked_at(
    api: Any, sales: None, jp_serverapp: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    authorizer = ReadOnly(parent=jp_serverapp)
    authorizer.requested = []
    jp_serverapp.web_app.settings["authorizer"] = authorizer
    assert (await api("GET", *TECHNICAL, answers="aspect")).status == 200
    for body in (build_metadata_value(), {"no": "metadata"}, b"{"):
        assert (await api("PUT", *BUSINESS, body=body)).status == 403
    assert (await api("DELETE", "entities", ORDERS)).status == 403
    assert (await api("GET", "search", params={"q": "orders"}, answers="search-results")).status == 200
    assert authorizer.requested == [("read", RESOURCE), *[("write", RESOURCE)] * 4, ("read", RESOURCE)]
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    with pytest.raises(HTTPClientError) as refused:
        await websocket_connect(HTTPRequest(url, headers=jp_auth_header))
    assert (refused.value.code, authorizer.requested[-1]) == (403, ("execute", RESOURCE))


async def test_reader_may_call_only_read_actions(datahub: Any, jp_serverapp: Any) -> None:
    authorizer = ReadOnly(parent=jp_serverapp)
    authorizer.requested = []
    jp_serverapp.web_app.settings["authorizer"] = authorizer
    count = await datahub("POST", "aspects", params={"action": "getCount"}, body={"aspect": "status"})
    assert (count.status, list(count.body)) == (200, ["value"])
    written = await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=b"{")
    assert (written.status, authorizer.requested[-1]) == (403, ("write", RESOURCE))


async def test_only_a_page_opened_with_a_token_gets_a_cookie(api: Any, sales: None) -> None:
    program = await api("PUT", *BUSINESS, body=build_metadata_value(), headers={"X-Request-Id": "program"})
    assert (program.status, program.headers.get("Set-Cookie")) == (200, None)
    assert (await api("GET", *BUSINESS, answers="aspect")).body["actor"] == getuser()
    wrong = await api("GET", *BUSINESS, anonymous=True, headers={"Authorization": "token wrong"})
    assert wrong.status == 403


async def test_a_browsers_write_needs_the_xsrf_token(
    api: Any, sales: None, jp_serverapp: Any, http_server_client: Any, jp_base_url: str
) -> None:
    cookie = await sign_in(jp_serverapp, http_server_client, jp_base_url)
    assert (await api("GET", *TECHNICAL, anonymous=True, headers={"Cookie": cookie})).status == 200
    forged = await api("PUT", *BUSINESS, anonymous=True, headers={"Cookie": cookie}, body=build_metadata_value())
    assert (forged.status, forged.body["detail"]) == (403, "'_xsrf' argument missing from POST")
    page = {"Cookie": cookie, "Sec-Fetch-Mode": "no-cors", "Content-Type": "application/x-www-form-urlencoded"}
    assert (await api("POST", "proposals", anonymous=True, headers=page, body=b"a=1")).status == 403
    assert (await api("GET", *BUSINESS)).status == 404
    token = re.search(r"_xsrf=([^;]+)", cookie)
    assert token is not None
    headers = {"Cookie": cookie, "X-XSRFToken": token[1]}
    assert (await api("PUT", *BUSINESS, anonymous=True, headers=headers, body=build_metadata_value())).status == 200


async def test_no_page_of_another_origin_listens(
    jp_serverapp: Any, http_server_client: Any, jp_base_url: str, jp_http_port: int
) -> None:
    cookie = await sign_in(jp_serverapp, http_server_client, jp_base_url)
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    with pytest.raises(HTTPClientError) as refused:
        await websocket_connect(HTTPRequest(url, headers={"Cookie": cookie, "Origin": "https://evil.example"}))
    assert refused.value.code == 403
    with pytest.raises(HTTPClientError) as refused:
        await websocket_connect(url)
    assert refused.value.code == 403


async def test_no_path_of_any_api_answers_strangers(http_server_client: Any, jp_base_url: str) -> None:
    apis = (NATIVE, V3, DATAHUB, OPENLINEAGE, ELYRA)
    paths = {(one.method, api.prefix + re.sub(r"\{[a-z]+\}", "x", one.path)) for api in apis for one in api.operations}
    assert len(paths) > 150
    for method, path in sorted(paths):
        body = b"{}" if method in ("POST", "PUT", "PATCH") else None
        url = f"{jp_base_url.rstrip('/')}{path}"
        found = await http_server_client.fetch(url, method=method, body=body, raise_error=False)
        assert found.code == 403, (method, path)


class TestPolicies:
    """A class of the site's own, named in the settings."""

    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any], request: pytest.FixtureRequest) -> dict[str, Any]:
        named = {"policy": f"support.policies.{request.param}"}
        return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | named}

    @pytest.mark.parametrize("jp_server_config", ["HiddenAndReadOnlyNamespaces"], indirect=True)
    async def test_policy_only_restricts_token_scopes(self, api: Any, kernel: Any) -> None:
        paths = {name: ("entities", build_table_urn("orders", name), "aspects") for name in ("secret", "shown", "open")}
        for path in paths.values():
            assert (
                await api("PUT", *path, "technicalMetadata", body=build_metadata_value({"rows": "1"}))
            ).status == 200
        asks = partial(api, anonymous=True, headers=kernel)
        found = {name: (await asks("GET", *path, "technicalMetadata")).status for name, path in paths.items()}
        assert found == {"secret": 404, "shown": 200, "open": 200}
        fields = {name: ("entities", build_table_urn("orders", name), "fields", "metadata") for name in paths}
        assert {name: (await asks("GET", *path)).status for name, path in fields.items()} == found
        body = build_metadata_value({"rows": "2"})
        found = {
            name: (await asks("PUT", *path, "technicalMetadata", body=body)).status for name, path in paths.items()
        }
        assert found == {"secret": 404, "shown": 403, "open": 200}
        assert {one["urn"] for one in (await asks("GET", "search", params={"q": "orders"})).body["hits"]} == {
            build_table_urn("orders", "shown"),
            build_table_urn("orders", "open"),
        }
        assert (await asks("DELETE", "entities", build_table_urn("orders", "open"))).status == 403

    @pytest.mark.parametrize("jp_server_config", ["FailingPolicy"], indirect=True)
    async def test_failing_policy_denies_everything(self, api: Any) -> None:
        for name, status in (("secret", 404), ("open", 200)):
            path = ("entities", build_table_urn("orders", name), "aspects", "technicalMetadata")
            assert (await api("PUT", *path, body=build_metadata_value({"rows": "1"}))).status == status

    @pytest.mark.parametrize("jp_server_config", ["NotAPolicy", "None"], indirect=True)
    async def test_unusable_policy_denies_everything(self, api: Any) -> None:
        reported = await api("GET", "search", params={"q": "x"}, documented=False)
        assert reported.status >= 500
        assert "c.Colophon.policy" in reported.body["detail"]
