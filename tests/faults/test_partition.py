"""The network to PostgreSQL drops all packets for a while (spec STORE-20)."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from faults import choice
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.store import StorageChoice
from support.catalog import ADA, search_catalog, write_metadata
from support.postgres import create_store_in_schema
from support.urns import build_table_urn

_SOCKET = ".s.PGSQL.5432"
#: A thread that waits longer than this hangs.
_TIMEOUT_S = 300


class Wire:
    """A socket that forwards to another one while it is intact."""

    def __init__(self, folder: Path, to: Path) -> None:
        self._to, self.is_whole = to, threading.Event()
        self.is_whole.set()
        self._ends: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / _SOCKET))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Close the connection permanently."""
        self.is_whole.set()
        for end in (self._listening, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listening.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(str(self._to / _SOCKET))
                self._ends += [here, there]
                for source, target in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self.is_whole.wait()
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[tuple[Wire, Catalog]]:
    """Open a catalog on PostgreSQL behind a wire."""
    with create_store_in_schema() as store:
        real = Path(store.options["dsn"].split()[0].removeprefix("host="))
        proxy = Wire(tmp_path, real)
        dsn = store.options["dsn"].replace(str(real), str(tmp_path))
        catalog = choice.open_choice(
            choice.format_choice(StorageChoice("postgresql", dict(store.options) | {"dsn": dsn}))
        )
        yield proxy, catalog
        catalog.close()
        proxy.close()


def test_requests_fail_during_outage_and_recover_without_restart(wire: tuple[Wire, Catalog]) -> None:
    proxy, catalog = wire
    write_metadata(catalog, properties={"before": "yes"})
    proxy.is_whole.clear()
    with ThreadPoolExecutor(8) as threads:
        writes = [threads.submit(write_metadata, catalog, build_table_urn(f"t{number}")) for number in range(4)]
        reads = [threads.submit(search_catalog, catalog, "before:yes") for _ in range(4)]
        for requested in (*writes, *reads):
            assert isinstance(requested.exception(_TIMEOUT_S), StoreUnavailable)
    assert catalog.provider.check_health()["status"] == "down"
    proxy.is_whole.set()
    for _ in range(1_500):
        # After a failed connection, no further attempt is proxy for a moment.
        with suppress(StoreUnavailable):
            assert write_metadata(catalog, properties={"after": "yes"}).version == 2
            break
        threading.Event().wait(0.2)
    assert search_catalog(catalog, "after:yes").total == 1
    assert catalog.provider.check_health()["status"] == "ok"


def test_interrupted_writes_are_atomic(wire: tuple[Wire, Catalog]) -> None:
    proxy, catalog = wire
    write_metadata(catalog)
    over = threading.Event()

    def write_on(name: str) -> list[int]:
        done = []
        while not over.is_set():
            with suppress(StoreUnavailable):
                done.append(write_metadata(catalog, build_table_urn(name), {"number": str(len(done))}).version)
        return done

    with ThreadPoolExecutor(3) as threads:
        writers = [threads.submit(write_on, name) for name in "abc"]
        for _ in range(2):
            over.wait(0.5)
            proxy.is_whole.clear()
            over.wait(1)
            proxy.is_whole.set()
        over.wait(1)
        over.set()
        results = {name: writer.result(_TIMEOUT_S) for name, writer in zip("abc", writers, strict=True)}
    for name, versions in results.items():
        assert versions == sorted(set(versions))
        changes = catalog.feed.read_visible_changes(0, 500, {"urn": build_table_urn(name)}, ADA)
        announced = [one.version for one in changes if one.aspect == "technicalMetadata"]
        assert announced == list(range(1, len(announced) + 1))
        assert set(versions) <= set(announced)
