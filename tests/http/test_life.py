"""The life of the extension: nothing slow at the start, and a store that fails harms nothing but itself."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from support.catalog import build_metadata_value
from support.disk import fill_disk
from support.process import run_script
from support.urns import ORDERS
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

#: The catalog's file is in the way, full, private.
STORE_NAMES = ["sqlite"]
TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")
LOAD = """
from jupyter_server.serverapp import ServerApp
server = ServerApp(jpserver_extensions={"jupyter_colophon": True}, open_browser=False, allow_root=True)
server.initialize(argv=[], find_extensions=False, new_httpserver=False)
assert server.extension_manager.extension_apps["jupyter_colophon"]
slow = ("pyspark", "py4j", "jsonschema_rs", "pandas", "IPython", "watchfiles", "mcp", "pydantic", "cattrs")
ours = ("base", "native", "v3", "elyra"), ("storage", "service", "elyra", "schemaspaces", "spark", "pipelines", "composition")
slow += (*(f"jupyter_colophon.http.{name}" for name in ours[0]), *(f"jupyter_colophon.{name}" for name in ours[1]))
print(sorted(name for name in sys.modules if name.startswith(slow)))
"""


def test_server_start_does_not_wait_for_the_extension() -> None:
    assert run_script(LOAD).splitlines()[-1] == "[]"


class TestTheFirstRequests:
    async def test_pending_requests_are_served_once_routes_are_loaded(
        self, api: Any, elyra: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
    ) -> None:
        url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
        me, written, endpoint, unknown, stranger, socket = await asyncio.gather(
            api("GET", "me", answers="me"),
            api("PUT", *TECHNICAL, body=build_metadata_value({"long": "x" * 200_000}), answers="write-result"),
            elyra("GET", "schemaspace"),
            api("GET", "nowhere"),
            api("GET", "me", anonymous=True),
            websocket_connect(HTTPRequest(url, headers=jp_auth_header)),
        )
        assert [one.status for one in (me, written, endpoint, unknown, stranger)] == [200, 200, 200, 404, 403]
        socket.close()

    async def test_that_are_too_large_are_refused_before_they_are_read(self, api: Any) -> None:
        assert (await api("PUT", *TECHNICAL, body=b" " * (11 * 1024 * 1024))).status == 413

    async def test_unknown_prefix_is_left_to_the_server(self, jp_fetch: Any) -> None:
        for path in ("colophon/nowhere", "elyra/nowhere"):
            with pytest.raises(HTTPClientError) as refused:
                await jp_fetch(path)
            assert refused.value.code == 404


async def test_the_catalog_is_opened_by_the_first_request(api: Any, jp_serverapp: Any) -> None:
    path = Path(jp_serverapp.web_app.settings[SETTING].store.options["path"])
    assert not path.exists()
    assert (await api("GET", "me", answers="me")).status == 200
    assert not path.exists()
    health = await api("GET", "health", answers="health")
    assert (health.status, health.body["status"], health.body["store"]["journalMode"]) == (200, "ok", "wal")
    assert [work["name"] for work in health.body["backgroundWork"]] == ["feed", "seals", "audit", "inbox"]
    assert path.exists()


@pytest.mark.parametrize("fault", ["corrupt", "file for a folder", "folder for a file"])
async def test_unavailable_store_is_opened_once_available(
    api: Any, jp_serverapp: Any, jp_fetch: Any, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    path = Path(jp_serverapp.web_app.settings[SETTING].store.options["path"])
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    if fault == "file for a folder":
        path.parent.write_text("in the way")
    else:
        path.parent.mkdir()
        path.mkdir() if fault == "folder for a file" else path.write_bytes(b"no database" * 1_000)
    for _ in range(2):
        for requested in (
            api("GET", *TECHNICAL),
            api("PUT", *TECHNICAL, body=build_metadata_value()),
            api("GET", "search", params={"q": "a"}),
        ):
            refused = await requested
            assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
            assert str(path.parent) not in json.dumps(refused.body)
    health = await api("GET", "health", answers="health")
    assert (health.status, health.headers["Retry-After"]) == (503, "5")
    known = ("changeLog", "subscribers", "inbox", "deadLetters")
    assert [health.body[name] for name in known] == [{"head": None}, None, {"pending": None}, None]
    assert health.body["backgroundWork"] == []
    assert '"User-Agent"' not in caplog.text
    notebook = {"type": "notebook", "content": {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}}
    saved = await jp_fetch("api", "contents", "a.ipynb", method="PUT", body=json.dumps(notebook))
    assert saved.code == 201
    assert (await jp_fetch("api", "contents", "a.ipynb")).code == 200
    if fault == "file for a folder":
        path.parent.unlink()
    elif fault == "folder for a file":
        path.rmdir()
    else:
        path.unlink()
    assert (await api("PUT", *TECHNICAL, body=build_metadata_value(), answers="write-result")).status == 200
    assert (await api("GET", "health", answers="health")).status == 200


async def test_read_only_store_reports_down_but_serves_reads(api: Any, sales: None, jp_serverapp: Any) -> None:
    with fill_disk(Path(jp_serverapp.web_app.settings[SETTING].store.options["path"])):
        health = await api("GET", "health", answers="health")
        write = await api("PUT", *TECHNICAL, body=build_metadata_value({"a": "x" * 9_000}))
        read = await api("GET", *TECHNICAL, answers="aspect")
    assert (health.status, write.status, read.status) == (503, 507, 200)
    assert (await api("GET", "health", answers="health")).status == 200
    assert (await api("PUT", *TECHNICAL, body=build_metadata_value({"a": "b"}), answers="write-result")).status == 200


async def test_data_survive_a_restart(api: Any, sales: None, jp_serverapp: Any) -> None:
    endpoint = jp_serverapp.web_app.settings[SETTING]
    path: Path = Path(endpoint.store.options["path"])
    await api("PUT", *TECHNICAL, body=build_metadata_value({"stays": "yes"}), answers="write-result")
    script = "from pathlib import Path\nfrom support.catalog import list_hit_names, open_catalog_file, search_catalog\n"
    script += "print(list_hit_names(search_catalog(open_catalog_file(Path(sys.argv[1])), 'stays:yes')))"
    assert run_script(script, str(path)).strip() == "['orders']"
    assert os.stat(path).st_mode & 0o777 == 0o600


async def test_kernels_report_run_ends_during_server_shutdown(api: Any, jp_serverapp: Any, jp_fetch: Any) -> None:
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.shop.ipynb#a1)"
    run = await api("POST", "runs", body={"program": program, "runId": "r1", "start": "2026-11-20T12:00:00.000Z"})
    await jp_fetch("api", "kernels", method="POST", allow_nonstandard_methods=True)
    (extension,) = jp_serverapp.extension_manager.extension_apps["jupyter_colophon"]
    await extension.stop_extension()
    assert (await api("PATCH", "runs", run.body["urn"], body={"status": "killed"}, answers="run")).status == 200
    await jp_serverapp.kernel_manager.shutdown_all()
    await extension.stop_extension()
    assert (await api("GET", "search", params={"q": "shop"})).status == 503


async def test_a_path_that_is_not_there_is_a_problem_too(api: Any) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        assert (await api(method, "nowhere", "at all")).status == 404


@pytest.mark.parametrize("path", ["colophon/v3", "colophon/v3/", "colophon/api", "colophon/v3/nothing/of/that"])
async def test_unknown_path_returns_json_404(jp_fetch: Any, path: str) -> None:
    with pytest.raises(HTTPClientError) as refused:
        await jp_fetch(path)
    answer = refused.value.response
    assert answer is not None
    assert (answer.code, answer.headers["Content-Type"] in ("application/json", "application/problem+json")) == (
        404,
        True,
    )
