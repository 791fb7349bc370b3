"""PostgreSQL stops, hangs and comes back, and our process continues (spec FAULT-4, STORE-20)."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from faults import choice
from faults.oracle import Acknowledged, find_violations
from faults.size import IS_FULL, sized
from faults.workload import ASPECTS, Write, generate_numbers
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, search_catalog, write_metadata
from support.changes import read_changes_after
from support.memory import find_memory_folder
from support.postgres import PostgresServer, create_store_in_schema
from support.process import start_script_process
from support.urns import ORDERS

ROUNDS, THREADS = sized(3, 200), 4
#: The number of rounds of one store: checking all that it contains takes longer with each.
ROUNDS_A_STORE = 10
#: A little longer than requests are rejected after a failed connection.
REJECTED_S = 0.6
#: Writes the shared names, each time only if nobody else did in between, and notes its versions in a file.
RACER = """
import json
from pathlib import Path
from faults import choice
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from support.catalog import ADA, write_metadata
from support.urns import build_table_urn
catalog, name, made = choice.open_choice(sys.argv[1]), sys.argv[2], []
while len(made) < int(sys.argv[3]):
    urn = build_table_urn(f"shared{len(made) % 5}")
    version = catalog.reader.read_current_aspect(Urn.parse(urn), "technicalMetadata", ADA).version
    try:
        won = write_metadata(catalog, urn, {"by": f"{name}-{len(made)}"}, version=version)
    except ConditionFailed:
        continue
    made.append([urn, won.version, f"{name}-{len(made)}"])
Path(sys.argv[4]).write_text(json.dumps(made))
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """Start a server that no other test uses; at full size on a disk, where commits are slow."""
    made = PostgresServer(None if IS_FULL else find_memory_folder())
    yield made
    made.stop()


@contextmanager
def catalog_on(server: PostgresServer) -> Iterator[Catalog]:
    with create_store_in_schema(server) as store:
        catalog = choice.open_choice(choice.format_choice(store))
        try:
            yield catalog
        finally:
            catalog.close()


class Writers:
    """Threads that write until they are stopped, retrying each write until its outcome is known."""

    def __init__(self, catalog: Catalog, name: str) -> None:
        self.catalog = catalog
        self.acknowledged: list[Acknowledged] = []
        self.unknown, self.stopped = 0, threading.Event()
        self.failed: list[BaseException] = []
        self.threads = [threading.Thread(target=self._write_on, args=(f"{name}{n}",)) for n in range(THREADS)]

    def __enter__(self) -> "Writers":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        assert self.failed == []

    def wait_for(self, more: int) -> None:
        """Wait until this many more writes are acknowledged."""
        expected = len(self.acknowledged) + more
        while len(self.acknowledged) < expected:
            assert not self.failed
            time.sleep(0.005)

    def _write_on(self, writer: str) -> None:
        try:
            for number in generate_numbers(writer, 0):
                if self.stopped.is_set():
                    return
                self._write(Write(number))
        except BaseException as error:  # noqa: BLE001  # a thread's error is the test's
            self.failed.append(error)

    def _write(self, write: Write) -> None:
        while True:
            try:
                # The batch is sent with a key; recording a run and its accesses again changes nothing.
                done = _propose(self.catalog, write)
                if write.has_run:
                    write.apply_run(self.catalog)
            except StoreUnavailable:
                self.unknown += 1
                time.sleep(0.01)
                continue
            self.acknowledged.append(Acknowledged(write.number, done))
            return


def _propose(catalog: Catalog, write: Write) -> tuple[tuple[str, str, int], ...]:
    batch = [Proposal(Urn.parse(urn), aspect, "upsert", write.value) for urn in write.urns for aspect in ASPECTS]
    done = catalog.write_path.apply_proposals_atomically(
        batch, ADA, idempotency_key=IdempotencyKey("ada", write.number, "the batch")
    )
    return tuple((str(one.urn), one.aspect or "", one.version) for one in done)


def _find_repeated(catalog: Catalog) -> list[Any]:
    """Return the aspects in which more than one version has the same number."""
    rows = catalog.provider.tx_runner.run(
        lambda tx: list(tx.get_table("aspect_versions").scan(Range())), read_only=True
    )
    written = [(row["urn"], row["aspect"], json.loads(row["value"] or "{}").get("properties", {})) for row in rows]
    numbered = Counter(
        (urn, aspect, properties["number"]) for urn, aspect, properties in written if "number" in properties
    )
    return [place for place, count in numbered.items() if count > 1]


def test_acknowledged_writes_survive_immediate_server_shutdown(
    server: PostgresServer,
) -> None:
    chance, unknown = random.Random(7), 0
    for first in range(0, ROUNDS, ROUNDS_A_STORE):
        with catalog_on(server) as catalog:
            with Writers(catalog, f"s{first}w") as writers:
                for _ in range(min(ROUNDS_A_STORE, ROUNDS - first)):
                    writers.wait_for(5)
                    time.sleep(chance.uniform(0, 0.2))
                    server.crash()
                    server.start()
                writers.wait_for(5)
            unknown += writers.unknown
            assert find_violations(catalog, writers.acknowledged) == []
            assert _find_repeated(catalog) == []
            assert catalog.provider.check_health()["status"] == "ok"
    assert unknown > 0, "no write was interrupted"


def test_listener_continues_after_server_restart(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        received: list[int] = []
        catalog.feed.register_listener(lambda changes: received.extend(one.seq for one in changes))
        head = catalog.feed.read_newest_change_number()
        for number in range(3):
            server.crash()
            server.start()
            _retry(lambda number=number: write_metadata(catalog, properties={"number": str(number)}))  # type: ignore[misc]
        last = _retry(catalog.feed.read_newest_change_number)
        while not received or received[-1] < last:
            time.sleep(0.01)
        assert received == list(range(head + 1, last + 1))


def test_broken_connections_are_not_reused_after_restart(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        asks: list[Callable[[], Any]] = [
            lambda: write_metadata(catalog, properties={"a": str(catalog.feed.read_newest_change_number())}),
            lambda: search_catalog(catalog, "orders"),
            lambda: catalog.provider.table_admin.list(),
            lambda: catalog.provider.get_data_version(),
        ]
        for ask in asks:
            for before in asks:
                before()
            server.crash()
            server.start()
            # The sealer may have failed to connect meanwhile: for a moment after that no other attempt is made.
            time.sleep(REJECTED_S)
            _retry(catalog.provider._server.require_recently_reachable)  # type: ignore[attr-defined]
            ask()


def test_requests_fail_during_outage_and_recover(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        write_metadata(catalog)
        server.crash()
        for _ in range(2):
            for request in (
                lambda: write_metadata(catalog, properties={"a": "b"}),
                lambda: search_catalog(catalog, "orders"),
                catalog.provider.get_data_version,
            ):
                with pytest.raises(StoreUnavailable):
                    request()
        assert catalog.provider.check_health()["status"] == "down"
        server.start()
        assert _retry(lambda: write_metadata(catalog, properties={"a": "b"})).version == 2
        assert search_catalog(catalog, "a:b").total == 1
        assert catalog.provider.check_health()["status"] == "ok"


def test_frozen_server_delays_requests_only_briefly(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        write_metadata(catalog)
        search_catalog(catalog, "orders")
        server.freeze()
        try:
            for request in (
                lambda: write_metadata(catalog, properties={"a": "b"}),
                lambda: search_catalog(catalog, "orders"),
            ):
                with pytest.raises(StoreUnavailable):
                    request()
        finally:
            server.resume()
        assert _retry(lambda: write_metadata(catalog, properties={"a": "b"})).version == 2
        assert _retry(lambda: search_catalog(catalog, "a:b")).total == 1


def test_two_processes_write_each_version_once_and_followers_miss_nothing(
    server: PostgresServer, tmp_path: Path
) -> None:
    wins = sized(60, 1_000)
    with create_store_in_schema(server) as store:
        argument = choice.format_choice(store)
        catalog = choice.open_choice(argument)
        for number in range(5):
            write_metadata(catalog, ORDERS.replace("orders", f"shared{number}"))
        files = [str(tmp_path / name) for name in ("a", "b")]
        with (
            start_script_process(RACER, argument, "a", str(wins), files[0]) as a,
            start_script_process(RACER, argument, "b", str(wins), files[1]) as b,
        ):
            received = _follow(catalog, lambda: a.poll() is None or b.poll() is None)
            outputs = [process.communicate(timeout=300)[0] for process in (a, b)]
        assert [process.returncode for process in (a, b)] == [0, 0], outputs
        made = [tuple(one) for file in files for one in json.loads(Path(file).read_text())]
        whole = read_changes_after(catalog, 0)
        assert [one.seq for one in whole] == list(range(1, len(whole) + 1))
        assert received + read_changes_after(catalog, received[-1].seq) == whole
        assert len({(urn, version) for urn, version, _ in made}) == len(made) == 2 * wins
        shared = [one for one in whole if "shared" in one.urn and one.aspect == ASPECTS[0] and one.version > 1]
        assert {(one.urn, one.version, one.value["properties"]["by"]) for one in shared} == set(made)
        catalog.close()


def _follow(catalog: Catalog, continues: Callable[[], bool]) -> list[Change]:
    """Read changes repeatedly from the last position."""
    changes: list[Change] = []
    while continues():
        changes += catalog.feed.read_visible_changes(changes[-1].seq if changes else 0, 50, {}, ADA)
    return changes


def _retry(work: Callable[[], Any]) -> Any:
    """Retry like a client that was request to come back later."""
    while True:
        try:
            return work()
        except StoreUnavailable:
            time.sleep(0.05)
