"""A cursor before the oldest kept change returns 410 with the first available number (spec MODEL-15)."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.service.admin.log_truncation import delete_changes_older_than_days
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.secret import read_or_create_store_key
from support.catalog import build_metadata_value
from support.change_socket import open_change_socket
from support.urns import ORDERS
from tornado.httpclient import HTTPClientError

pytestmark = pytest.mark.each_store

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
_YEAR_MS = 366 * 86_400_000


def _compact(catalog: Catalog) -> int:
    """Remove changes older than a day as of a year from now; return the floor."""
    delete_changes_older_than_days(
        catalog.provider,
        read_or_create_store_key(catalog.provider),
        lambda: read_time_ms() + _YEAR_MS,
        1,
        lambda what, steps: None,
    )
    return catalog.provider.tx_runner.run(signed_chain.get_last_removed_number, read_only=True)


@pytest.fixture
def floor(api: Any, sales: None, jp_serverapp: Any, jp_asyncio_loop: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Up to which change nothing is kept."""
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 3)
    for number in range(6):
        written = api("PUT", *BUSINESS, body=build_metadata_value({"owner": f"o{number}"}))
        assert jp_asyncio_loop.run_until_complete(written).status < 300
    found = _compact(jp_serverapp.web_app.settings[SETTING].get_or_open_catalog())
    assert found > 3
    return found


async def test_compacted_cursor_returns_410_with_first_available_number(api: Any, floor: int) -> None:
    for after in (0, floor - 1):
        gone = await api("GET", "changes", params={"after": after})
        assert gone.status == 410
        assert gone.body["type"].endswith(":log-compacted")
        assert f"after={floor}" in gone.body["detail"]
    kept = (await api("GET", "changes", params={"after": floor}, answers="changes")).body
    assert kept["changes"][0]["seq"] == floor + 1
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    assert kept["cursor"] == head


async def test_subscription_starts_at_the_earliest_kept_change(
    api: Any, floor: int, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    with pytest.raises(HTTPClientError) as refused:
        await open_change_socket(url, jp_auth_header, after=floor - 1)
    assert refused.value.code == 410
    listener = await open_change_socket(url, jp_auth_header, after=floor)
    received = await listener.read_until(lambda one: one["seq"] == listener.head)
    assert [one["seq"] for one in received] == list(range(floor + 1, listener.head + 1))
    listener.socket.close()
