"""Artifacts from the command line, on a local store and on a server."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from live import LiveServer
from support.artifacts import TOOLS, build_wheel
from support.catalog import ADA, open_catalog_file
from support.commands import CommandResult, Commands

Call = Callable[..., CommandResult]
POINTS = "[jupyter_colophon.application_plugins]\nrepeat = shop_tools:Repeat\n"


@pytest.fixture(params=["store", "server"])
def artifacts(request: pytest.FixtureRequest, colophon: Commands, database: Path) -> Call:
    """`artifacts("list", "lab")`, on a catalog with the empty namespace `lab`."""
    if request.param == "store":
        commands: Call = colophon
    else:
        server: LiveServer = request.getfixturevalue("served")
        bare = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": server.token}).run
        url = f"--url={server.url}"
        commands = lambda *arguments: bare(*arguments, url)  # noqa: E731  the same words for both
    assert commands("namespace", "create", "lab").status == 0
    return lambda *arguments: commands("artifacts", *arguments)


def test_artifacts_are_uploaded_listed_shown_and_deleted(artifacts: Call, tmp_path: Path) -> None:
    wheel, module = tmp_path / "shop_tools-1.0-py3-none-any.whl", tmp_path / "tools.py"
    wheel.write_bytes(build_wheel({"shop_tools.py": TOOLS}, POINTS))
    module.write_text(TOOLS)
    uploaded = artifacts("upload", "lab", str(wheel))
    assert uploaded.out == "Artifact shop_tools 1.0 uploaded, with the plugins repeat.\n"
    unnamed = artifacts("upload", "lab", str(module))
    assert (unnamed.status, "contains no version" in unnamed.err) == (2, True)
    assert artifacts("upload", "lab", str(module), "--artifact-version=1.0").status == 0
    listed = artifacts("list", "lab", "--json").answer["artifacts"]
    assert [(item["name"], item["kind"]) for item in listed] == [("shop_tools", "wheel"), ("tools", "module")]
    assert "upper, repeat, rogue" in artifacts("list", "lab").out
    shown = artifacts("show", "lab", "tools", "1.0").out
    assert "transform  upper" in shown
    assert artifacts("delete", "lab", "tools", "1.0").out == "Artifact tools 1.0 deleted.\n"
    gone = artifacts("show", "lab", "tools", "1.0")
    assert (gone.status, gone.err) == (1, "jupyter colophon: artifact 'lab/tools/1.0' not found\n")


def test_backup_has_the_artifacts(colophon: Commands, tmp_path: Path) -> None:
    module, backup, new = tmp_path / "tools.py", tmp_path / "backup", tmp_path / "new.db"
    module.write_text(TOOLS + "#" * 100_000)
    colophon("namespace", "create", "lab")
    uploaded = colophon("artifacts", "upload", "lab", str(module), "--artifact-version=1.0", "--json").answer
    assert colophon("backup", str(backup)).status == 0
    assert colophon("restore", str(backup), database=new).status == 0
    assert colophon("artifacts", "show", "lab", "tools", "1.0", "--json", database=new).answer == uploaded
    with closing(open_catalog_file(new)) as catalog:
        assert catalog.artifacts.read_with_content(ArtifactKey("lab", "tools", "1.0"), ADA)[1] == module.read_bytes()
