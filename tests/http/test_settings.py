"""Settings that cannot be used: no store at all rather than another one, and no value in a log or an answer."""

import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.http.app import Colophon
from jupyter_colophon.settings import Settings, create_settings
from jupyter_core.paths import jupyter_data_dir
from jupyter_server.serverapp import ServerApp
from support.catalog import build_metadata_value
from support.process import start_script_process
from support.urns import ORDERS
from traitlets.config import Config
from traitlets.config.loader import KeyValueConfigLoader

#: A wrong setting is wrong for every store.
STORE_NAMES = ["sqlite"]
SECRET = "Hunter2Hidden"
TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")
#: Invalid settings by name, with a part of the message about each.
WRONG: dict[str, tuple[Any, str]] = {
    "storage_options": (f"host=db password={SECRET}", "c.Colophon.storage_options must be a dict"),
    "change_log_retention_days": (SECRET, "c.Colophon.change_log_retention_days must be an int"),
    "max_body_bytes": (-1, "c.Colophon.max_body_bytes must be an int, 1 or more"),
    "open_browser": (SECRET, "c.Colophon.open_browser must be a boolean"),
    "databse": (SECRET, "unknown setting c.Colophon.databse"),
    "storage_provider": ("nope", "unknown storage provider 'nope'"),
}


#: A server started as by its owner, except for its port.
START = """
from jupyter_server.serverapp import ServerApp
settings = ["--ServerApp.jpserver_extensions=jupyter_colophon=True", "--allow-root", "--Colophon.max_body_bytes=-1"]
ServerApp().initialize(settings, new_httpserver=False)
"""


@pytest.fixture(params=WRONG)
def recorded(request: pytest.FixtureRequest) -> str:
    """Return the log messages about one invalid setting."""
    return WRONG[request.param][1]


@pytest.fixture
def jp_server_config(
    jp_server_config: dict[str, Any], request: pytest.FixtureRequest, tmp_path: Path
) -> dict[str, Any]:
    # Before the server starts.
    if "recorded" not in request.fixturenames:
        return jp_server_config
    request.getfixturevalue("logged")
    request.getfixturevalue("recorded")
    name = request.node.callspec.params["recorded"]
    jp_server_config["Colophon"] |= {name: WRONG[name][0], "database": str(tmp_path / "chosen" / "colophon.db")}
    return jp_server_config


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """Return what the server has logged since its start, except for what only `--debug` shows."""

    def text() -> str:
        records = [one for one in caplog.records if one.levelno > logging.DEBUG]
        shown = [line for line in capfd.readouterr().err.splitlines(keepends=True) if not line.startswith("[D ")]
        return "".join(shown) + "\n".join(
            logging.Formatter("[%(levelname)1.1s] %(message)s").format(one) for one in records
        )

    return text


async def test_invalid_setting_is_logged_and_returns_503(
    logged: Callable[[], str], recorded: str, api: Any, jp_fetch: Any, tmp_path: Path
) -> None:
    for _ in range(2):
        health = await api("GET", "health", answers="health")
        refused = [await api("GET", *TECHNICAL), await api("PUT", *TECHNICAL, body=build_metadata_value())]
        assert [one.status for one in (health, *refused)] == [503] * 3
        assert health.headers["Retry-After"] == "5"
        assert (health.body["status"], health.body["changeLog"]["head"]) == ("down", None)
        reported = [health.body["store"]["detail"], *(one.body["detail"] for one in refused)]
        assert all(recorded in detail for detail in reported)
        assert SECRET not in json.dumps(reported)
    assert (await jp_fetch("api", "contents")).code == 200
    text = logged()
    assert text.count(recorded) == 1
    assert SECRET not in text
    assert "Traceback" not in text
    assert '"User-Agent"' not in text
    assert not (tmp_path / "chosen").exists()
    assert not (Path(jupyter_data_dir()) / "colophon").exists()


@pytest.mark.usefixtures("jp_environ")
def test_log_lines_have_the_servers_format() -> None:
    with start_script_process(START) as server:
        shown, _ = server.communicate(timeout=300)
    (line,) = [line for line in shown.splitlines() if "max_body_bytes must be" in line]
    assert re.match(r"\[E \d{4}-\d\d-\d\d .* jupyter_colophon\.http\] ", line)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["reports"], ["reports"]),
        (["['reports', 'dataprep']"], ["reports", "dataprep"]),
        (["reports", "dataprep"], ["reports", "dataprep"]),
    ],
)
def test_options_of_the_command_line_are_a_list(words: list[str], names: list[str]) -> None:
    options = [f"--Colophon.shipped_system_apps={word}" for word in words]
    settings = create_settings(Settings, KeyValueConfigLoader(options).load_config())
    assert (settings.shipped_system_apps, settings.wrong) == (names, {})


def test_applications_use_the_root_directory_of_a_personal_server_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_folders(**settings: Any) -> list[str]:
        return Colophon(
            serverapp=ServerApp(root_dir=str(tmp_path)), config=Config({"Colophon": settings})
        ).app_data_folders

    assert read_folders() == [str(tmp_path)]
    assert read_folders(app_data_folders=["/data"]) == ["/data"]
    assert create_settings(Settings, Config()).app_data_folders == []
    monkeypatch.setattr(Colophon, "is_shared_service", True)
    assert read_folders() == []
    monkeypatch.setattr(Colophon, "is_shared_service", False)
    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://hub/api")
    assert read_folders() == []


def test_shipped_applications_are_on_for_a_personal_server_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert create_settings(Settings, Config()).shipped_system_apps == ["analytics", "dataprep", "reports"]
    assert create_settings(Settings, Config({"Colophon": {"shipped_system_apps": []}})).shipped_system_apps == []
    assert (
        create_settings(type("Service", (Settings,), {"is_shared_service": True}), Config()).shipped_system_apps == []
    )
    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://hub/api")
    assert create_settings(Settings, Config()).shipped_system_apps == []
