"""System applications over HTTP: their paths, statuses and rights, and what a broken one does to the others."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.storage.changes.archived_rows import read_archive_state
from support import openapi_contract
from support.scaled_app import SCALED
from support.system_apps import DATAPREP, ROGUE, install_app

SALES = "v2/contexts/sales/connections"
WAIT_S = 120
Ask = Callable[..., Awaitable[Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "policies"
    path.mkdir()
    return path


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], store_settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    # SQLite has an archive.
    archive = {} if store_settings else {"archive_folder": str(folder / "archive")}
    settings = jp_server_config["Colophon"] | {"policy_folder": str(folder)} | archive
    return {**jp_server_config, "Colophon": settings}


@pytest.fixture
def rogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Install the package that works, and the one whose code fails, whose module is returned."""
    modules = [
        install_app(tmp_path / name, source, name, class_name)
        for name, source, class_name in (("dataprep", DATAPREP, "Dataprep"), ("rogue", ROGUE, "Rogue"))
    ]
    for name in ("dataprep", "rogue"):
        monkeypatch.syspath_prepend(str(tmp_path / name))
    module = import_module(modules[1])
    yield module
    module.RELEASE.set()
    for name in modules:
        sys.modules.pop(name, None)


@pytest.fixture
def v3(rogue: ModuleType, jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Ask:
    """`await v3("GET", "namespaces/sales")`; every answer is held against the document of the API."""

    async def ask(method: str, path: str, body: Any = None, headers: Any = None) -> Any:
        found = await http_server_client.fetch(
            f"{jp_base_url}colophon/v3/{path}",
            method=method,
            body=None if method in ("GET", "DELETE") else b"" if body is None else json.dumps(body).encode(),
            headers=headers or jp_auth_header,
            request_timeout=WAIT_S,
            raise_error=False,
        )
        document = json.loads(found.body) if found.body else None
        if found.code == 405:
            assert found.headers["Allow"] in ("GET, PUT, DELETE", "GET")
        openapi_contract.V3.require_described_response(
            method, "/" + path.partition("?")[0], found.code, found.headers, document, None
        )
        return found.code, document

    return ask


@pytest.fixture
def call(v3: Ask, jp_asyncio_loop: Any) -> Ask:
    """`await call("GET", "v2/…")` calls a method of `dataprep`, beside the namespaces `sales` and `ops`."""

    async def call_method(method: str, path: str, *arguments: Any, app: str = "dataprep", **options: Any) -> Any:
        return await v3(method, f"namespaces/system/apps/{app}/services/service/methods/{path}", *arguments, **options)

    async def create_namespaces() -> None:
        for name in ("sales", "ops"):
            assert (await v3("PUT", f"namespaces/{name}"))[0] == 200

    jp_asyncio_loop.run_until_complete(create_namespaces())
    return call_method


@pytest.mark.each_store
async def test_connections_of_a_namespace_end_with_it(v3: Ask, call: Ask) -> None:
    assert await call("PUT", f"{SALES}/a%2Fb", {"url": "s3://a"}) == (201, {"name": "a/b"})
    assert await call("PUT", "v2/contexts/ops/connections/lake", {"url": "s3://b"}) == (201, {"name": "lake"})
    assert await call("GET", f"{SALES}?owner=nobody&owner=grace") == (200, {"connections": []})
    assert await call("GET", SALES) == (200, {"connections": ["a/b"]})
    assert (await call("GET", f"{SALES}/a%2Fb/"))[1]["url"] == "s3://a"
    assert await call("DELETE", f"{SALES}/missing") == (204, None)
    assert (await v3("DELETE", "namespaces/sales?confirm=sales"))[0] == 200
    gone = {"message": "Namespace 'sales' not found", "reason": "Not Found", "status": 404}
    assert await call("GET", SALES) == (404, gone)
    assert await call("PUT", f"{SALES}/new", {"url": "a"}) == (404, gone)
    # Waits until everything is deleted.
    assert (await v3("PUT", "namespaces/sales"))[0] == 200
    assert await call("GET", SALES) == (200, {"connections": []})
    assert await call("GET", "v2/contexts/ops/connections") == (200, {"connections": ["lake"]})


async def test_refusals_have_the_statuses_of_the_api(v3: Ask, call: Ask, jp_auth_header: Any) -> None:
    assert (await call("PUT", f"{SALES}/lake", {"url": "a"}))[0] == 201
    assert [
        (await call("PUT", f"{SALES}/lake", {"url": "b"}))[0],
        (await call("PUT", f"{SALES}/other", {"url": 1000 * "a"}))[0],
        (await call("PUT", f"{SALES}/other", {}))[0],
        (await call("POST", f"{SALES}/lake", {}))[0],
        (await call("GET", "v2/nothing"))[0],
        (await call("GET", SALES, app="other"))[0],
        (await call("GET", "v2/contexts/a%20b/connections"))[0],
    ] == [409, 413, 400, 405, 404, 404, 400]
    # Applications run in the namespace `system` only.
    assert (await v3("GET", f"namespaces/sales/apps/dataprep/services/service/methods/{SALES}"))[0] == 404
    token = jp_auth_header["Authorization"].split()[1]
    assert (await call("GET", f"v2/contexts/sales?token={token}&_xsrf=a&x=1"))[1]["query"] == ["x"]


async def test_broken_application_affects_only_itself(call: Ask, rogue: ModuleType) -> None:
    status, failed = await call("GET", "raise", app="rogue")
    assert (status, failed["message"]) == (
        500,
        "the system application 'rogue' failed: the handler of GET /raise raised ValueError",
    )
    hanging = [asyncio.ensure_future(call("POST", "hang", {}, app="rogue")) for _ in range(12)]
    assert await call("GET", SALES) == (200, {"connections": []})
    for status, document in await asyncio.gather(*hanging):
        assert (status, document["message"]) == (
            504,
            "the system application 'rogue' did not answer within 1 s",
        )
    # Its threads still hang, and a call that waits for one of them does not begin later.
    assert (await call("POST", "hang", {}, app="rogue"))[0] == 504
    assert (await call("PUT", f"{SALES}/lake", {"url": "a"}))[0] == 201
    rogue.RELEASE.set()


async def test_access_policies_decide_by_namespace(call: Ask, kernel: dict[str, str], folder: Path) -> None:
    assert (await call("PUT", f"{SALES}/lake", {"url": "a"}))[0] == 201
    # What no rule grants is denied; the kernel's user is not an admin.
    assert (await call("GET", "v2/contexts/ops/connections", None, kernel))[0] == 404
    rule = {"role": "viewer", "to": ["user:ada"], "on": {"namespace": ["ops"]}}
    (folder / "team.json").write_text(json.dumps({"rules": [rule]}))
    for _ in range(20 * WAIT_S):
        status, document = await call("GET", "v2/contexts/ops/connections", None, kernel)
        if status == 200:
            break
        await asyncio.sleep(0.05)
    assert (status, document) == (200, {"connections": []})
    assert (await call("PUT", "v2/contexts/ops/connections/a", {"url": "a"}, kernel))[0] == 403
    # Without the right to read everything in the namespace, its rows are not shown.
    denied = {"deny": ["read"], "to": ["user:ada"], "on": {"tag": ["secret"]}}
    (folder / "secret.json").write_text(json.dumps({"rules": [denied]}))
    for _ in range(20 * WAIT_S):
        status, document = await call("GET", "v2/contexts/ops/connections", None, kernel)
        if status != 200:
            break
        await asyncio.sleep(0.05)
    reason = "you may not read everything in the namespace ops, as applications require"
    assert (status, document["message"].lower()) == (403, reason)
    hidden = {"message": "Namespace 'sales' not found", "reason": "Not Found", "status": 404}
    assert await call("GET", SALES, None, kernel) == (404, hidden)
    assert await call("PUT", f"{SALES}/a", {"url": "a"}, kernel) == (404, hidden)


async def test_admins_list_and_disable_applications(call: Ask, api: Ask, kernel: dict[str, str]) -> None:
    listed = (await api("GET", "system-apps", answers="system-apps")).body["systemApps"]
    # The shipped ones, which were never used, are listed as well.
    assert [app["name"] for app in listed if app["state"] == "installed"] == ["analytics", "reports"]
    deployed = [app for app in listed if app["state"] != "installed"]
    assert [(app["name"], app["state"], app["version"], app["tables"]) for app in deployed] == [
        ("dataprep", "running", "1.0", ["app_dataprep_connections", "app_dataprep_settings"]),
        ("rogue", "running", "1.0", ["app_rogue_rows"]),
    ]
    on_threads = {"kind": "service", "requested": None, "running": 0}
    assert deployed[0]["services"] == [{"name": name, **on_threads} for name in ("reports", "service")]
    disabled = await api("POST", "system-apps", "dataprep", "disable", answers="system-app")
    assert disabled.body["state"] == "disabled"
    status, document = await call("GET", SALES)
    assert (status, "jupyter colophon apps enable dataprep" in document["message"]) == (409, True)
    assert (await api("POST", "system-apps", "dataprep", "enable", answers="system-app")).body["state"] == "running"
    assert (await call("GET", SALES))[0] == 200
    assert (await api("POST", "system-apps", "other", "enable")).status == 404
    for method, path in (("GET", ()), ("POST", ("dataprep", "disable")), ("GET", ("rogue", "logs"))):
        denied = await api(method, "system-apps", *path, anonymous=True, headers=kernel)
        assert denied.status == 403


async def test_admins_read_the_log_of_an_application(call: Ask, api: Ask) -> None:
    assert (await call("GET", "raise", app="rogue"))[0] == 500
    for _ in range(20 * WAIT_S):
        page = (await api("GET", "system-apps", "rogue", "logs", answers="system-app-logs")).body
        if page["records"]:
            break
        await asyncio.sleep(0.05)
    (record,) = page["records"]
    assert (record["seq"], page["cursor"], record["level"]) == (1, 1, "ERROR")
    assert "ValueError" in record["message"]
    assert "CANARY" not in record["message"]
    later = await api("GET", "system-apps", "rogue", "logs", params={"after": "1"}, answers="system-app-logs")
    assert later.body == {"records": [], "cursor": 1}
    assert (await api("GET", "system-apps", "other", "logs")).status == 404
    assert (await api("GET", "system-apps", "rogue", "logs", params={"after": "²"})).status == 400


async def test_new_tables_are_archived(call: Ask, jp_serverapp: Any) -> None:
    assert (await call("PUT", f"{SALES}/lake", {"url": "a"}))[0] == 201
    provider = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog().provider
    state = provider.tx_runner.run(read_archive_state, read_only=True)
    assert {"app_dataprep_connections", "app_dataprep_settings"} <= {json.loads(spec)["id"] for spec in state.specs}


@pytest.fixture
def scaled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package whose handlers run in processes of their own."""
    module = install_app(tmp_path / "scaled", SCALED, "scaled", "Scaled")
    monkeypatch.syspath_prepend(str(tmp_path / "scaled"))
    yield
    sys.modules.pop(module, None)


@pytest.mark.usefixtures("scaled")
async def test_admins_scale_a_service(v3: Ask, api: Ask, kernel: dict[str, str]) -> None:
    app = "namespaces/system/apps/scaled"
    instances, process = f"{app}/services/service/instances", f"{app}/services/service/methods/process"
    assert await v3("GET", instances) == (200, {"instances": 1, "requested": 1, "provisioned": 1})
    assert (await v3("GET", process))[1]["process"] == os.getpid()
    for number in (-1, 65, "2", None):
        assert (await v3("PUT", instances, {"instances": number}))[0] == 400
    native = ("system-apps", "scaled", "services", "service", "instances")
    refused = await api("PUT", *native, body={"instances": 65})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/instances")
    assert (await api("PUT", *native, body={"instances": 2}, anonymous=True, headers=kernel)).status == 403
    set_to_one = await api("PUT", *native, body={"instances": 1}, answers="system-app")
    assert [(one["name"], one["kind"], one["requested"]) for one in set_to_one.body["services"]] == [
        ("jobs", "spark", 1),
        ("service", "service", 1),
    ]
    assert (await v3("PUT", f"{app}/services/other/instances", {"instances": 2}))[0] == 404
    assert (await v3("PUT", instances, {"instances": 2}, kernel))[0] == 403
    status, document = await v3("PUT", instances, {"instances": 2})
    assert (status, document["requested"]) == (200, 2)
    for _ in range(20 * WAIT_S):
        answers = [await v3("GET", process) for _ in range(2)]
        assert [code for code, _ in answers] == [200, 200]
        document = (await v3("GET", instances))[1]
        if document["provisioned"] == 2 and answers[0][1]["process"] != os.getpid():
            break
        await asyncio.sleep(0.05)
    assert document == {"instances": 2, "requested": 2, "provisioned": 2}
    listed = (await api("GET", "system-apps", answers="system-apps")).body["systemApps"]
    services = next(app["services"] for app in listed if app["name"] == "scaled")
    assert services[1] == {"name": "service", "kind": "service", "requested": 2, "running": 2}
    health = (await api("GET", "health", answers="health")).body
    assert health["systemAppWorkers"] == {"requested": 3, "running": 2, "restarts": 0}
    # The way back: the calls run in the server again.
    assert await v3("PUT", instances, {"instances": 0}) == (200, {"instances": 1, "requested": 1, "provisioned": 1})
    assert (await v3("GET", process))[1]["process"] == os.getpid()
    # A service with Spark has a place of its own.
    assert (await v3("GET", f"{app}/spark/jobs/methods/process"))[0] == 200
    assert (await v3("GET", f"{app}/services/jobs/methods/process"))[0] == 404
    assert (await v3("DELETE", f"{app}/spark/jobs/methods/process"))[0] == 405


async def test_secrets_of_a_namespace_are_in_no_answer(v3: Ask) -> None:
    path, canary = "namespaces/sales/secrets", "hunter2-CANARY"
    assert (await v3("GET", path))[0] == 404
    assert (await v3("PUT", "namespaces/sales"))[0] == 200
    body = {"value": canary, "description": "Of the warehouse"}
    status, stored = await v3("PUT", f"{path}/warehouse", body)
    assert (status, stored["name"], stored["description"]) == (200, "warehouse", "Of the warehouse")
    assert await v3("GET", path) == (200, {"secrets": [stored]})
    for refused in ({"value": [canary]}, {"value": canary * 10_000}, [canary], {}):
        status, problem = await v3("PUT", f"{path}/other", refused)
        assert (status, canary in json.dumps(problem)) == (400, False), problem
    assert (await v3("PUT", f"{path}/a%20b", body))[0] == 400
    assert await v3("DELETE", f"{path}/warehouse") == (200, stored)
    assert (await v3("DELETE", f"{path}/warehouse"))[0] == 404
    assert await v3("GET", path) == (200, {"secrets": []})
