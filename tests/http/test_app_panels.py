"""Panels of applications over HTTP: how files are sent, to whom, and which paths are refused; with the example package."""

import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.system_apps import install_example

WAIT_S = 120
PANELS = "colophon/v3/namespaces/system/apps/bookmarks/panels"
Fetch = Callable[..., Awaitable[Any]]


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    code = install_example(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.syspath_prepend(str(code))
    yield code
    sys.modules.pop("shop_bookmarks", None)


@pytest.fixture
def fetch(code: Path, jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Fetch:
    """`await fetch("colophon/…")` requests a path as it is written."""

    async def request(path: str, headers: Any = None, *, anonymous: bool = False) -> Any:
        return await http_server_client.fetch(
            jp_base_url + path,
            headers=({} if anonymous else jp_auth_header) | (headers or {}),
            request_timeout=WAIT_S,
            raise_error=False,
            follow_redirects=False,
        )

    return request


async def find_panel(api: Any) -> Any:
    """Return the panel of the example as it is listed; None if it is not."""
    listed = (await api("GET", "system-apps", "panels", answers="app-panels")).body["panels"]
    return next((panel for panel in listed if panel["app"] == "bookmarks"), None)


async def test_module_of_a_panel_is_sent_to_callers(fetch: Fetch, api: Any, code: Path, kernel: dict[str, str]) -> None:
    panel = await find_panel(api)
    assert (panel["app"], panel["id"], panel["title"], panel["contexts"]) == ("bookmarks", "list", "Bookmarks", True)
    sent = await fetch(panel["module"])
    assert (sent.code, sent.body) == (200, (code / "shop_bookmarks/web/panel.js").read_bytes())
    assert sent.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert sent.headers["X-Content-Type-Options"] == "nosniff"
    assert sent.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    # The time that `?` is followed by when a browser tries again.
    assert (await fetch(f"{panel['module']}?1700000000000")).code == 200
    known = await fetch(panel["module"], {"If-None-Match": sent.headers["Etag"]})
    assert (known.code, known.body) == (304, b"")
    assert (await fetch(panel["module"], anonymous=True)).code == 403
    assert (await fetch(panel["module"], kernel, anonymous=True)).code == 200


async def test_paths_outside_the_folder_are_not_found(fetch: Fetch, api: Any) -> None:
    panel = await find_panel(api)
    version = f"{PANELS}/list/{panel['version']}"
    for path in (
        f"{version}/..%2f__init__.py",
        f"{version}/%2e%2e/__init__.py",
        f"{version}/..%252f__init__.py",
        f"{version}/%2fetc%2fpasswd",
        f"{version}/panel.js%00",
        f"{version}/..%5c__init__.py",
        f"{version}/missing.js",
        f"{PANELS}/list/0123456789abcdef/panel.js",
        f"{PANELS}/other/{panel['version']}/panel.js",
        f"{PANELS.replace('bookmarks', 'other')}/list/{panel['version']}/panel.js",
    ):
        refused = await fetch(path)
        assert (refused.code, json.loads(refused.body)["status"]) == (404, 404), path
    await api("POST", "system-apps", "bookmarks", "disable", answers="system-app")
    assert await find_panel(api) is None
    disabled = await fetch(panel["module"])
    assert (disabled.code, "it is disabled" in json.loads(disabled.body)["message"]) == (409, True)
