"""The Elyra API together with Elyra itself, with other programs, and while the catalog is unavailable."""

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jupyter_colophon.elyra.manager import MetadataManager
from jupyter_colophon.operations.elyra.api import ELYRA
from support.process import start_script_process
from support.snippets import SPACE, build_snippet, get_snippet_folder

STORE_NAMES = ["sqlite"]
SNIPPETS = ("metadata", SPACE)
HELLO = (*SNIPPETS, "hello")
NATIVE = ("schemaspaces", SPACE, "instances", "hello")

#: A server with an extension of that name, started as by its owner, except for its port.
START = """
from types import ModuleType
from jupyter_server.serverapp import ServerApp
elyra = sys.modules["elyra"] = ModuleType("elyra")
elyra._jupyter_server_extension_points = lambda: [{"module": "elyra"}]
elyra._load_jupyter_server_extension = lambda server: None
enabled = "--ServerApp.jpserver_extensions={'jupyter_colophon': True, 'elyra': True}"
ServerApp().initialize([enabled, "--allow-root"], new_httpserver=False)
"""


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> str:
    """A server extension of the name of Elyra's, as far as a server looks at it."""
    module = ModuleType("elyra")
    module.__dict__["_jupyter_server_extension_points"] = lambda: [{"module": "elyra"}]
    module.__dict__["_load_jupyter_server_extension"] = lambda server: None
    monkeypatch.setitem(sys.modules, "elyra", module)
    return "elyra"


@pytest.fixture
def set_to() -> str | None:
    """Return the setting `elyra_api`; None if it is not set."""
    return None


@pytest.fixture
def jp_server_config(
    jp_server_config: dict[str, Any], request: pytest.FixtureRequest, set_to: str | None, tmp_path: Path
) -> dict[str, Any]:
    if "other" in request.fixturenames:
        jp_server_config["ServerApp"]["jpserver_extensions"] |= {request.getfixturevalue("other"): True}
    if "no_catalog" in request.fixturenames:
        jp_server_config["Colophon"]["database"] = request.getfixturevalue("no_catalog")
    if "store_class" in request.fixturenames:
        jp_server_config["MetadataManager"] = {"metadata_store_class": request.getfixturevalue("store_class")}
    if set_to is not None:
        jp_server_config["Colophon"]["elyra_api"] = set_to
    return jp_server_config


async def test_elyra_api_is_off_while_elyras_extension_is_enabled(other: str, api: Any, elyra: Any) -> None:
    assert (await elyra("GET", "schemaspace", documented=False)).status == 404
    assert (await api("GET", "health", answers="health")).body["instances"] == {"store": "file", "elyraApi": False}
    made = await api("POST", *NATIVE[:3], body=build_snippet(), answers="instance")
    assert (made.status, made.body["name"]) == (201, "hello")


def test_disabled_elyra_api_is_logged_in_one_line() -> None:
    with start_script_process(START) as server:
        shown, _ = server.communicate(timeout=300)
    (line,) = [line for line in shown.splitlines() if "Elyra's own" in line]
    assert line.startswith("[I ")
    assert "c.Colophon.elyra_api" in line


@pytest.mark.parametrize("set_to", ["off", "on"])
async def test_setting_overrides_elyras_extension(set_to: str, other: str, api: Any, elyra: Any) -> None:
    assert (await elyra("GET", "schemaspace", documented=False)).status == (200 if set_to == "on" else 404)
    assert (await api("GET", "health", answers="health")).body["instances"]["elyraApi"] == (set_to == "on")


async def test_every_operation_and_every_unknown_path_refuses_anonymous_callers(elyra: Any) -> None:
    paths = [(operation.method, operation.path) for operation in ELYRA.operations]
    assert len(paths) > 10
    for method, path in (*paths, ("GET", "/metadata/a/b/c"), ("GET", "/schemaspace/a/b")):
        parts = re.sub(r"\{[a-z]+\}", "x", path).strip("/").split("/")
        assert (await elyra(method, *parts, anonymous=True)).status == 403, (method, path)


async def test_python_code_in_the_server_uses_the_same_instances(api: Any, elyra: Any) -> None:
    await elyra("POST", *SNIPPETS, body=build_snippet())
    manager = MetadataManager(SPACE)
    found = manager.get("hello")
    assert (found.name, found.display_name) == ("hello", "Hello")
    found.display_name = "Changed"
    manager.update("hello", found)
    assert (await elyra("GET", *HELLO)).body["display_name"] == "Changed"
    assert (await api("GET", *NATIVE, answers="instance")).body["version"] == 2


@pytest.fixture
def no_catalog(tmp_path: Path) -> str:
    """A place where no database can be made."""
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    return str(in_the_way / "colophon.db")


async def test_instances_work_while_the_catalog_is_unavailable(no_catalog: str, api: Any, elyra: Any) -> None:
    assert (await api("GET", "health", answers="health")).status == 503
    made = await api("POST", *NATIVE[:3], body=build_snippet(), answers="instance")
    assert (made.status, made.body["version"]) == (201, None)
    assert "Etag" not in made.headers
    assert (await elyra("PUT", *HELLO, body=build_snippet("Two"))).status == 200
    assert json.loads((get_snippet_folder() / "hello.json").read_text())["display_name"] == "Two"
    found = await api("GET", *NATIVE, answers="instance")
    assert (found.status, found.body["display_name"], found.body["version"]) == (200, "Two", None)
    listed = (await api("GET", *NATIVE[:3], answers="instances")).body
    assert [one["name"] for one in listed["instances"]] == ["hello"]
    assert (await elyra("GET", *SNIPPETS)).body[SPACE][0]["display_name"] == "Two"
    assert (await api("POST", *NATIVE, "restore", body={"version": 1})).status == 503
    gone = await api("DELETE", *NATIVE, answers="instance-delete-result")
    assert (gone.status, gone.body["version"]) == (200, None)


@pytest.fixture
def store_class() -> str:
    """Elyra's setting, naming a class that is called as Elyra's own."""
    return "support.dictionary.FileMetadataStore"


async def test_store_class_with_elyras_interface_stores_instances(
    store_class: str, api: Any, elyra: Any, caplog: pytest.LogCaptureFixture
) -> None:
    made = await api("POST", *NATIVE[:3], body=build_snippet(), answers="instance")
    assert (made.status, made.body["resource"]) == (201, "dict:hello")
    assert [one["name"] for one in (await elyra("GET", *SNIPPETS)).body[SPACE]] == ["hello"]
    assert not get_snippet_folder().exists()
    assert "the store of code-snippets is open" in caplog.text
