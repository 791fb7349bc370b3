"""Leases: one holder at a time, replaced only after a silence measured by the observer's own clock."""

from collections.abc import Callable

import pytest
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes import leases
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Advance the monotonic clock that leases read."""
    now = [1_000.0]
    monkeypatch.setattr(leases.time, "monotonic", lambda: now[0])

    def advance(seconds: float) -> None:
        now[0] += seconds

    return advance


@pytest.fixture
def pair(store: StorageProvider, another: StorageProvider) -> tuple[Lease, Lease]:
    """Create two views of one lease, as two processes have them."""
    store.table_admin.create_or_update(tables.LEASES)
    return Lease("work", store, 30), Lease("work", another, 30)


def test_released_lease_can_be_acquired(pair: tuple[Lease, Lease]) -> None:
    first, second = pair
    assert first.acquire_or_keep_and_run()
    assert not second.acquire_or_keep_and_run()
    assert first.acquire_or_keep_and_run()
    first.release_lease()
    assert second.acquire_or_keep_and_run()
    assert not first.acquire_or_keep_and_run()


def test_lease_with_heartbeats_is_never_taken_over(pair: tuple[Lease, Lease], clock: Callable[[float], None]) -> None:
    first, second = pair
    assert first.acquire_or_keep_and_run()
    for _ in range(10):
        assert not second.acquire_or_keep_and_run()
        clock(29)
        first.renew_if_due()


def test_silent_holder_is_replaced_and_cannot_record_progress(
    pair: tuple[Lease, Lease], clock: Callable[[float], None]
) -> None:
    first, second = pair
    assert first.acquire_or_keep_and_run()
    assert not second.acquire_or_keep_and_run()
    clock(31)
    assert second.acquire_or_keep_and_run()
    done: list[int] = []
    with pytest.raises(LeaseLost):
        first.run_in_transaction_while_held(lambda tx: done.append(1))
    assert not first.is_held
    assert not first.acquire_or_keep_and_run()
    first.release_lease()
    assert second.acquire_or_keep_and_run()


def test_silence_counts_from_the_first_observation(pair: tuple[Lease, Lease], clock: Callable[[float], None]) -> None:
    """The age of the last heartbeat does not matter, because the clock of another machine is not known."""
    first, second = pair
    assert first.acquire_or_keep_and_run()
    clock(1_000)
    assert not second.acquire_or_keep_and_run()
    clock(29)
    assert not second.acquire_or_keep_and_run()
    clock(2)
    assert second.acquire_or_keep_and_run()


def test_lost_lease_rolls_the_transaction_back(
    store: StorageProvider, pair: tuple[Lease, Lease], clock: Callable[[float], None]
) -> None:
    first, second = pair
    assert first.acquire_or_keep_and_run()
    second.acquire_or_keep_and_run()
    clock(31)
    assert second.acquire_or_keep_and_run()

    def late(tx: TableContext) -> None:
        tx.get_table("leases").upsert({"name": "written", "owner": "", "heartbeat": 0})
        first.require_and_renew_in_transaction(tx)

    with pytest.raises(LeaseLost):
        store.tx_runner.run(late)
    assert store.tx_runner.run(lambda tx: tx.get_table("leases").read(("written",)), read_only=True) is None


def test_only_one_of_two_observers_takes_over(
    pair: tuple[Lease, Lease], another: StorageProvider, clock: Callable[[float], None]
) -> None:
    first, second = pair
    third = Lease("work", another, 30)
    assert first.acquire_or_keep_and_run()
    assert (second.acquire_or_keep_and_run(), third.acquire_or_keep_and_run()) == (False, False)
    clock(31)
    assert (second.acquire_or_keep_and_run(), third.acquire_or_keep_and_run()) == (True, False)


def test_only_the_holder_runs_the_write_of_acquire(pair: tuple[Lease, Lease]) -> None:
    first, second = pair
    done: list[str] = []
    assert first.acquire_or_keep_and_run(lambda tx: done.append("first"))
    assert not second.acquire_or_keep_and_run(lambda tx: done.append("second"))
    assert done == ["first"]
