"""The wheel alone, beside JupyterLab, in an empty environment."""

import json
import os
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from support import wheel


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def commands(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel.environment(tmp_path_factory.mktemp("environment") / "venv", str(built), "jupyterlab>=4.5.10,<5")


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The variables of a user who has never run Jupyter."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "COLOPHON", "PYTHON"))}
    return kept | {"HOME": str(tmp_path)}


def test_the_wheel_holds_the_schemas_once_and_the_built_frontend_once(built: Path) -> None:
    names = zipfile.ZipFile(built).namelist()
    assert {"jupyter_colophon/schemas/registry.json", "pyspark_colophon/__init__.py"} <= set(names)
    assert {f"jupyter_colophon/schemas/datahub/{name}" for name in ("model.json", "NOTICE")} <= set(names)
    assert len([name for name in names if name.endswith("static/style.js")]) == 1
    assert not [name for name in names if "_labextension" in name or name.endswith(".map")]
    assert (
        len([name for name in names if name.endswith("share/jupyter/labextensions/jupyter-colophon/install.json")]) == 1
    )


def test_jupyter_finds_both_extensions_and_says_ok(commands: Path, home: dict[str, str]) -> None:
    for kind in (["server", "extension"], ["labextension"]):
        told = subprocess.run(
            [commands / "jupyter", *kind, "list"], capture_output=True, text=True, env=home, check=True
        )
        line = next(one for one in (told.stdout + told.stderr).splitlines() if "colophon" in one and "OK" in one)
        assert "X" not in line.split("OK")[0], line


def test_the_command_line_is_there_under_jupyter(commands: Path, home: dict[str, str]) -> None:
    told = subprocess.run(
        [commands / "jupyter", "colophon", "doctor", "--json"], capture_output=True, text=True, env=home, check=False
    )
    assert told.stderr == ""
    assert isinstance(json.loads(told.stdout), dict)


@pytest.fixture
def server(commands: Path, home: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """A server of that environment; gives its URL."""
    port = "18931"
    flags = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=w",
    ]
    process = subprocess.Popen([commands / "jupyter", "lab", *flags], cwd=tmp_path, env=home, stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}/"
    process.terminate()
    process.wait(timeout=300)


def test_a_server_of_that_environment_answers_and_knows_its_schemas(server: str) -> None:
    assert _ask(server, "colophon/api/health")["status"] == "ok"
    names = [aspect["name"] for aspect in _ask(server, "colophon/api/registry/dataset")["aspects"]]
    assert {"businessMetadata", "ownership"} <= set(names)
    assert "jupyter-colophon" in urlopen(Request(server + "lab?token=w")).read().decode()


def _ask(server: str, path: str) -> dict[str, object]:
    request = Request(server + path, headers={"Authorization": "token w"})
    for _ in range(1_500):
        try:
            with urlopen(request) as answer:
                return dict(json.load(answer))
        except URLError:
            time.sleep(0.2)
    raise AssertionError("the server did not start")
