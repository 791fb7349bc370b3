"""The network between us and PostgreSQL swallows everything for a while (spec STORE-20)."""

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
from jupyter_colophon.core.store import StoreChoice
from support.catalog import ADA, say, search
from support.postgres import fresh_schema
from support.urns import table

_SOCKET = ".s.PGSQL.5432"
#: A thread that waits this long has been forgotten.
_PATIENCE_S = 300


class Wire:
    """A socket in a folder of its own that leads to another one, for as long as it is whole."""

    def __init__(self, folder: Path, to: Path) -> None:
        self._to, self.is_whole = to, threading.Event()
        self.is_whole.set()
        self._ends: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / _SOCKET))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Cut it for good."""
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
    """A catalog on PostgreSQL at the end of a wire."""
    with fresh_schema() as store:
        real = Path(store.options["dsn"].split()[0].removeprefix("host="))
        made = Wire(tmp_path, real)
        dsn = store.options["dsn"].replace(str(real), str(tmp_path))
        catalog = choice.catalog_of(choice.told(StoreChoice("postgresql", dict(store.options) | {"dsn": dsn})))
        yield made, catalog
        catalog.close()
        made.close()


def test_requests_fail_and_work_again_without_a_restart(wire: tuple[Wire, Catalog]) -> None:
    made, catalog = wire
    say(catalog, properties={"before": "yes"})
    made.is_whole.clear()
    with ThreadPoolExecutor(8) as threads:
        writes = [threads.submit(say, catalog, table(f"t{number}")) for number in range(4)]
        reads = [threads.submit(search, catalog, "before:yes") for _ in range(4)]
        for asked in (*writes, *reads):
            assert isinstance(asked.exception(_PATIENCE_S), StoreUnavailable)
    assert catalog.provider.health()["status"] == "down"
    made.is_whole.set()
    for _ in range(1_500):
        # For a moment nobody knocks at a server that could not be reached.
        with suppress(StoreUnavailable):
            assert say(catalog, properties={"after": "yes"}).version == 2
            break
        threading.Event().wait(0.2)
    assert search(catalog, "after:yes").total == 1
    assert catalog.provider.health()["status"] == "ok"


def test_what_was_asked_before_the_silence_happened_wholly_or_not_at_all(wire: tuple[Wire, Catalog]) -> None:
    made, catalog = wire
    say(catalog)
    over = threading.Event()

    def write_on(name: str) -> list[int]:
        done = []
        while not over.is_set():
            with suppress(StoreUnavailable):
                done.append(say(catalog, table(name), {"number": str(len(done))}).version)
        return done

    with ThreadPoolExecutor(3) as threads:
        writers = [threads.submit(write_on, name) for name in "abc"]
        for _ in range(2):
            over.wait(0.5)
            made.is_whole.clear()
            over.wait(1)
            made.is_whole.set()
        over.wait(1)
        over.set()
        told = {name: writer.result(_PATIENCE_S) for name, writer in zip("abc", writers, strict=True)}
    for name, versions in told.items():
        assert versions == sorted(set(versions))
        changes = catalog.feed.changes(0, 500, {"urn": table(name)}, ADA)
        announced = [one.version for one in changes if one.aspect == "technicalMetadata"]
        assert announced == list(range(1, len(announced) + 1))
        assert set(versions) <= set(announced)
