"""A real Jupyter server with the extension and a catalog of its own; answers are checked against the API's document."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support import openapi_contract
from support.stores import CATALOGS, READY
from support.urns import ORDERS
from tornado.httpclient import HTTPRequest, HTTPResponse

#: The first request imports the modules of its route, and opens the store: that takes long on a busy machine.
REQUEST_TIMEOUT_S = 120.0
HTTPRequest._DEFAULTS.update(connect_timeout=REQUEST_TIMEOUT_S, request_timeout=REQUEST_TIMEOUT_S)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on SQLite, or on each shipped store where the answer is the store's own: it is marked `each_store`.

    `--storage-provider` runs all of them on another one. A file whose subject is not the store has `STORE_NAMES`.
    """
    if "store_name" in metafunc.fixturenames:
        stores = CATALOGS if metafunc.definition.get_closest_marker("each_store") else CATALOGS[:1]
        chosen = metafunc.config.getoption("--storage-provider") or stores
        metafunc.parametrize("store_name", getattr(metafunc.module, "STORE_NAMES", chosen), scope="session")


@pytest.fixture
def store_settings(store_name: str, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Return the store settings of the server; empty for the default, SQLite."""
    if store_name == "sqlite":
        yield {}
        return
    with READY[store_name](tmp_path) as choice:
        yield {"storage_provider": choice.provider, "storage_options": dict(choice.options)}


@pytest.fixture
def jp_fetch(jp_fetch: Callable[..., Awaitable[HTTPResponse]]) -> Callable[..., Awaitable[HTTPResponse]]:
    """Fetch a path of the server; pytest-jupyter's own fixture waits 20 s."""
    return partial(jp_fetch, request_timeout=REQUEST_TIMEOUT_S)


@pytest.fixture(params=["file", "catalog"])
def kept(request: pytest.FixtureRequest) -> str:
    """Return where instances of schemaspaces are stored; a test that uses it runs once for each."""
    name: str = request.param
    return name


@pytest.fixture
def jp_nbconvert_templates() -> None:
    """Copy no templates: no test here converts a notebook, and copying them costs each server a tenth of its start."""


@pytest.fixture
def jp_server_config(
    jp_server_config: dict[str, Any], store_settings: dict[str, Any], request: pytest.FixtureRequest
) -> dict[str, Any]:
    # Terminals cost each server a tenth of its start; a file that uses them has `USES_TERMINALS`.
    extensions = {
        "jupyter_colophon": True,
        "jupyter_server_terminals": getattr(request.module, "USES_TERMINALS", False),
    }
    server = {"jpserver_extensions": extensions, "allow_unauthenticated_access": False}
    chosen = {"metadata_store": request.getfixturevalue("kept")} if "kept" in request.fixturenames else {}
    return {"ServerApp": server, "Colophon": store_settings | chosen}


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    headers: Any


Call = Callable[..., Awaitable[Answer]]


@dataclass(frozen=True)
class Caller:
    """Sends requests to one of our APIs, and holds every answer against its document."""

    fetch: Any
    prefix: str
    token: Any
    contract: openapi_contract.OpenApiContract

    async def __call__(
        self,
        method: str,
        *path: str,
        body: Any = None,
        answers: str | None = None,
        headers: Any = None,
        params: Any = None,
        anonymous: bool = False,
        documented: bool = True,
    ) -> Answer:
        """`documented=False` skips the check against the API's document; an answer that is not JSON is not parsed then."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        if raw is None and method in ("POST", "PUT", "PATCH"):
            raw = b""
        requested = "/" + "/".join(quote(part, safe="") for part in path)
        found: HTTPResponse = await self.fetch(
            f"{self.prefix}{requested}" + (f"?{urlencode(params)}" if params else ""),
            method=method,
            body=raw,
            headers=(headers or {}) if anonymous else self.token | (headers or {}),
            allow_nonstandard_methods=True,
            raise_error=False,
        )
        if found.code == 599:
            found.rethrow()
        is_json = documented or "html" not in found.headers.get("Content-Type", "")
        document = json.loads(found.body) if found.body and is_json else None
        if documented:
            self.contract.require_described_response(method, requested, found.code, found.headers, document, answers)
        return Answer(found.code, document, found.headers)


@pytest.fixture
def api(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Call:
    """`await api("GET", "entities", urn, params=…, body=…)`. Every answer is held against the API's document.

    `answers` names the document of `schemas/api` that a success has. `documented=False` is for internal errors.
    """
    return Caller(http_server_client.fetch, f"{jp_base_url}colophon/api", jp_auth_header, openapi_contract.NATIVE)


@pytest.fixture
def elyra(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Call:
    """`await elyra("GET", "metadata", "code-snippets")`: the same through the Elyra API."""
    return Caller(http_server_client.fetch, f"{jp_base_url}elyra", jp_auth_header, openapi_contract.ELYRA)


@pytest.fixture
def openlineage(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Call:
    """`await openlineage("POST", "api", "v1", "lineage", body=…)`: the same through the OpenLineage API."""
    prefix = f"{jp_base_url}colophon/openlineage"
    return Caller(http_server_client.fetch, prefix, jp_auth_header, openapi_contract.OPENLINEAGE)


@pytest.fixture
def datahub(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Call:
    """`await datahub("POST", "aspects", params={"action": …}, body=…)`: the same through DataHub's API."""
    return Caller(http_server_client.fetch, f"{jp_base_url}colophon/datahub", jp_auth_header, openapi_contract.DATAHUB)


@pytest.fixture
def sales(api: Call, jp_asyncio_loop: Any) -> None:
    """The namespace `sales` with the dataset `orders`, as a recorder would make them known."""
    proposal = {"urn": ORDERS, "aspect": "technicalMetadata", "operation": "upsert"}
    value = {"properties": {"format": "parquet"}, "tags": []}
    known = api("POST", "proposals", body={"proposals": [proposal | {"value": value}]}, answers="write-results")
    assert jp_asyncio_loop.run_until_complete(known).status == 200


@pytest.fixture
def kernel(jp_serverapp: Any) -> dict[str, str]:
    """The headers of a kernel that this server started."""
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    return {"Authorization": f"token {tokens.issue_token_and_revoke_earlier('kernel-1', User('ada'), 'ada')}"}
