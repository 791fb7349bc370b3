"""PostgreSQL only: writers on different entities commit at the same time (spec STORE-19, decision 54)."""

import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog, read_time_ms
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import ConditionFailed, IdempotencyKeyReused, NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_field_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.postgresql.statement_batch import StatementSender
from jupyter_colophon.storage.spi import Locks, TableContext
from support.catalog import (
    ADA,
    build_metadata_value,
    delete_entity_or_aspect,
    search_catalog,
    write_metadata,
)
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.changes import read_changes_after
from support.postgres import create_empty_store
from support.reports import report_run
from support.urns import build_cell_urn, build_table_urn

WRITERS, WRITES = 16, 12
#: How long a transaction is observed to wait, in seconds.
OBSERVED_S = 0.2


@contextmanager
def open_catalogs(number: int) -> Iterator[list[Catalog]]:
    """Open one store several times, as several processes do."""
    with create_empty_store() as store, ExitStack() as stack:
        yield [stack.enter_context(closing(open_or_create_catalog(store, IdentityRules()))) for _ in range(number)]


@pytest.fixture
def two_catalogs() -> Iterator[list[Catalog]]:
    with open_catalogs(2) as catalogs:
        yield catalogs


@pytest.fixture
def catalogs() -> Iterator[list[Catalog]]:
    with open_catalogs(WRITERS) as catalogs:
        yield catalogs


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(WRITERS) as threads:
        yield threads


def hold(pool: ThreadPoolExecutor, catalog: Catalog, locks: Locks | None, until: threading.Event) -> "Future[None]":
    """Run a transaction with these locks that ends with an event; return after it has its locks."""
    begun = threading.Event()

    def work(tx: TableContext) -> None:
        tx.log.get_newest_number()
        begun.set()
        assert until.wait(60)

    running = pool.submit(lambda: catalog.provider.tx_runner.run(work, locks=locks))
    assert begun.wait(60)
    return running


def test_change_of_an_entity_takes_three_round_trips(
    two_catalogs: list[Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = two_catalogs[0]
    for number in range(2):
        write_metadata(catalog, properties={"a": f"b{number}"})
    trips: list[object] = []
    send = StatementSender.send
    monkeypatch.setattr(StatementSender, "send", lambda *arguments: (trips.append(arguments), send(*arguments))[1])
    write_metadata(catalog, properties={"a": "c"})
    assert len(trips) == 3


@pytest.mark.parametrize(
    "write",
    [
        lambda catalog: write_metadata(catalog, build_table_urn("t")),
        lambda catalog: report_run(catalog, build_cell_urn("c"), 1, build_table_urn("read"), build_table_urn("t")),
    ],
)
def test_time_of_a_change_is_not_before_the_locks(
    two_catalogs: list[Catalog], pool: ThreadPoolExecutor, write: Callable[[Catalog], object]
) -> None:
    report_run(two_catalogs[0], build_cell_urn("c"), 0, build_table_urn("read"), build_table_urn("t"))
    end = threading.Event()
    holding = hold(pool, two_catalogs[0], Locks(frozenset({build_table_urn("t")})), end)
    newest = two_catalogs[0].feed.read_newest_change_number()
    waiting = pool.submit(write, two_catalogs[1])
    try:
        with pytest.raises(TimeoutError):
            waiting.result(OBSERVED_S)
    finally:
        before = read_time_ms()
        end.set()
    holding.result(60)
    waiting.result(60)
    later = read_changes_after(two_catalogs[0], newest)
    assert min(change.time for change in later if change.urn == build_table_urn("t")) >= before


@pytest.mark.parametrize("number", [1, 12, 31])
def test_results_of_a_batch_have_the_numbers_of_their_changes(two_catalogs: list[Catalog], number: int) -> None:
    write_metadata(two_catalogs[0])
    table = build_table_urn("orders")
    columns = [make_field_urn(table, f"column{at}") for at in range(number)]
    value = build_metadata_value({"a": "b"})
    batch = [Proposal(column, "businessMetadata", "upsert", value) for column in columns]
    results = two_catalogs[1].write_path.apply_proposals_atomically(batch, ADA)
    numbers = {
        str(change.urn): change.seq
        for change in read_changes_after(two_catalogs[0], 0)
        if change.aspect == "businessMetadata"
    }
    assert [result.seq for result in results] == [numbers[str(column)] for column in columns]


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        (Locks(frozenset({"a"})), Locks(frozenset({"b"})), False),
        (Locks(frozenset({"a", "b"})), Locks(frozenset({"b", "c"})), True),
        (Locks(frozenset({"a"})), None, True),
        (None, Locks(frozenset({"a"})), True),
        (Locks(frozenset({"a"}), frozenset({"c"})), Locks(frozenset({"b"}), frozenset({"c"})), False),
        (Locks(frozenset({"a"}), frozenset({"c"})), Locks(frozenset({"c"})), True),
        (Locks(frozenset({"c"})), Locks(frozenset({"b"}), frozenset({"c"})), True),
    ],
)
def test_transactions_exclude_those_with_a_lock_in_common(
    two_catalogs: list[Catalog], pool: ThreadPoolExecutor, first: Locks | None, second: Locks | None, waits: bool
) -> None:
    end = threading.Event()
    holding = hold(pool, two_catalogs[0], first, end)
    other = pool.submit(lambda: two_catalogs[1].provider.tx_runner.run(lambda _: "done", locks=second))
    try:
        if waits:
            with pytest.raises(TimeoutError):
                other.result(OBSERVED_S)
        else:
            assert other.result(60) == "done"
        assert not holding.done()
    finally:
        end.set()
    assert other.result(60) == "done"
    holding.result(60)


def test_lock_survives_a_failed_callable_of_the_same_commit(
    two_catalogs: list[Catalog], pool: ThreadPoolExecutor
) -> None:
    """The rollback of a savepoint must not release the locks of the others in the group."""
    blocked, in_last, end = threading.Event(), threading.Event(), threading.Event()
    group = two_catalogs[0].provider.tx_runner
    blocker = hold(pool, two_catalogs[0], Locks(frozenset({"x"})), blocked)

    def fail(_: TableContext) -> None:
        raise ConditionFailed("the test", "nothing", 1)

    def last(_: TableContext) -> None:
        in_last.set()
        assert end.wait(60)

    # These two wait for the leader, and share the next commit.
    failing = pool.submit(lambda: group.run(fail, locks=Locks(frozenset({"a"}))))
    while len(group._group._waiting) < 1:  # type: ignore[attr-defined]
        threading.Event().wait(0.001)
    lasting = pool.submit(lambda: group.run(last, locks=Locks(frozenset({"b"}))))
    while len(group._group._waiting) < 2:  # type: ignore[attr-defined]
        threading.Event().wait(0.001)
    blocked.set()
    assert in_last.wait(60)
    other = pool.submit(lambda: two_catalogs[1].provider.tx_runner.run(lambda _: "done", locks=Locks(frozenset({"b"}))))
    try:
        with pytest.raises(TimeoutError):
            other.result(OBSERVED_S)
    finally:
        end.set()
    assert other.result(60) == "done"
    assert isinstance(failing.exception(60), ConditionFailed)
    for done in (blocker, lasting):
        done.result(60)


def test_runs_events_columns_and_deletions_do_not_wait_for_other_entities(
    two_catalogs: list[Catalog], pool: ThreadPoolExecutor
) -> None:
    first, second = two_catalogs
    read, written, cell = build_table_urn("read"), build_table_urn("written"), build_cell_urn("c")
    for urn in (read, build_table_urn("gone")):
        write_metadata(first, urn)
    report_run(first, build_cell_urn("earlier"), 0, read, build_table_urn("other"))
    end = threading.Event()
    holding = hold(pool, first, Locks(frozenset({"x"})), end)
    try:
        run = pool.submit(lambda: report_run(second, cell, 1, read, written)).result(60)
        pool.submit(lambda: write_metadata(second, f"urn:li:schemaField:({read},c)")).result(60)
        pool.submit(lambda: delete_entity_or_aspect(second, build_table_urn("gone"))).result(60)
        assert not holding.done()
    finally:
        end.set()
    holding.result(60)
    assert [access.data for access in run.accesses] == [read, written]
    assert list_integrity_issues(create_maintenance(first)) == []


def test_key_of_a_request_is_not_used_twice_at_once(catalogs: list[Catalog], pool: ThreadPoolExecutor) -> None:
    write_metadata(catalogs[0], build_table_urn("t0"))

    def write(number: int) -> Any:
        value = build_metadata_value({"number": str(number)})
        proposal = Proposal(Urn.parse(build_table_urn(f"t{number}")), "technicalMetadata", "upsert", value)
        key = IdempotencyKey("ada", "one key", f"request {number}")
        try:
            return catalogs[number].write_path.apply_proposals_atomically([proposal], ADA, idempotency_key=key)
        except IdempotencyKeyReused:
            return None

    written = [found for found in pool.map(write, range(WRITERS)) if found is not None]
    assert len(written) == 1


def test_log_is_complete_and_in_order_with_sixteen_writers(catalogs: list[Catalog], pool: ThreadPoolExecutor) -> None:
    write_metadata(catalogs[0], build_table_urn("first"))
    writing = [pool.submit(_write_much, catalog, at) for at, catalog in enumerate(catalogs[1:])]
    received = _follow(catalogs[0], lambda: all(one.done() for one in writing))
    for one in writing:
        one.result()
    log = read_changes_after(catalogs[0], 0)
    assert [change.seq for change in log] == list(range(1, len(log) + 1))
    assert received + read_changes_after(catalogs[0], received[-1].seq) == log
    versions = defaultdict(list)
    for change in log:
        if change.aspect == "businessMetadata":
            versions[change.urn].append(change.version)
    assert all(found == list(range(1, len(found) + 1)) for found in versions.values())
    assert list_integrity_issues(create_maintenance(catalogs[0])) == []
    assert search_catalog(catalogs[0], "tags:everywhere").total == WRITERS - 1 + 3


def _write_much(catalog: Catalog, writer: int) -> None:
    """Write own and shared datasets, columns and runs, fail now and then, and delete and create one again."""
    chance = random.Random(writer)
    for number in range(WRITES):
        own, shared = build_table_urn(f"own{writer}"), build_table_urn(f"shared{chance.randrange(3)}")
        tags = ["everywhere", f"team{chance.randrange(3)}"]
        batch = [
            Proposal(
                Urn.parse(urn), "businessMetadata", "upsert", build_metadata_value({"n": f"{writer} {number}"}, tags)
            )
            for urn in chance.sample([own, shared], 2)
        ]
        results = catalog.write_path.apply_proposals_atomically(batch, ADA)
        _require_numbers_in_log(catalog, results)
        if number % 4 == 1:
            with pytest.raises(ConditionFailed):
                write_metadata(catalog, shared, version=10_000)
        if number % 4 == 2:
            cell = build_cell_urn(f"c{chance.choice([writer, 100])}")
            report_run(catalog, cell, writer * WRITES + number, own, shared)
            write_metadata(catalog, f"urn:li:schemaField:({shared},c)", {"n": str(number)}, aspect="businessMetadata")
            gone = build_table_urn(f"gone{chance.randrange(3)}")
            write_metadata(catalog, gone)
            with suppress(NotFound):
                delete_entity_or_aspect(catalog, gone)


def _require_numbers_in_log(catalog: Catalog, results: list[Any]) -> None:
    for result in results:
        (change,) = catalog.feed.read_visible_changes(result.seq - 1, 1, {}, ADA)
        assert (change.seq, change.urn, change.version) == (result.seq, str(result.urn), result.version)


def _follow(catalog: Catalog, is_done: Callable[[], bool]) -> list[Change]:
    changes: list[Change] = []
    while not is_done() or not changes:
        changes += catalog.feed.read_visible_changes(changes[-1].seq if changes else 0, 50, {}, ADA)
    return changes
