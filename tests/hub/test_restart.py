"""`jupyter colophon serve` replaces its processes while clients write; `make long-hub` runs this."""

import signal
from pathlib import Path

import pytest
from support.postgres import create_empty_store
from support.service import Writers, require_acknowledged, run_service, wait_for

WRITERS = 6
#: A process that is replaced keeps idle connections for 15 s.
PAUSES_S = [0.0, 8.0]


@pytest.mark.parametrize("longest_pause_s", PAUSES_S)
def test_processes_are_replaced_one_by_one_without_a_failed_request(tmp_path: Path, longest_pause_s: float) -> None:
    """Each writer keeps its connection open, and repeats no request."""
    with create_empty_store() as store, run_service(tmp_path, store, processes=2) as service:
        writers = Writers(service, WRITERS, goes_on=True, longest_pause_s=longest_pause_s)
        writers.start()
        before = service.list_workers()
        assert service.process is not None
        service.process.send_signal(signal.SIGHUP)
        wait_for(lambda: not set(before) & set(service.list_workers()))
        writers.stop()
        assert writers.refusals == []
        assert not any(writers.lost.values())
        require_acknowledged(writers, service)


def test_a_service_stops_while_its_processes_are_replaced(tmp_path: Path) -> None:
    with create_empty_store() as store, run_service(tmp_path, store, processes=2) as service:
        idle = service.connect()
        assert idle.read_health()["status"] == "ok"
        before = service.list_workers()
        assert service.process is not None
        service.process.send_signal(signal.SIGHUP)
        wait_for(lambda: bool(set(service.list_workers()) - set(before)))
        assert service.stop() == 0
        assert service.list_workers() == []
