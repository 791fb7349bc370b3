"""The wheel and the source distribution, beside JupyterLab, in empty environments."""

import json
import os
import re
import subprocess
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from faults.size import IS_FULL, sized
from support import distribution


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The built distributions by kind."""
    sdist, wheel = distribution.build_distributions(tmp_path_factory.mktemp("dist"))
    return {"sdist": sdist, "wheel": wheel}


# The wheel is built from the source distribution. In the full size, pip builds it once more.
@pytest.fixture(scope="module", params=sized(["wheel"], ["wheel", "sdist"]))
def commands(
    request: pytest.FixtureRequest, distributions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The commands of an environment with one of the distributions."""
    return distribution.create_virtual_environment(
        tmp_path_factory.mktemp("environment") / "venv", str(distributions[request.param]), "jupyterlab>=4.5.10,<5"
    )


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The variables of a user who has never run Jupyter."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "COLOPHON", "PYTHON"))}
    return kept | {"HOME": str(tmp_path)}


def test_wheel_has_schemas_notices_and_frontend_once(distributions: dict[str, Path]) -> None:
    names = zipfile.ZipFile(distributions["wheel"]).namelist()
    assert {"jupyter_colophon/schemas/registry.json", "pyspark_colophon/__init__.py"} <= set(names)
    assert "jupyter_colophon/apps/dataprep/web/panel.js" in names
    assert {f"jupyter_colophon/schemas/datahub/{name}" for name in ("model.json", "NOTICE")} <= set(names)
    assert len([name for name in names if name.endswith("static/style.js")]) == 1
    assert not [name for name in names if "_labextension" in name or name.endswith(".map")]
    assert (
        len([name for name in names if name.endswith("share/jupyter/labextensions/jupyter-colophon/install.json")]) == 1
    )
    licenses = [name.partition(".dist-info/licenses/")[2] for name in names if ".dist-info/licenses/" in name]
    assert sorted(licenses) == ["LICENSE", "NOTICE", "schemas/datahub/NOTICE"]
    assert len([name for name in names if name.endswith("static/third-party-licenses.json")]) == 1


def test_notice_names_all_libraries_of_the_frontend(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith("static/third-party-licenses.json"))
        packages = {each["name"]: each["licenseId"] for each in json.loads(wheel.read(name))["packages"]}
    notice = (Path(__file__).parents[2] / "NOTICE").read_text()
    words = set(re.split(r"[\s,]+", notice))
    assert sorted(packages.keys() - words) == []
    assert set(packages.values()) <= {"Apache-2.0", "BSD-3-Clause", "MIT"}


def test_source_distribution_has_built_frontend(distributions: dict[str, Path]) -> None:
    with tarfile.open(distributions["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"LICENSE", "NOTICE", "CITATION.cff", "CHANGELOG.md", "conda-recipe/recipe.yaml", "yarn.lock"} <= names
    assert "server_ext/jupyter_colophon/_labextension/static/style.js" in names


def test_jupyter_lists_both_extensions_as_ok(commands: Path, home: dict[str, str]) -> None:
    for kind in (["server", "extension"], ["labextension"]):
        done = subprocess.run(
            [commands / "jupyter", *kind, "list"], capture_output=True, text=True, env=home, check=True
        )
        line = next(one for one in (done.stdout + done.stderr).splitlines() if "colophon" in one and "OK" in one)
        assert "X" not in line.split("OK")[0], line


def test_command_line_runs_under_jupyter(commands: Path, home: dict[str, str]) -> None:
    done = subprocess.run(
        [commands / "jupyter", "colophon", "doctor", "--json"], capture_output=True, text=True, env=home, check=False
    )
    assert done.stderr == ""
    assert isinstance(json.loads(done.stdout), dict)


@pytest.mark.skipif(not IS_FULL, reason="installs another environment (make long-floor)")
def test_sample_runs_in_an_installation_without_spark(
    distributions: dict[str, Path], home: dict[str, str], tmp_path: Path
) -> None:
    folder = distribution.create_virtual_environment(tmp_path / "venv", f"{distributions['wheel']}[sample]")
    assert not list((tmp_path / "venv").glob("lib/*/site-packages/pyspark"))
    environment = home | {"PATH": str(folder)}
    environment.pop("JAVA_HOME", None)
    sample = Path(__file__).parents[2] / "examples" / "run_sample.py"
    done = subprocess.run([folder / "python", sample], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "flights-pandas.ipynb:" in done.stdout


@pytest.fixture
def server(commands: Path, home: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """The URL of a server in that environment."""
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


def test_server_answers_with_its_schemas(server: str) -> None:
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
