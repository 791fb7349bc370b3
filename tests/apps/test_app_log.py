"""The log of an application: records of all processes in their order, without what requests contain, and limited."""

import logging
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from jupyter_colophon.apps import Range, SystemAppTimeout, TransactionTimeout, transactions
from jupyter_colophon.apps.app_log import AppLog, get_app_logger
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import NotFound, SystemAppFailed
from jupyter_colophon.core.system_app_log import AppLogRecord
from jupyter_colophon.storage.system_app_logs import KEPT, append_log_records
from support.catalog import ADA
from support.system_apps import CONTEXTS, call_app, open_apps, prepare_context, wait_for_records

WAIT_S = 120


@pytest.fixture
def opened(catalog: Catalog, install: Any, rogue: ModuleType) -> Iterator[SystemApps]:
    install(CONTEXTS, "contexts", "Contexts")
    apps = open_apps(catalog)
    yield apps
    apps.close()


def test_failure_is_logged_without_its_message(opened: SystemApps) -> None:
    with pytest.raises(SystemAppFailed):
        call_app(opened, "GET", "/raise", app="rogue")
    (record,) = wait_for_records(opened, "rogue", 1)
    assert record.level == "ERROR"
    assert record.message.startswith("the handler of GET /raise of the system application rogue failed (ValueError at ")
    assert ", in raise_error)" in record.message
    assert "CANARY" not in record.message


def test_wrong_use_is_logged_with_the_place_in_the_application(opened: SystemApps, rogue: ModuleType) -> None:
    for path in ("/nest/execute", "/wrong/field"):
        with pytest.raises(SystemAppFailed):
            call_app(opened, "POST", path, app="rogue")
    nested, wrong = wait_for_records(opened, "rogue", 2)
    for record, error in ((nested, "TransactionMisused"), (wrong, "InvalidField")):
        assert f" failed ({error} at {rogue.__file__}:" in record.message
        assert record.message.endswith(", in <lambda>)")


def test_time_limits_are_logged(opened: SystemApps, rogue: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "WRITE_S", 0.2)
    with pytest.raises(TransactionTimeout):
        call_app(opened, "POST", "/hang-in-transaction", app="rogue")
    received = ReceivedAppCall("rogue", "service", ["hang"], ServiceRequest("POST"), ADA)
    call = opened.prepare_call(received)
    late = opened.build_call("rogue", call.route, call.request, ADA, 0.0)
    with pytest.raises(SystemAppTimeout):
        opened.submit_call(late, lambda encoded: encoded).result(WAIT_S)
    wait_for_records(opened, "rogue", 2)
    # The server's own time limit is logged only once.
    late.log_and_create_timeout()
    with pytest.raises(SystemAppFailed):
        call_app(opened, "GET", "/raise", app="rogue")
    transaction, handler, _ = wait_for_records(opened, "rogue", 3)
    assert (transaction.level, handler.level) == ("WARNING", "WARNING")
    assert transaction.message.startswith("the handler of POST /hang-in-transaction: a transaction of the system ")
    assert "took longer than 0.2 s, and was rolled back (TransactionTimeout at " in transaction.message
    assert handler.message == "the handler of POST /hang: the system application 'rogue' did not answer within 1 s"


def test_application_logs_from_info_on(opened: SystemApps, catalog: Catalog) -> None:
    logger = prepare_context(opened, "sales").logger
    logger.debug("hidden")
    logger.info("imported %d rows", 3)
    logger.warning("x" * 5_000)
    first, second = wait_for_records(opened, "contexts", 2)
    assert (first.seq, first.level, first.message) == (1, "INFO", "imported 3 rows")
    assert (second.seq, second.level, len(second.message)) == (2, "WARNING", 2_000)
    assert opened.list_log_records("contexts", 1, 10) == [second]
    assert opened.list_log_records("CONTEXTS", None, 1) == [second]
    assert opened.list_log_records("rogue", None, 10) == []
    with pytest.raises(NotFound):
        opened.list_log_records("other", None, 10)


def test_waiting_records_are_stored_at_the_end(opened: SystemApps, catalog: Catalog) -> None:
    opened.list_states()
    get_app_logger("contexts").info("last words")
    opened.close()
    get_app_logger("contexts").info("too late")
    assert [record.message for record in opened.list_log_records("contexts", None, 10)] == ["last words"]


def test_newest_records_are_kept(opened: SystemApps, catalog: Catalog) -> None:
    record = AppLogRecord(0, 1_000, "INFO", "record")
    for _ in range(3):
        catalog.provider.tx_runner.run(lambda tx: append_log_records(tx, "rogue", [record] * (KEPT // 2)))
    kept = opened.list_log_records("rogue", 0, 2 * KEPT)
    assert [found.seq for found in kept] == [*range(KEPT // 2 + 1, 3 * KEPT // 2 + 1)]


def test_flood_of_records_drops_the_oldest(catalog: Catalog) -> None:
    log = AppLog("flooding", catalog.provider)
    # Closed, its thread stores nothing before the end.
    log._worker.stop()
    for number in range(500):
        log.add_record(AppLogRecord(0, 1_000, "INFO", str(number)))
    log.close()
    rows = catalog.provider.tx_runner.run(
        lambda tx: [row["message"] for row in tx.get_table("system_app_logs").scan(Range.prefix("flooding"))],
        read_only=True,
    )
    assert rows == ["300 earlier records were dropped", *map(str, range(300, 500))]
    assert not logging.getLogger("jupyter_colophon.apps.flooding").handlers
