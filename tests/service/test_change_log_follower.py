"""Followers of the change log: each change at least once, in order, by one process at a time, from a stored cursor."""

from collections.abc import Sequence

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, HandledBatch
from jupyter_colophon.storage.changes import cursors, log
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.spi import TableContext
from support.catalog import write_metadata


class Recorder:
    """A follower that records the changes it gets; it settles at most `settles` changes at once."""

    def __init__(self, catalog: Catalog, settles: int = 1_000, batch: int = 500) -> None:
        self.seen: list[int] = []
        self.settles = settles
        self.lease = Lease("test", catalog.provider, 60)
        self.follower = ChangeLogFollower(self.lease, self._handle, batch=batch)

    def _handle(self, changes: Sequence[Change]) -> HandledBatch:
        settled = changes[: self.settles]
        self.seen += [change.seq for change in settled]
        return HandledBatch(len(settled))

    def follow(self) -> None:
        assert self.follower.acquire_lease_and_load_cursor()
        while self.follower.handle_next_batch():
            pass


def write(catalog: Catalog, count: int) -> list[int]:
    """Write versions; return the numbers of the changes."""
    before = catalog.feed.read_newest_change_number()
    for number in range(count):
        write_metadata(catalog, properties={"number": f"{before}-{number}"})
    changes = catalog.provider.tx_runner.run(lambda tx: log.list_changes_after(tx, before, 500, {}), read_only=True)
    return [change.seq for change in changes]


def position(catalog: Catalog) -> int:
    return int(catalog.provider.tx_runner.run(lambda tx: cursors.find_follower_row(tx, "test"), read_only=True)["seq"])


@pytest.mark.parametrize(("settles", "batch"), [(1_000, 500), (1, 500), (2, 3), (1, 1)])
def test_changes_are_handled_once_in_order_whatever_the_batch(catalog: Catalog, settles: int, batch: int) -> None:
    write(catalog, 2)
    recorder = Recorder(catalog, settles, batch)
    recorder.follow()
    assert recorder.seen == []
    written = write(catalog, 7)
    recorder.follow()
    assert recorder.seen == written
    assert position(catalog) == catalog.feed.read_newest_change_number()


def test_next_holder_continues_after_the_cursor(catalog: Catalog) -> None:
    first, second = Recorder(catalog), Recorder(catalog)
    first.follow()
    assert not second.follower.acquire_lease_and_load_cursor()
    written = write(catalog, 3)
    first.follow()
    first.lease.release_lease()
    later = write(catalog, 3)
    second.follow()
    assert (first.seen, second.seen) == (written, later)


def test_change_whose_handling_failed_is_handled_again(catalog: Catalog) -> None:
    recorder = Recorder(catalog)
    recorder.follow()
    written = write(catalog, 2)
    handle = recorder.follower.handle

    def fail(changes: Sequence[Change]) -> HandledBatch:
        handle(changes)
        raise KeyboardInterrupt

    recorder.follower.handle = fail
    with pytest.raises(KeyboardInterrupt):
        recorder.follow()
    recorder.follower.handle = handle
    recorder.follow()
    assert recorder.seen == written * 2


def test_record_is_written_with_the_cursor_or_not_at_all(catalog: Catalog) -> None:
    recorder = Recorder(catalog)
    recorder.follow()
    before = position(catalog)
    write(catalog, 1)
    # Another process takes the lease while this one handles the change.
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("leases").update({"name": "test", "owner": "another"}))

    def record(tx: TableContext) -> None:
        cursors.get_or_create_position(tx, "written")

    recorder.follower.handle = lambda changes: HandledBatch(len(changes), record)
    with pytest.raises(LeaseLost):
        recorder.follower.handle_next_batch()
    assert position(catalog) == before
    assert catalog.provider.tx_runner.run(lambda tx: cursors.find_follower_row(tx, "written"), read_only=True) is None


def test_store_restored_to_an_earlier_time_moves_the_cursor_back(catalog: Catalog) -> None:
    recorder = Recorder(catalog)
    recorder.follow()
    head = catalog.feed.read_newest_change_number()
    catalog.provider.tx_runner.run(lambda tx: cursors.write_position(tx, "test", head + 1_000))
    recorder.follow()
    assert position(catalog) == head
    written = write(catalog, 1)
    recorder.follow()
    assert recorder.seen == written
