"""Plugins of namespaces in system applications: each in a limited process, whose failures concern one call."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from jupyter_colophon.core.errors import BadRequest, NotFound, PluginFailed, SystemAppFailed
from support.artifacts import TOOLS, build_wheel
from support.catalog import ADA
from support.system_apps import call_app, open_apps

#: Plugins are read in one way from each store (test_artifacts.py).
STORES = ("sqlite",)
#: Calls the methods in a request, one after the other, and returns the result or the failure of each call.
CALLER = """
from queue import Queue
from threading import Event

from jupyter_colophon.apps import PluginFailed, ProcessLimits, SystemApp

PROCESSES, RELEASE = Queue(), Event()


def list_plugins(context, request):
    found = context.admin.list_plugins(context.namespace, request.query.get("type", [""])[0])
    return [[plugin.name, plugin.type, plugin.schema["required"]] for plugin in found]


def call_plugin(context, request):
    body = request.parse_json_body()
    limits = ProcessLimits(**body.get("limits", {}))
    plugin = context.instantiate_plugin(context.namespace, body["plugin"], body.get("properties", {}), limits)
    if "calls" not in body:
        return plugin.call(body["method"], body.get("argument"))
    outcomes = []
    for method, argument in body["calls"]:
        try:
            outcomes.append(plugin.call(method, argument, timeout_s=body.get("timeout", 60)))
        except PluginFailed as error:
            outcomes.append(error.reason)
    return outcomes


def hang(context, request):
    plugin = context.instantiate_plugin(context.namespace, "shop-tools/rogue", {})
    PROCESSES.put(plugin.call("process"))
    RELEASE.wait(120)


class Caller(SystemApp):
    def configure(self, configurer):
        configurer.add_handler("GET", "/contexts/{context}/plugins", list_plugins)
        configurer.add_handler("POST", "/contexts/{context}/calls", call_plugin, permission="read", timeout_s=300)
        configurer.add_handler("POST", "/contexts/{context}/hang", hang, timeout_s=10)
"""
REPEAT = {"plugin": "shop-tools/repeat", "properties": {"times": 2}, "method": "run", "argument": {"text": "ab"}}


@pytest.fixture
def caller(catalog: Catalog, install: Callable[..., str]) -> Iterator[SystemApps]:
    """An application that calls plugins, and an artifact in the namespace `sales`."""
    install(CALLER, "caller", "Caller")
    catalog.artifacts.upload(ArtifactKey("sales", "shop-tools", "1.0"), TOOLS.encode(), ADA)
    opened = open_apps(catalog)
    yield opened
    opened.close()


def call(apps: SystemApps, body: Any, namespace: str = "sales") -> Any:
    return call_app(apps, "POST", f"/contexts/{namespace}/calls", body, app="caller")


def call_rogue(apps: SystemApps, *calls: list[Any], **more: Any) -> list[Any]:
    outcomes: list[Any] = call(apps, {"plugin": "shop-tools/rogue", "calls": list(calls), **more})
    return outcomes


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_plugins_of_a_namespace_are_listed_and_called(caller: SystemApps, catalog: Catalog) -> None:
    path = "/contexts/sales/plugins"
    listed = call_app(caller, "GET", path, app="caller")
    assert listed == [["shop-tools/1.0/repeat", "tool", ["times"]], ["shop-tools/1.0/rogue", "tool", []]]
    assert call_app(caller, "GET", path, app="caller", query={"type": ["other"]}) == []
    assert call_app(caller, "GET", "/contexts/ops/plugins", app="caller") == []
    assert call(caller, REPEAT) == {"text": "abab"}
    assert call(caller, REPEAT | {"plugin": "shop-tools/1.0/repeat"}) == {"text": "abab"}
    for plugin, namespace in (("shop-tools/repeat", "ops"), ("shop-tools/2.0/repeat", "sales"), ("repeat", "sales")):
        with pytest.raises(NotFound):
            call(caller, REPEAT | {"plugin": plugin}, namespace)


def test_newest_version_is_called(caller: SystemApps, catalog: Catalog) -> None:
    source = TOOLS.replace('__version__ = "1.0"', "").replace('argument["text"]', 'argument["text"].upper()')
    points = "[jupyter_colophon.application_plugins]\nrepeat = shop_tools:Repeat\n"
    wheel = build_wheel({"shop_tools.py": source}, points, version="1.1")
    catalog.artifacts.upload(ArtifactKey("sales", "shop-tools", "1.1"), wheel, ADA)
    assert call(caller, REPEAT) == {"text": "ABAB"}
    assert call(caller, REPEAT | {"plugin": "shop-tools/1.0/repeat"}) == {"text": "abab"}


def test_wrong_properties_and_methods_are_refused(caller: SystemApps) -> None:
    with pytest.raises(BadRequest) as refused:
        call(caller, REPEAT | {"properties": {"times": 10}})
    assert refused.value.problems[0].pointer == "/times"
    for method in ("absent", "_secret", "__init__"):
        with pytest.raises(PluginFailed, match=f"it has no method {method}"):
            call(caller, REPEAT | {"method": method})


def test_failure_concerns_only_its_call(caller: SystemApps) -> None:
    outcomes = call_rogue(
        caller,
        ["process", None],
        ["fail", None],
        ["leave", None],
        ["rubbish", None],
        ["flood", 5_000_000],
        ["allocate", 4_000_000_000],
        ["print", None],
        ["process", None],
        ["exit", None],
        ["process", None],
    )
    first, failed, left, rubbish, flood, large, quiet, same, ended, other = outcomes
    assert (failed, left) == ("it raised ValueError: CANARY", "it raised SystemExit: 3")
    assert (rubbish, flood) == (
        "it returned a value that is not JSON (TypeError)",
        "it returned more than 4,194,304 bytes",
    )
    assert (large, quiet, same) == ("it raised MemoryError", "quiet", first)
    assert ended == "its process ended without an answer"
    assert other not in (first, os.getpid())


def test_plugin_that_takes_too_long_is_killed(caller: SystemApps) -> None:
    hanging = call_rogue(caller, ["hang", None], timeout=1)
    assert hanging == ["it did not answer within the time limit, and was stopped"]
    (spinning,) = call_rogue(caller, ["spin", None], limits={"cpu_s": 1})
    assert "its process was killed, as after 1 s of CPU time" in spinning


def test_process_has_no_credentials(caller: SystemApps, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLOPHON_TOKEN", "JUPYTER_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "CANARY")
    (names,) = call_rogue(caller, ["environment", None])
    allowed = {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONUSERBASE", "TMPDIR", "TZ"}
    assert {*names} <= allowed


def test_processes_end_with_the_call_of_the_handler(caller: SystemApps) -> None:
    (process,) = call_rogue(caller, ["process", None])
    assert not is_running(process)


def test_process_ends_at_the_time_limit_of_a_handler_that_hangs(caller: SystemApps) -> None:
    call_app(caller, "GET", "/contexts/sales/plugins", app="caller")
    (module,) = (module for name, module in sys.modules.items() if name.startswith("caller_"))
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(call_app, caller, "POST", "/contexts/sales/hang", app="caller")
        try:
            process = module.PROCESSES.get(timeout=60)
            while is_running(process):
                assert not done.done()
                time.sleep(0.05)
        finally:
            module.RELEASE.set()
        done.result(60)


def test_plugin_is_not_imported_by_the_server(caller: SystemApps) -> None:
    assert call(caller, REPEAT) == {"text": "abab"}
    assert "shop_tools" not in sys.modules


def test_unhandled_failure_names_the_plugin(caller: SystemApps) -> None:
    body = {"plugin": "shop-tools/rogue", "method": "fail"}
    with pytest.raises(PluginFailed, match=r"the plugin 'shop-tools/rogue' failed: it raised ValueError: CANARY"):
        call(caller, body)
    with pytest.raises(SystemAppFailed):
        call(caller, {"plugin": 7})
