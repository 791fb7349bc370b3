"""PostgreSQL goes away, stands still and comes back, and our process goes on (spec FAULT-4, STORE-20)."""

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
from faults.oracle import Acknowledged, faults
from faults.size import IS_FULL, sized
from faults.workload import ASPECTS, Write, numbers
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, say, search
from support.memory import memory
from support.postgres import PostgresServer, fresh_schema
from support.process import running
from support.urns import ORDERS

ROUNDS, THREADS = sized(3, 200), 4
#: How many rounds one store sees: looking at all that it holds takes longer with each.
ROUNDS_A_STORE = 10
#: A little longer than everybody is refused after somebody met no server.
REFUSED_S = 0.6
#: Writes the shared names, each time only if nobody else did in between, and notes in a file which versions it made.
RACER = """
import json
from pathlib import Path
from faults import choice
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from support.catalog import ADA, say
from support.urns import table
catalog, name, made = choice.catalog_of(sys.argv[1]), sys.argv[2], []
while len(made) < int(sys.argv[3]):
    urn = table(f"shared{len(made) % 5}")
    version = catalog.reader.aspect(Urn.parse(urn), "technicalMetadata", ADA).version
    try:
        won = say(catalog, urn, {"by": f"{name}-{len(made)}"}, version=version)
    except ConditionFailed:
        continue
    made.append([urn, won.version, f"{name}-{len(made)}"])
Path(sys.argv[4]).write_text(json.dumps(made))
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that no other test uses; at full size on a disk, where a commit takes its time."""
    made = PostgresServer(None if IS_FULL else memory())
    yield made
    made.stop()


@contextmanager
def catalog_on(server: PostgresServer) -> Iterator[Catalog]:
    with fresh_schema(server) as store:
        catalog = choice.catalog_of(choice.told(store))
        try:
            yield catalog
        finally:
            catalog.close()


class Writers:
    """Threads that write until they are stopped; whatever becomes of a write, they ask for it again until they know."""

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
        """Until so many more writes are acknowledged."""
        wanted = len(self.acknowledged) + more
        while len(self.acknowledged) < wanted:
            assert not self.failed
            time.sleep(0.005)

    def _write_on(self, writer: str) -> None:
        try:
            for number in numbers(writer, 0):
                if self.stopped.is_set():
                    return
                self._write(Write(number))
        except BaseException as error:  # noqa: BLE001  # a thread's error is the test's
            self.failed.append(error)

    def _write(self, write: Write) -> None:
        while True:
            try:
                # The batch is sent with a key; a run and its accesses are the same when they are told again.
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
    done = catalog.write_path.propose(batch, ADA, once=Once("ada", write.number, "the batch"))
    return tuple((str(one.urn), one.aspect or "", one.version) for one in done)


def _said_twice(catalog: Catalog) -> list[Any]:
    """Places that were given the same number by more than one version."""
    rows = catalog.provider.tx_runner.run(lambda tx: list(tx.table("aspect_versions").scan(Range())), read_only=True)
    said = [(row["urn"], row["aspect"], json.loads(row["value"] or "{}").get("properties", {})) for row in rows]
    numbered = Counter((urn, aspect, told["number"]) for urn, aspect, told in said if "number" in told)
    return [place for place, count in numbered.items() if count > 1]


def test_of_a_server_that_is_stopped_at_once_every_acknowledged_write_stays_and_none_is_half_there(
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
            assert faults(catalog, writers.acknowledged) == []
            assert _said_twice(catalog) == []
            assert catalog.provider.health()["status"] == "ok"
    assert unknown > 0, "nobody was in the middle of anything"


def test_a_listener_hears_on_when_the_server_comes_back(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        heard: list[int] = []
        catalog.feed.listen(lambda changes: heard.extend(one.seq for one in changes))
        head = catalog.feed.head()
        for number in range(3):
            server.crash()
            server.start()
            _until_it_goes(lambda number=number: say(catalog, properties={"number": str(number)}))  # type: ignore[misc]
        last = _until_it_goes(catalog.feed.head)
        while not heard or heard[-1] < last:
            time.sleep(0.01)
        assert heard == list(range(head + 1, last + 1))


def test_after_a_restart_nobody_is_given_a_connection_that_broke(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        asks: list[Callable[[], Any]] = [
            lambda: say(catalog, properties={"a": str(catalog.feed.head())}),
            lambda: search(catalog, "orders"),
            lambda: catalog.provider.table_admin.list(),
            lambda: catalog.provider.commits(),
        ]
        for ask in asks:
            for before in asks:
                before()
            server.crash()
            server.start()
            # The sealer may have asked meanwhile: for a moment after that nobody else does.
            time.sleep(REFUSED_S)
            _until_it_goes(catalog.provider._server.require_answers)  # type: ignore[attr-defined]
            ask()


def test_while_the_server_is_away_requests_fail_and_afterwards_they_do_not(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        say(catalog)
        server.crash()
        for _ in range(2):
            for asked in (
                lambda: say(catalog, properties={"a": "b"}),
                lambda: search(catalog, "orders"),
                catalog.provider.commits,
            ):
                with pytest.raises(StoreUnavailable):
                    asked()
        assert catalog.provider.health()["status"] == "down"
        server.start()
        assert _until_it_goes(lambda: say(catalog, properties={"a": "b"})).version == 2
        assert search(catalog, "a:b").total == 1
        assert catalog.provider.health()["status"] == "ok"


def test_a_server_that_stands_still_holds_nobody_up_for_long(server: PostgresServer) -> None:
    with catalog_on(server) as catalog:
        say(catalog)
        search(catalog, "orders")
        server.freeze()
        try:
            for asked in (lambda: say(catalog, properties={"a": "b"}), lambda: search(catalog, "orders")):
                with pytest.raises(StoreUnavailable):
                    asked()
        finally:
            server.thaw()
        assert _until_it_goes(lambda: say(catalog, properties={"a": "b"})).version == 2
        assert _until_it_goes(lambda: search(catalog, "a:b")).total == 1


def test_of_two_processes_each_version_has_one_winner_and_a_follower_misses_nothing(
    server: PostgresServer, tmp_path: Path
) -> None:
    wins = sized(60, 1_000)
    with fresh_schema(server) as store:
        told = choice.told(store)
        catalog = choice.catalog_of(told)
        for number in range(5):
            say(catalog, ORDERS.replace("orders", f"shared{number}"))
        files = [str(tmp_path / name) for name in ("a", "b")]
        with running(RACER, told, "a", str(wins), files[0]) as a, running(RACER, told, "b", str(wins), files[1]) as b:
            followed = _followed(catalog, lambda: a.poll() is None or b.poll() is None)
            outputs = [process.communicate(timeout=300)[0] for process in (a, b)]
        assert [process.returncode for process in (a, b)] == [0, 0], outputs
        made = [tuple(one) for file in files for one in json.loads(Path(file).read_text())]
        whole = _read_on(catalog, 0)
        assert [one.seq for one in whole] == list(range(1, len(whole) + 1))
        assert followed + _read_on(catalog, followed[-1].seq) == whole
        assert len({(urn, version) for urn, version, _ in made}) == len(made) == 2 * wins
        shared = [one for one in whole if "shared" in one.urn and one.aspect == ASPECTS[0] and one.version > 1]
        assert {(one.urn, one.version, one.value["properties"]["by"]) for one in shared} == set(made)
        catalog.close()


def _followed(catalog: Catalog, goes_on: Callable[[], bool]) -> list[Change]:
    """What somebody reads who asks again and again from where he was."""
    changes: list[Change] = []
    while goes_on():
        changes += catalog.feed.changes(changes[-1].seq if changes else 0, 50, {}, ADA)
    return changes


def _read_on(catalog: Catalog, after: int) -> list[Change]:
    changes: list[Change] = []
    while found := catalog.feed.changes(changes[-1].seq if changes else after, 500, {}, ADA):
        changes += found
    return changes


def _until_it_goes(work: Callable[[], Any]) -> Any:
    """Ask as a client would that is told to come back later."""
    while True:
        try:
            return work()
        except StoreUnavailable:
            time.sleep(0.05)
