"""A server does not serve an incomplete restore, and serves the store when the restore has ended."""

from typing import Any

import pytest
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.maintenance import open_store_for_maintenance
from jupyter_colophon.storage.integrity import restoring
from support.catalog import build_metadata_value
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")


def _marked(store: StorageChoice) -> Any:
    """Start a restore in another process; return the function that ends it."""
    maintenance = open_store_for_maintenance(store, lambda what, steps: None, new=True)
    maintenance.provider.tx_runner.run(restoring.mark_restore_begun)

    def end() -> None:
        maintenance.provider.tx_runner.run(restoring.mark_restore_ended)
        maintenance.close()

    return end


async def test_incomplete_restore_returns_503_until_finished(
    api: Any, jp_serverapp: Any, caplog: pytest.LogCaptureFixture
) -> None:
    end = _marked(jp_serverapp.web_app.settings[SETTING].store)
    requested: tuple[tuple[Any, ...], ...] = (("GET", *TECHNICAL), ("GET", "changes"), ("GET", "entities"))
    for call in requested:
        answer = await api(*call, documented=False)
        assert answer.status == 503
        assert answer.body["type"].endswith("incomplete-restore")
        assert "a restore into this store did not finish" in answer.body["detail"]
    assert (await api("PUT", *TECHNICAL, body=build_metadata_value(), documented=False)).status == 503
    end()
    assert (await api("PUT", *TECHNICAL, body=build_metadata_value())).status < 300
