"""An application whose code fails, hangs or returns something else affects only itself (spec SEC-17)."""

import logging
import threading
import time
from concurrent.futures import Future
from types import ModuleType

import pytest
from jupyter_colophon.apps import call_threads, handler_call, transactions
from jupyter_colophon.apps.handler_call import EncodedResponse
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import NotFound, SystemAppFailed, SystemAppUnavailable, TransactionTimeout
from support.catalog import ADA, write_metadata
from support.system_apps import call_app, open_apps
from support.urns import ORDERS

WAIT_S = 120
SALES = "/v2/contexts/sales/connections"


@pytest.fixture
def both(apps: SystemApps, rogue: ModuleType) -> SystemApps:
    """Both applications; the broken one was installed before anything was loaded."""
    return apps


def submit(apps: SystemApps, path: str) -> "Future[EncodedResponse]":
    call = apps.prepare_call(ReceivedAppCall("rogue", "service", [path], ServiceRequest("POST"), ADA))
    return apps.submit_call(call, lambda encoded: encoded)


def test_exception_fails_one_call_and_is_logged(both: SystemApps, caplog: pytest.LogCaptureFixture) -> None:
    for path, name in (("/raise", "ValueError"), ("/exit", "SystemExit")):
        with (
            caplog.at_level(logging.ERROR, "jupyter_colophon.apps"),
            pytest.raises(SystemAppFailed, match=f"'rogue' failed: the handler of GET {path} raised {name}$"),
        ):
            call_app(both, "GET", path, app="rogue")
    assert "CANARY" in caplog.text
    assert "Traceback" in caplog.text
    with pytest.raises(SystemAppFailed, match="raised RuntimeError"):
        call_app(both, "POST", "/exit", app="rogue")
    assert call_app(both, "GET", "/rows", app="rogue") == []
    assert call_app(both, "GET", SALES) == {"connections": []}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/object", "not JSON .*Object of type object"),
        ("/nan", "not JSON"),
        ("/status", "the status 302"),
    ],
)
def test_wrong_result_is_explained(both: SystemApps, path: str, reason: str) -> None:
    with pytest.raises(SystemAppFailed, match=f"the handler of GET {path} returned .*{reason}"):
        call_app(both, "GET", path, app="rogue")


def test_large_result_is_refused(both: SystemApps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler_call, "ANSWER_BYTES_MAX", 20)
    with pytest.raises(SystemAppFailed, match="returned more than 20 bytes"):
        call_app(both, "GET", "/v2/contexts/sales")
    assert call_app(both, "GET", SALES) == {"connections": []}


def test_tables_end_with_their_transaction(both: SystemApps) -> None:
    with pytest.raises(SystemAppFailed, match="GET /leak raised TransactionMisused"):
        call_app(both, "GET", "/leak", app="rogue")


def test_nothing_that_opens_a_transaction_can_be_used_inside_another_one(
    both: SystemApps, rogue: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    for member in rogue.NESTED:
        with pytest.raises(SystemAppFailed, match=r"POST /nest/{member} raised TransactionMisused"):
            call_app(both, "POST", f"/nest/{member}", app="rogue")
    assert caplog.text.count("call them before or after it") == len(rogue.NESTED)
    # Without the call inside, the writes are committed.
    call_app(both, "POST", "/nest/none", app="rogue")
    assert call_app(both, "GET", "/rows", app="rogue") == ["outer"]


def test_wrong_arguments_are_failures_of_the_application(both: SystemApps, rogue: ModuleType) -> None:
    for name, error in rogue.WRONG_ERRORS.items():
        with pytest.raises(SystemAppFailed, match=f"POST /wrong/{{name}} raised {error}$"):
            call_app(both, "POST", f"/wrong/{name}", app="rogue")
    with pytest.raises(NotFound, match="Namespace 'a b' not found"):
        call_app(both, "POST", "/wrong/caller", app="rogue")


def test_hanging_calls_fill_only_their_own_threads(both: SystemApps, rogue: ModuleType) -> None:
    most = call_threads.THREADS + call_threads.WAITING
    # The last ones wait for a thread.
    calls = [submit(both, "hang") for _ in range(call_threads.THREADS)]
    for _ in range(call_threads.THREADS):
        assert rogue.HANGING.acquire(timeout=WAIT_S)
    calls += [submit(both, "hang") for _ in range(call_threads.WAITING)]
    with pytest.raises(SystemAppUnavailable, match=f"{call_threads.WAITING} are waiting"):
        submit(both, "hang")
    assert call_app(both, "GET", SALES) == {"connections": []}
    # A call whose client does not wait any more makes room.
    assert calls[-1].cancel()
    calls.append(submit(both, "hang"))
    rogue.RELEASE.set()
    ended = [call.exception(WAIT_S) for call in calls if not call.cancelled()]
    assert len(ended) == most
    assert all(type(error).__name__ in ("SystemAppTimeout", "NoneType") for error in ended)
    assert call_app(both, "GET", SALES) == {"connections": []}


def test_call_that_missed_its_time_limit_changes_nothing(both: SystemApps, rogue: ModuleType) -> None:
    call = submit(both, "hang")
    assert rogue.HANGING.acquire(timeout=WAIT_S)
    until = time.monotonic() + 1
    while time.monotonic() < until:
        threading.Event().wait(0.05)
    rogue.RELEASE.set()
    assert type(call.exception(WAIT_S)).__name__ == "SystemAppTimeout"
    assert rogue.LATE == ["SystemAppTimeout"]
    assert call_app(both, "GET", "/rows", app="rogue") == []


def test_hanging_transaction_is_abandoned_and_rolled_back(
    both: SystemApps, rogue: ModuleType, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patches:
        patches.setattr(transactions, "WRITE_S", 0.2)
        call = submit(both, "hang-in-transaction")
        assert isinstance(call.exception(WAIT_S), TransactionTimeout)
    # Its callable still hangs, while others write.
    assert write_metadata(catalog, ORDERS).has_changed
    assert call_app(both, "PUT", f"{SALES}/lake", {"url": "a"}) == {"name": "lake"}
    assert call_app(both, "GET", "/rows", app="rogue") == []
    rogue.RELEASE.set()
    assert call_app(both, "GET", "/rows", app="rogue") == []


def test_stopping_does_not_wait_for_hanging_calls(both: SystemApps, rogue: ModuleType, catalog: Catalog) -> None:
    hanging = [submit(both, "hang") for _ in range(call_threads.THREADS)]
    for _ in hanging:
        assert rogue.HANGING.acquire(timeout=WAIT_S)
    waiting = submit(both, "hang")
    both.close()
    assert waiting.cancelled()
    assert not any(call.done() for call in hanging)
    with pytest.raises(SystemAppUnavailable, match="stopping"):
        submit(both, "hang")
    # Another server on the store is not concerned.
    other = open_apps(catalog)
    assert call_app(other, "GET", "/rows", app="rogue") == []
    other.close()
