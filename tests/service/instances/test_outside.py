"""External edits are recorded in the background: earlier ones at the start, later ones when they happen."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_colophon.service.instances.external_edits import ExternalEditRecorder
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from support.catalog import ADA, search
from support.shelves import SPACE, Shelf, thing


def soon(is_so: Callable[[], bool]) -> None:
    """Wait until the condition holds; fail after five minutes."""
    end = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


@pytest.fixture
def watched(files: Shelf) -> Iterator[Shelf]:
    store = files.store
    assert isinstance(store, FileInstanceStore)
    outside = ExternalEditRecorder(lambda: [store])
    before = threading.active_count()
    write(files.file("before"), "Before")
    outside.start()
    yield files
    outside.close()
    soon(lambda: threading.active_count() <= before)


def write(path: Path, display_name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(thing(display_name)))


def known(shelf: Shelf) -> set[str]:
    return {hit.summary.name for hit in search(shelf.catalog, "*", type="instance").hits}


def test_existing_files_are_recorded_at_start(watched: Shelf) -> None:
    soon(lambda: known(watched) == {"before"})


def test_external_edits_are_recorded_while_running(watched: Shelf) -> None:
    soon(lambda: known(watched) == {"before"})
    write(watched.file("new"), "New")
    soon(lambda: known(watched) == {"before", "new"})
    write(watched.file("new"), "Changed")
    soon(lambda: [hit.summary.name for hit in search(watched.catalog, "changed").hits] == ["new"])
    watched.file("before").unlink()
    soon(lambda: known(watched) == {"new"})


def test_own_saves_are_not_external_edits(watched: Shelf) -> None:
    soon(lambda: known(watched) == {"before"})
    watched.instances.create(SPACE, "mine", thing("Mine"), ADA)
    write(watched.file("later"), "Later")
    soon(lambda: known(watched) == {"before", "mine", "later"})
    assert [actor for _, name, actor in watched.changes() if name == "mine"] == ["ada"]


def test_many_files_are_recorded_at_start_despite_invalid_ones(files: Shelf) -> None:
    for number in range(60):
        write(files.file(f"n{number}"), f"N {number}")
    files.instances.create(SPACE, "known", thing("Known"), ADA)
    files.file("torn").write_text("{")
    store = files.store
    assert isinstance(store, FileInstanceStore)
    outside = ExternalEditRecorder(lambda: [store])
    outside.start()
    try:
        soon(lambda: search(files.catalog, "*", type="instance").total == 62)
        soon(lambda: store.find_unsynced() == [])
    finally:
        outside.close()
    actors = {name: actor for _, name, actor in files.changes()}
    assert actors.pop("known") == "ada"
    assert {actor.partition(":")[0] for actor in actors.values()} == {"outside"}
    assert len(files.changes()) == 62
