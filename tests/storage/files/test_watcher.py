"""Watching files for changes by others, by notifications of the system and by scanning."""

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_colophon.storage.files.snapshot import InstanceChanges
from jupyter_colophon.storage.files.watcher import InstanceFileWatcher
from support.files import (
    SPACE,
    build_instance_document,
    get_shared_folder,
    get_user_folder,
    open_instance_files,
    save_instance,
    write_file,
)
from support.process import run_script

#: Only determines how long a broken watcher blocks the suite.
PATIENCE_S = 120.0


class ReportedChanges:
    """Collect what a watcher reports."""

    def __init__(self) -> None:
        self.seen: list[InstanceChanges] = []
        self._news = threading.Condition()

    def __call__(self, seen: InstanceChanges) -> None:
        with self._news:
            self.seen.append(seen)
            self._news.notify_all()

    def wait(self, *all_reported: Callable[[InstanceChanges], bool]) -> None:
        """Wait until all these changes were reported, in any order; earlier reports are dropped."""
        with self._news:
            assert self._news.wait_for(
                lambda: all(any(map(matches, self.seen)) for matches in all_reported), PATIENCE_S
            ), self.seen
            self.seen.clear()


@pytest.fixture(params=["told", "looked at"])
def received(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReportedChanges]:
    """Watch the folders of this test, none of which exists yet."""
    received = ReportedChanges()
    watch = InstanceFileWatcher(received, polling=request.param == "looked at")
    watch.watch_schemaspace(SPACE, [get_user_folder(tmp_path), get_shared_folder(tmp_path)])
    watch.start_thread()
    yield received
    watch.stop_thread()


def created(name: str) -> Callable[[InstanceChanges], bool]:
    return lambda seen: name in seen.created


def changed(name: str) -> Callable[[InstanceChanges], bool]:
    return lambda seen: name in seen.changed


def deleted(name: str) -> Callable[[InstanceChanges], bool]:
    return lambda seen: name in seen.deleted


def test_new_folder_is_reported_with_its_files(tmp_path: Path, received: ReportedChanges) -> None:
    save_instance(open_instance_files(tmp_path), "a", build_instance_document(), create=True)
    received.wait(created("a"))


def test_replaced_config_map_is_reported(tmp_path: Path, received: ReportedChanges) -> None:
    folder = get_shared_folder(tmp_path)
    for version in ("..first", "..second"):
        write_file(folder / version, "a", json.dumps(build_instance_document(len(version))))
        (folder / "new").symlink_to(version)
        (folder / "new").rename(folder / "..data")
        if not (folder / "a.json").is_symlink():
            (folder / "a.json").symlink_to("..data/a.json")
            received.wait(created("a"))
    received.wait(changed("a"))


def test_every_kind_of_file_change_is_reported(tmp_path: Path, received: ReportedChanges) -> None:
    path = write_file(get_user_folder(tmp_path), "a", json.dumps(build_instance_document(1)))
    received.wait(created("a"))
    save_instance(open_instance_files(tmp_path), "a", build_instance_document(2))
    received.wait(changed("a"))
    path.write_text(json.dumps(build_instance_document(3)))
    received.wait(changed("a"))
    other = path.with_suffix(".new")
    other.write_text(json.dumps(build_instance_document(4)))
    other.replace(path)
    received.wait(changed("a"))
    path.rename(path.with_name("b.json"))
    received.wait(created("b"), deleted("a"))
    path.with_name("b.json").unlink()
    received.wait(deleted("b"))


def test_recreated_folder_is_still_watched(tmp_path: Path, received: ReportedChanges) -> None:
    write_file(get_user_folder(tmp_path), "a", "{}")
    received.wait(created("a"))
    shutil.rmtree(get_user_folder(tmp_path))
    write_file(get_user_folder(tmp_path), "b", "{}")
    received.wait(created("b"))
    shutil.rmtree(tmp_path / "user")
    received.wait(deleted("b"))
    write_file(get_user_folder(tmp_path), "c", "{}")
    received.wait(created("c"))
    write_file(get_user_folder(tmp_path), "c", "[]")
    received.wait(changed("c"))


def test_lower_level_is_reported_when_shadowing_file_is_removed(tmp_path: Path, received: ReportedChanges) -> None:
    write_file(get_shared_folder(tmp_path), "a", "{}")
    write_file(get_user_folder(tmp_path), "b", "{}")
    received.wait(created("a"), created("b"))
    upper = write_file(get_user_folder(tmp_path), "a", "[]")
    received.wait(changed("a"))
    upper.unlink()
    received.wait(changed("a"))


def test_git_checkout_is_reported(tmp_path: Path, received: ReportedChanges) -> None:
    folder = get_user_folder(tmp_path)

    def git(*arguments: str) -> None:
        who = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | who | nowhere)

    write_file(folder, "a", "{}")
    received.wait(created("a"))
    git("init", "-q", "-b", "one")
    git("add", "a.json")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    write_file(folder, "a", "[1]")
    write_file(folder, "b", "{}")
    received.wait(created("b"))
    git("add", "a.json", "b.json")
    git("commit", "-qm", "two")
    git("checkout", "-q", "one")
    received.wait(deleted("b"))
    git("checkout", "-q", "two")
    received.wait(created("b"))


def test_exception_of_callback_is_logged_and_watch_continues(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    received = ReportedChanges()

    def listener(seen: InstanceChanges) -> None:
        received(seen)
        raise RuntimeError("the listener is broken")

    watch = InstanceFileWatcher(listener)
    watch.watch_schemaspace(SPACE, [get_user_folder(tmp_path)])
    watch.start_thread()
    try:
        write_file(get_user_folder(tmp_path), "a", "{}")
        received.wait(created("a"))
        write_file(get_user_folder(tmp_path), "b", "{}")
        received.wait(created("b"))
    finally:
        watch.stop_thread()
    assert "the listener is broken" in caplog.text


def test_schemaspace_added_later_reports_only_changes(tmp_path: Path, received: ReportedChanges) -> None:
    write_file(tmp_path, "here", "{}")
    watch = InstanceFileWatcher(received)
    watch.start_thread()
    watch.watch_schemaspace("other", [tmp_path])
    write_file(tmp_path, "new", "{}")
    received.wait(lambda seen: seen.space == "other" and seen.created == {"new"})
    watch.stop_thread()
    write_file(get_user_folder(tmp_path), "last", "{}")
    received.wait(created("last"))


NOT_REPORTED = """
import sys
from pathlib import Path
sys.modules["watchfiles"] = None
from jupyter_colophon.storage.files.watcher import InstanceFileWatcher
from support.files import write_file
import threading
done = threading.Event()
watch = InstanceFileWatcher(lambda seen: "a" in seen.changed and done.set())
write_file(Path(sys.argv[1]), "a", "{}")
watch.watch_schemaspace("x", [Path(sys.argv[1])])
watch.start_thread()
write_file(Path(sys.argv[1]), "a", "[1, 2]")
print(done.wait(120))
watch.stop_thread()
"""


def test_files_are_scanned_without_notifications(tmp_path: Path) -> None:
    assert run_script(NOT_REPORTED, str(tmp_path)) == "True\n"


def test_closed_watch_reports_nothing_and_ends_its_thread(tmp_path: Path) -> None:
    received = ReportedChanges()
    before = set(threading.enumerate())
    watch = InstanceFileWatcher(received)
    watch.watch_schemaspace(SPACE, [get_user_folder(tmp_path)])
    watch.start_thread()
    watch.stop_thread()
    write_file(get_user_folder(tmp_path), "a", "{}")
    time.sleep(0.7)
    assert received.seen == []
    assert set(threading.enumerate()) <= before
