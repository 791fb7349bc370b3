"""Panels of applications: which files are served, to whom, and which declarations are refused."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps import panel_files
from jupyter_colophon.apps.configurer import SystemAppConfigurer
from jupyter_colophon.apps.panel_access import PanelAccess, UsablePanel
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import NotFound, SystemAppUnavailable
from support.catalog import ADA
from support.system_apps import install_panel_package, open_apps

ICON = b"\x89PNG\r\n\x1a\n\x00\xff"
FILES: dict[str, bytes | str] = {
    "secret.py": "PASSWORD = 1",
    "secret.json": "{}",
    "web/panel.js": "import './lib/rows.mjs';",
    "web/lib/rows.mjs": "export {};",
    "web/icon.png": ICON,
    "web/server.py": "PASSWORD = 1",
    "web/.env.json": "{}",
    "web/page.html": "<script></script>",
}
SOURCE = """
from jupyter_colophon.apps import SystemApp


class Shop(SystemApp):
    def configure(self, configurer):
        configurer.add_panel("rows", "Rows", "{package}/web/panel.js", icon="ui-components:table-rows", contexts=True)
        configurer.add_panel("settings", "Settings", "{package}/web/panel.js", permission="admin")
        configurer.add_panel("report", "Report", "{package}/web/panel.js")
"""
ONLY_OPS = Principal("grace", namespaces=frozenset({"ops"}))
Package = Callable[..., str]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """`package(files)` installs a package with files, and returns its name."""
    names: list[str] = []

    def install(files: dict[str, bytes | str]) -> str:
        folder = tmp_path / f"panels{len(names)}"
        name = f"shop_{tmp_path.name}_{len(names)}".replace("-", "_").lower()
        names.append(install_panel_package(folder, name, files))
        monkeypatch.syspath_prepend(str(folder))
        return name

    yield install
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def shop(catalog: Catalog, install: Any, package: Package) -> Iterator[SystemApps]:
    install(SOURCE.replace("{package}", package(FILES)), "shop", "Shop")
    apps = open_apps(catalog)
    yield apps
    apps.close()


def list_panels(apps: SystemApps, principal: Principal = ADA) -> dict[str, UsablePanel]:
    return {panel.id: panel for panel in PanelAccess(apps, principal).list_panels()}


def test_files_beside_the_module_are_served(shop: SystemApps) -> None:
    panel = list_panels(shop)["rows"]
    assert (panel.app, panel.title, panel.icon, panel.contexts) == ("shop", "Rows", "ui-components:table-rows", True)
    assert panel.module == f"colophon/v3/namespaces/system/apps/shop/panels/rows/{panel.version}/panel.js"
    access = PanelAccess(shop, ADA)
    found = [access.read_file("shop", "rows", panel.version, path) for path in ("panel.js", "lib/rows.mjs", "icon.png")]
    assert [(file.content, file.content_type) for file in found] == [
        (b"import './lib/rows.mjs';", "text/javascript; charset=utf-8"),
        (b"export {};", "text/javascript; charset=utf-8"),
        (ICON, "image/png"),
    ]


@pytest.mark.parametrize(
    "path",
    ["../secret.json", "lib/../panel.js", "/panel.js", "lib", "", "server.py", ".env.json", "page.html", "PANEL.js"],
)
def test_no_other_file_is_served(shop: SystemApps, path: str) -> None:
    version = list_panels(shop)["rows"].version
    with pytest.raises(NotFound, match="file"):
        PanelAccess(shop, ADA).read_file("shop", "rows", version, path)


def test_panels_need_their_permission(shop: SystemApps) -> None:
    assert list_panels(shop).keys() == {"rows", "settings", "report"}
    # In the namespace `system`, this caller may not even read.
    assert list_panels(shop, ONLY_OPS).keys() == {"rows"}
    version = list_panels(shop)["rows"].version
    assert PanelAccess(shop, ONLY_OPS).read_file("shop", "rows", version, "panel.js").content
    for panel in ("settings", "report", "unknown"):
        with pytest.raises(NotFound, match="panel"):
            PanelAccess(shop, ONLY_OPS).read_file("shop", panel, version, "panel.js")
    with pytest.raises(NotFound, match="version"):
        PanelAccess(shop, ADA).read_file("shop", "rows", "0123456789abcdef", "panel.js")


def test_panels_of_a_disabled_application_are_not_available(shop: SystemApps, catalog: Catalog) -> None:
    version = list_panels(shop)["rows"].version
    shop.set_enabled("shop", enabled=False)
    assert list_panels(shop) == {}
    with pytest.raises(SystemAppUnavailable, match="disabled"):
        PanelAccess(shop, ADA).read_file("shop", "rows", version, "panel.js")
    shop.set_enabled("shop", enabled=True)
    assert list_panels(shop)["rows"].version == version
    # A process that serves no applications has no panels either.
    assert list_panels(open_apps(catalog, serves=False)) == {}


def test_version_changes_with_any_file(package: Package) -> None:
    changed = {**FILES, "web/lib/rows.mjs": "export const rows = [];"}
    other = {**FILES, "web/server.py": "PASSWORD = 2"}
    versions = [
        panel_files.read_panel_files(f"{package(files)}/web/panel.js").version for files in (FILES, changed, other)
    ]
    assert versions[0] == versions[2] != versions[1]


def test_invalid_panels_are_refused(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    name = package(FILES)
    configurer = SystemAppConfigurer("shop")
    for module, problem in {
        f"{name}/panel.js": "is not a valid path",
        f"{name}/web/../panel.js": "is not a valid path",
        f"/{name}/web/panel.js": "is not a valid path",
        f"{name}/web/server.py": "is not a valid path",
        f"{name}/web/missing.js": "has no file 'web/missing.js'",
        f"{name}/missing/panel.js": "has no folder 'missing'",
        "json/web/panel.js": "has no folder 'web'",
        "this/web/panel.js": "is a single module",
    }.items():
        with pytest.raises(ValueError, match=problem):
            configurer.add_panel("rows", "Rows", module)
    module = f"{name}/web/panel.js"
    for values in ({"id": "a b"}, {"title": " "}, {"title": 81 * "a"}, {"icon": "<svg>"}):
        with pytest.raises(ValueError, match="panel"):
            configurer.add_panel(**{"id": "rows", "title": "Rows", "module": module, **values})
    configurer.add_panel("rows", "Rows", module)
    with pytest.raises(ValueError, match="declared twice"):
        configurer.add_panel("rows", "Rows", module)
    monkeypatch.setattr(panel_files, "FILES_MAX", 3)
    with pytest.raises(ValueError, match="more than 3 files"):
        configurer.add_panel("many", "Many", module)
    monkeypatch.setattr(panel_files, "FILES_MAX", 100)
    monkeypatch.setattr(panel_files, "BYTES_MAX", 10)
    with pytest.raises(ValueError, match="more than 10 bytes"):
        configurer.add_panel("large", "Large", module)
