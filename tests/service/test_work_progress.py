"""Work in the background is reported by its progress: a running thread may wait for a lock, or fail again and again."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.service.changes import sealing
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.sqlite import provider
from support.catalog import ADA, build_metadata_value, open_catalog_file, write_metadata
from support.urns import ORDERS

WAIT_S = 60


def read_progress(catalog: Catalog, name: str) -> WorkProgress:
    (found,) = [work for work in catalog.read_work_progress() if work.name == name]
    return found


def wait_until(catalog: Catalog, name: str, fits: Callable[[WorkProgress], bool]) -> WorkProgress:
    until = time.monotonic() + WAIT_S
    while not fits(found := read_progress(catalog, name)):
        assert time.monotonic() < until, found
        time.sleep(0.02)
    return found


def write_number(catalog: Catalog, number: int) -> None:
    write_metadata(catalog, properties={"number": str(number)})


@pytest.mark.parametrize(
    ("oldest", "last_done", "stall"),
    [(None, None, 0), (None, 100, 0), (400, None, 600), (400, 100, 600), (400, 900, 100), (2_000, None, 0)],
)
def test_stall_is_the_time_without_progress(oldest: int | None, last_done: int | None, stall: int) -> None:
    assert WorkProgress("feed", 1, oldest, last_done).measure_stall_ms(1_000) == stall


def test_feed_whose_listener_does_not_return_makes_no_progress(catalog: Catalog) -> None:
    entered, released = threading.Event(), threading.Event()

    def block(changes: object) -> None:
        entered.set()
        assert released.wait(WAIT_S)

    write_number(catalog, 0)
    assert read_progress(catalog, "feed").pending == 0
    catalog.feed.register_listener(block)
    write_number(catalog, 1)
    assert entered.wait(WAIT_S)
    first = read_progress(catalog, "feed")
    write_number(catalog, 2)
    second = read_progress(catalog, "feed")
    released.set()
    assert (first.pending, second.pending) == (1, 2)
    assert first.oldest == second.oldest is not None
    assert first.last_done is second.last_done is None
    # An hour later nothing is done: that is how long it has stalled.
    assert second.measure_stall_ms(second.oldest + 3_600_000) == 3_600_000
    done = wait_until(catalog, "feed", lambda work: work.pending == 0)
    assert (done.oldest, done.last_done is None) == (None, False)


@pytest.fixture
def impatient_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    """A catalog whose changes are sealed soon, and that waits only briefly for a lock."""
    monkeypatch.setattr(sealing, "PAUSE_S", 0.05)
    monkeypatch.setattr(provider, "BUSY_TIMEOUT_S", 0.2)
    opened = open_catalog_file(tmp_path / "catalog.db")
    yield opened
    opened.close()


def test_locked_store_stalls_the_seals(impatient_catalog: Catalog, tmp_path: Path) -> None:
    catalog = impatient_catalog
    with closing(sqlite3.connect(tmp_path / "catalog.db", isolation_level=None)) as holder:
        for number in range(1_000):
            write_number(catalog, number)
            holder.execute("BEGIN IMMEDIATE")
            if read_progress(catalog, "seals").pending:
                break
            # The sealer was faster than this test.
            holder.execute("ROLLBACK")
        stalled = wait_until(catalog, "seals", lambda work: work.problem != "")
        assert stalled.pending > 0
        assert stalled.oldest is not None
        assert stalled.measure_stall_ms(stalled.oldest + 3_600_000) >= 3_000_000
        holder.execute("ROLLBACK")
    done = wait_until(catalog, "seals", lambda work: work.pending == 0 and not work.problem)
    assert (done.oldest, done.measure_stall_ms(10**15)) == (None, 0)


def test_changes_that_another_process_left_unsealed_wait(impatient_catalog: Catalog) -> None:
    catalog = impatient_catalog
    catalog.sealer.seal_remaining_changes_and_stop_thread()
    write_number(catalog, 1)
    waiting = read_progress(catalog, "seals")
    newest = catalog.provider.tx_runner.run(signed_chain.find_newest_seal, read_only=True)
    assert waiting.pending == catalog.feed.read_newest_change_number() - (newest.seq if newest else 0) > 0
    other = sealing.BackgroundSealer(catalog.provider, catalog.sealer.key, catalog.sealer.now)
    other.start_sealing_in_background()
    wait_until(catalog, "seals", lambda work: work.pending == 0)
    other.seal_remaining_changes_and_stop_thread()


def test_batches_that_are_not_applied_wait_in_the_inbox(catalog: Catalog) -> None:
    catalog.inbox.stop_thread()
    proposal = Proposal(Urn.parse(ORDERS), "technicalMetadata", "upsert", build_metadata_value({"a": "b"}))
    entry = catalog.inbox.check_and_store_batch([proposal], ADA)
    catalog.inbox.check_and_store_batch([proposal], ADA)
    waiting = read_progress(catalog, "inbox")
    assert (waiting.pending, waiting.oldest) == (2, entry.time)
    assert read_progress(catalog, "audit").pending == 0
