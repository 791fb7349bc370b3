"""The feed: who listens hears of every change, whoever else listens badly (spec PROMISE-5)."""

import os
import queue
from collections.abc import Sequence

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.change import Change
from support.catalog import ADA, say


def test_a_listener_that_fails_harms_only_itself(catalog: Catalog) -> None:
    heard: queue.Queue[int] = queue.Queue()
    failures: list[int] = []

    def fail(changes: Sequence[Change]) -> None:
        failures.append(len(changes))
        raise RuntimeError("mine")

    catalog.feed.listen(fail)
    catalog.feed.listen(lambda changes: [heard.put(one.seq) for one in changes] and None)
    head = catalog.feed.head()
    for number in range(3):
        say(catalog, properties={"number": str(number)})
    last = catalog.feed.head()
    assert [heard.get(timeout=300) for _ in range(last - head)] == list(range(head + 1, last + 1))
    assert len(failures) == 1
    assert catalog.feed.listeners == 1


def test_who_stops_listening_hears_no_more_and_may_begin_again(catalog: Catalog) -> None:
    for number in range(3):
        heard: queue.Queue[str] = queue.Queue()
        end = catalog.feed.listen(lambda changes, heard=heard: [heard.put(one.urn) for one in changes] and None)
        say(catalog, properties={"number": str(number)})
        assert heard.get(timeout=300)
        end()
        end()
        assert catalog.feed.listeners == 0


def test_listening_again_and_again_opens_nothing_again(catalog: Catalog, store_name: str) -> None:
    def once() -> int:
        heard: queue.Queue[int] = queue.Queue()
        end = catalog.feed.listen(lambda changes: heard.put(len(changes)))
        say(catalog, properties={"number": str(catalog.feed.head())})
        assert heard.get(timeout=300)
        end()
        return len(os.listdir("/proc/self/fd"))

    # Connections to a server that several threads need at once stay open, up to a number.
    kept = 0 if store_name == "sqlite" else 8
    open_files = once()
    assert max(once() for _ in range(12)) <= open_files + kept


def test_who_begins_to_listen_hears_nothing_of_what_was_before(catalog: Catalog) -> None:
    first: queue.Queue[int] = queue.Queue()
    end = catalog.feed.listen(lambda changes: [first.put(one.seq) for one in changes] and None)
    say(catalog, properties={"number": "first"})
    assert first.get(timeout=300)
    end()
    say(catalog, properties={"number": "unheard"})
    head = catalog.feed.head()
    second: queue.Queue[int] = queue.Queue()
    catalog.feed.listen(lambda changes: [second.put(one.seq) for one in changes] and None)
    say(catalog, properties={"number": "heard"})
    assert second.get(timeout=300) == head + 1


def test_reading_on_from_any_number_gives_every_change_once(catalog: Catalog) -> None:
    for number in range(10):
        say(catalog, properties={"number": str(number)})
    whole = catalog.feed.changes(0, 500, {}, ADA)
    for slice_size in (1, 3, 7):
        read: list[Change] = []
        while found := catalog.feed.changes(read[-1].seq if read else 0, slice_size, {}, ADA):
            read += found
        assert read == whole
