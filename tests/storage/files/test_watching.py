"""What others do to the files is told: by the operating system, and by looking."""

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_colophon.storage.files.snapshot import Seen
from jupyter_colophon.storage.files.watcher import FileWatch
from support.files import SPACE, document, files_of, put, save, shared_folder, user_folder
from support.process import told

#: Nothing depends on it but how long a broken watch keeps the suite waiting.
PATIENCE_S = 120.0


class Heard:
    """What a watch told."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._news = threading.Condition()

    def __call__(self, seen: Seen) -> None:
        with self._news:
            self.seen.append(seen)
            self._news.notify_all()

    def wait(self, *all_told: Callable[[Seen], bool]) -> None:
        """Wait until each was told, in whatever order; what was told before is forgotten then."""
        with self._news:
            assert self._news.wait_for(lambda: all(any(map(one, self.seen)) for one in all_told), PATIENCE_S), self.seen
            self.seen.clear()


@pytest.fixture(params=["told", "looked at"])
def heard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Heard]:
    """A watch of the folders of this test, of which none exists yet."""
    heard = Heard()
    watch = FileWatch(heard, polling=request.param == "looked at")
    watch.add(SPACE, [user_folder(tmp_path), shared_folder(tmp_path)])
    watch.start()
    yield heard
    watch.close()


def created(name: str) -> Callable[[Seen], bool]:
    return lambda seen: name in seen.created


def changed(name: str) -> Callable[[Seen], bool]:
    return lambda seen: name in seen.changed


def deleted(name: str) -> Callable[[Seen], bool]:
    return lambda seen: name in seen.deleted


def test_a_folder_that_did_not_exist_is_noticed_with_what_is_in_it(tmp_path: Path, heard: Heard) -> None:
    save(files_of(tmp_path), "a", document(), create=True)
    heard.wait(created("a"))


def test_a_config_map_that_is_mounted_anew_is_noticed(tmp_path: Path, heard: Heard) -> None:
    folder = shared_folder(tmp_path)
    for version in ("..first", "..second"):
        put(folder / version, "a", json.dumps(document(len(version))))
        (folder / "new").symlink_to(version)
        (folder / "new").rename(folder / "..data")
        if not (folder / "a.json").is_symlink():
            (folder / "a.json").symlink_to("..data/a.json")
            heard.wait(created("a"))
    heard.wait(changed("a"))


def test_every_way_to_change_a_file_is_noticed(tmp_path: Path, heard: Heard) -> None:
    path = put(user_folder(tmp_path), "a", json.dumps(document(1)))
    heard.wait(created("a"))
    save(files_of(tmp_path), "a", document(2))
    heard.wait(changed("a"))
    path.write_text(json.dumps(document(3)))
    heard.wait(changed("a"))
    other = path.with_suffix(".new")
    other.write_text(json.dumps(document(4)))
    other.replace(path)
    heard.wait(changed("a"))
    path.rename(path.with_name("b.json"))
    heard.wait(created("b"), deleted("a"))
    path.with_name("b.json").unlink()
    heard.wait(deleted("b"))


def test_a_folder_that_is_removed_and_made_again_is_still_watched(tmp_path: Path, heard: Heard) -> None:
    put(user_folder(tmp_path), "a", "{}")
    heard.wait(created("a"))
    shutil.rmtree(user_folder(tmp_path))
    put(user_folder(tmp_path), "b", "{}")
    heard.wait(created("b"))
    shutil.rmtree(tmp_path / "user")
    heard.wait(deleted("b"))
    put(user_folder(tmp_path), "c", "{}")
    heard.wait(created("c"))
    put(user_folder(tmp_path), "c", "[]")
    heard.wait(changed("c"))


def test_what_lies_below_shows_when_what_shadowed_it_goes(tmp_path: Path, heard: Heard) -> None:
    put(shared_folder(tmp_path), "a", "{}")
    put(user_folder(tmp_path), "b", "{}")
    heard.wait(created("a"), created("b"))
    upper = put(user_folder(tmp_path), "a", "[]")
    heard.wait(changed("a"))
    upper.unlink()
    heard.wait(changed("a"))


def test_a_checkout_of_git_is_noticed(tmp_path: Path, heard: Heard) -> None:
    folder = user_folder(tmp_path)

    def git(*arguments: str) -> None:
        who = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | who | nowhere)

    put(folder, "a", "{}")
    heard.wait(created("a"))
    git("init", "-q", "-b", "one")
    git("add", "a.json")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    put(folder, "a", "[1]")
    put(folder, "b", "{}")
    heard.wait(created("b"))
    git("add", "a.json", "b.json")
    git("commit", "-qm", "two")
    git("checkout", "-q", "one")
    heard.wait(deleted("b"))
    git("checkout", "-q", "two")
    heard.wait(created("b"))


def test_what_a_listener_raises_is_logged_and_the_watch_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard = Heard()

    def listener(seen: Seen) -> None:
        heard(seen)
        raise RuntimeError("the listener is broken")

    watch = FileWatch(listener)
    watch.add(SPACE, [user_folder(tmp_path)])
    watch.start()
    try:
        put(user_folder(tmp_path), "a", "{}")
        heard.wait(created("a"))
        put(user_folder(tmp_path), "b", "{}")
        heard.wait(created("b"))
    finally:
        watch.close()
    assert "the listener is broken" in caplog.text


def test_a_schemaspace_can_be_added_to_a_watch_that_runs_and_what_is_there_is_not_told(
    tmp_path: Path, heard: Heard
) -> None:
    put(tmp_path, "here", "{}")
    watch = FileWatch(heard)
    watch.start()
    watch.add("other", [tmp_path])
    put(tmp_path, "new", "{}")
    heard.wait(lambda seen: seen.space == "other" and seen.created == {"new"})
    watch.close()
    put(user_folder(tmp_path), "last", "{}")
    heard.wait(created("last"))


NOT_TOLD = """
import sys
from pathlib import Path
sys.modules["watchfiles"] = None
from jupyter_colophon.storage.files.watcher import FileWatch
from support.files import put
import threading
done = threading.Event()
watch = FileWatch(lambda seen: "a" in seen.changed and done.set())
put(Path(sys.argv[1]), "a", "{}")
watch.add("x", [Path(sys.argv[1])])
watch.start()
put(Path(sys.argv[1]), "a", "[1, 2]")
print(done.wait(120))
watch.close()
"""


def test_where_the_system_cannot_tell_the_files_are_looked_at(tmp_path: Path) -> None:
    assert told(NOT_TOLD, str(tmp_path)) == "True\n"


def test_a_watch_that_is_closed_tells_nothing_and_its_thread_is_gone(tmp_path: Path) -> None:
    heard = Heard()
    before = set(threading.enumerate())
    watch = FileWatch(heard)
    watch.add(SPACE, [user_folder(tmp_path)])
    watch.start()
    watch.close()
    put(user_folder(tmp_path), "a", "{}")
    time.sleep(0.7)
    assert heard.seen == []
    assert set(threading.enumerate()) <= before
