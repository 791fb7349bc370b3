"""`jupyter colophon serve` replaces its processes while clients write; `make long-hub` runs this."""

import signal
from pathlib import Path

from support.postgres import create_empty_store
from support.service import Writers, require_acknowledged, run_service, wait_for

WRITERS = 6


def test_processes_are_replaced_one_by_one_without_a_failed_request(tmp_path: Path) -> None:
    with create_empty_store() as store, run_service(tmp_path, store, processes=2) as service:
        writers = Writers(service, WRITERS, goes_on=True)
        writers.start()
        before = service.list_workers()
        assert service.process is not None
        service.process.send_signal(signal.SIGHUP)
        wait_for(lambda: not set(before) & set(service.list_workers()))
        writers.stop()
        assert writers.refusals == []
        assert not any(writers.lost.values())
        require_acknowledged(writers, service)
