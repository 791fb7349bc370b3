"""The change feed: a listener gets every change, even if another listener fails (spec PROMISE-5)."""

import os
import queue
from collections.abc import Sequence

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.change import Change
from support.catalog import ADA, write_metadata


def test_failing_listener_does_not_affect_others(catalog: Catalog) -> None:
    received: queue.Queue[int] = queue.Queue()
    failures: list[int] = []

    def fail(changes: Sequence[Change]) -> None:
        failures.append(len(changes))
        raise RuntimeError("mine")

    catalog.feed.register_listener(fail)
    catalog.feed.register_listener(lambda changes: [received.put(one.seq) for one in changes] and None)
    head = catalog.feed.read_newest_change_number()
    for number in range(3):
        write_metadata(catalog, properties={"number": str(number)})
    last = catalog.feed.read_newest_change_number()
    assert [received.get(timeout=300) for _ in range(last - head)] == list(range(head + 1, last + 1))
    assert len(failures) == 1
    assert catalog.feed.listeners == 1


def test_unsubscribed_listener_gets_nothing_and_may_resubscribe(catalog: Catalog) -> None:
    for number in range(3):
        received: queue.Queue[str] = queue.Queue()
        end = catalog.feed.register_listener(
            lambda changes, received=received: [received.put(one.urn) for one in changes] and None
        )
        write_metadata(catalog, properties={"number": str(number)})
        assert received.get(timeout=300)
        end()
        end()
        assert catalog.feed.listeners == 0


def test_repeated_listening_opens_no_new_connections(catalog: Catalog, store_name: str) -> None:
    def once() -> int:
        received: queue.Queue[int] = queue.Queue()
        end = catalog.feed.register_listener(lambda changes: received.put(len(changes)))
        write_metadata(catalog, properties={"number": str(catalog.feed.read_newest_change_number())})
        assert received.get(timeout=300)
        end()
        return len(os.listdir("/proc/self/fd"))

    # Connections that several threads used concurrently stay open, up to a limit.
    kept = 0 if store_name == "sqlite" else 8
    open_files = once()
    assert max(once() for _ in range(12)) <= open_files + kept


def test_new_listener_gets_no_earlier_changes(catalog: Catalog) -> None:
    first: queue.Queue[int] = queue.Queue()
    end = catalog.feed.register_listener(lambda changes: [first.put(one.seq) for one in changes] and None)
    write_metadata(catalog, properties={"number": "first"})
    assert first.get(timeout=300)
    end()
    write_metadata(catalog, properties={"number": "unheard"})
    head = catalog.feed.read_newest_change_number()
    second: queue.Queue[int] = queue.Queue()
    catalog.feed.register_listener(lambda changes: [second.put(one.seq) for one in changes] and None)
    write_metadata(catalog, properties={"number": "heard"})
    assert second.get(timeout=300) == head + 1


def test_reading_from_any_number_returns_each_change_once(catalog: Catalog) -> None:
    for number in range(10):
        write_metadata(catalog, properties={"number": str(number)})
    whole = catalog.feed.read_visible_changes(0, 500, {}, ADA)
    for slice_size in (1, 3, 7):
        read: list[Change] = []
        while found := catalog.feed.read_visible_changes(read[-1].seq if read else 0, slice_size, {}, ADA):
            read += found
        assert read == whole
