"""External edits are recorded in the background: earlier ones at the start, later ones when they happen."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_colophon.service.instances.external_edits import ExternalEditRecorder
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from support.catalog import ADA, search_catalog
from support.instance_stores import SPACE, InstanceStoreFixture, build_thing


def soon(is_so: Callable[[], bool]) -> None:
    """Wait until the condition holds; fail after five minutes."""
    end = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


@pytest.fixture
def watched(files: InstanceStoreFixture) -> Iterator[InstanceStoreFixture]:
    store = files.store
    assert isinstance(store, FileInstanceStore)
    outside = ExternalEditRecorder(lambda: [store])
    before = count_threads()
    write(files.get_instance_path("before"), "Before")
    outside.start_thread()
    yield files
    outside.stop_thread()
    soon(lambda: count_threads() <= before)


def count_threads() -> int:
    """Count threads, without the one that reads the access policies, which the catalog starts when it needs it."""
    return sum(not thread.name.startswith("colophon-policies") for thread in threading.enumerate())


def write(path: Path, display_name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(build_thing(display_name)))


def known(shelf: InstanceStoreFixture) -> set[str]:
    return {hit.summary.name for hit in search_catalog(shelf.catalog, "*", type="instance").hits}


def test_existing_files_are_recorded_at_start(watched: InstanceStoreFixture) -> None:
    soon(lambda: known(watched) == {"before"})


def test_external_edits_are_recorded_while_running(watched: InstanceStoreFixture) -> None:
    soon(lambda: known(watched) == {"before"})
    write(watched.get_instance_path("new"), "New")
    soon(lambda: known(watched) == {"before", "new"})
    write(watched.get_instance_path("new"), "Changed")
    soon(lambda: [hit.summary.name for hit in search_catalog(watched.catalog, "changed").hits] == ["new"])
    watched.get_instance_path("before").unlink()
    soon(lambda: known(watched) == {"new"})


def test_own_saves_are_not_external_edits(watched: InstanceStoreFixture) -> None:
    soon(lambda: known(watched) == {"before"})
    watched.instances.create_instance(SPACE, "mine", build_thing("Mine"), ADA)
    write(watched.get_instance_path("later"), "Later")
    soon(lambda: known(watched) == {"before", "mine", "later"})
    assert [actor for _, name, actor in watched.read_instance_changes() if name == "mine"] == ["ada"]


def test_many_files_are_recorded_at_start_despite_invalid_ones(files: InstanceStoreFixture) -> None:
    for number in range(60):
        write(files.get_instance_path(f"n{number}"), f"N {number}")
    files.instances.create_instance(SPACE, "known", build_thing("Known"), ADA)
    files.get_instance_path("torn").write_text("{")
    store = files.store
    assert isinstance(store, FileInstanceStore)
    outside = ExternalEditRecorder(lambda: [store])
    outside.start_thread()
    try:
        soon(lambda: search_catalog(files.catalog, "*", type="instance").total == 62)
        soon(lambda: store.list_names_with_outdated_record() == [])
    finally:
        outside.stop_thread()
    actors = {name: actor for _, name, actor in files.read_instance_changes()}
    assert actors.pop("known") == "ada"
    assert {actor.partition(":")[0] for actor in actors.values()} == {"outside"}
    assert len(files.read_instance_changes()) == 62
