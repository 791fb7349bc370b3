"""A server does not serve what a restore left half-way, and serves it when the restore has ended."""

from typing import Any

import pytest
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.maintenance import open_keeper
from jupyter_colophon.storage.integrity import restoring
from support.catalog import metadata
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")


def _marked(store: StoreChoice) -> Any:
    """Another process's restore, which goes on: what ends it."""
    keeper = open_keeper(store, lambda what, steps: None, new=True)
    keeper.provider.tx_runner.run(restoring.begin)

    def end() -> None:
        keeper.provider.tx_runner.run(restoring.end)
        keeper.close()

    return end


async def test_a_half_restored_store_is_503_for_everything_until_the_restore_ends(
    api: Any, jp_serverapp: Any, caplog: pytest.LogCaptureFixture
) -> None:
    end = _marked(jp_serverapp.web_app.settings[SETTING].store)
    asked: tuple[tuple[Any, ...], ...] = (("GET", *TECHNICAL), ("GET", "changes"), ("GET", "entities"))
    for call in asked:
        answer = await api(*call, told=False)
        assert answer.status == 503
        assert answer.body["type"].endswith("incomplete-restore")
        assert "a restore into this store did not finish" in answer.body["detail"]
    assert (await api("PUT", *TECHNICAL, body=metadata(), told=False)).status == 503
    end()
    assert (await api("PUT", *TECHNICAL, body=metadata())).status < 300
