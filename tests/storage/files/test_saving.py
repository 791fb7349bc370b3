"""How instances are written and removed."""

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.errors import (
    InstanceExists,
    InstanceIsDirectory,
    InstanceNotFound,
    InvalidName,
    MalformedBody,
    RemovalNotPermitted,
    StorageError,
    TooLarge,
)
from jupyter_colophon.storage.files.document_cache import KeptDocuments
from jupyter_colophon.storage.files.instances import InstanceFiles
from support.files import SPACE, as_nobody, document, files_of, left, put, save, shared_folder, user_folder
from support.process import told


def test_what_was_saved_is_read_again_by_everybody(tmp_path: Path) -> None:
    with files_of(tmp_path).slot("a") as slot:
        assert slot.held is None
        told = slot.write(document(1, text="日本語 \u2028"), create=True)
    assert files_of(tmp_path).read("a") == told
    assert told.document == document(1, text="日本語 \u2028")


def test_a_file_is_as_elyra_writes_it_and_people_can_read_it(tmp_path: Path) -> None:
    save(files_of(tmp_path), "a", {"display_name": "é", "metadata": {}, "schema_name": "s", "name": "a", "reason": "r"})
    text = (user_folder(tmp_path) / "a.json").read_text()
    assert text == '{\n  "display_name": "é",\n  "metadata": {},\n  "schema_name": "s"\n}\n'


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_files_and_folders_are_their_owners_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        files = files_of(tmp_path)
        save(files, "a", document(), create=True)
        save(files, "a", document(1))
    finally:
        os.umask(before)
    folder = user_folder(tmp_path)
    assert stat.S_IMODE((folder / "a.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_a_save_leaves_its_file_and_nothing_else_that_people_see(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    save(files, "a", document(), create=True)
    save(files, "a", document(1))
    assert left(tmp_path) == ["a.json"]


def test_what_exists_at_any_level_is_not_created(tmp_path: Path) -> None:
    put(user_folder(tmp_path), "a", "{}")
    put(shared_folder(tmp_path), "b", "{")
    files = files_of(tmp_path)
    for name in "ab":
        with files.slot(name) as slot, pytest.raises(InstanceExists):
            slot.write(document(), create=True)
    assert (user_folder(tmp_path) / "a.json").read_text() == "{}"
    assert not (user_folder(tmp_path) / "b.json").exists()


def test_a_file_that_another_program_makes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with files_of(tmp_path).slot("a") as slot:
        put(user_folder(tmp_path), "a", "theirs")
        with pytest.raises(InstanceExists):
            slot.write(document(), create=True)
    assert left(tmp_path) == ["a.json"]
    assert (user_folder(tmp_path) / "a.json").read_text() == "theirs"


def test_a_shared_instance_is_shadowed_by_a_copy_and_shows_again_when_that_is_removed(tmp_path: Path) -> None:
    put(shared_folder(tmp_path), "a", json.dumps(document(1)))
    files = files_of(tmp_path)
    with files.slot("a") as slot:
        written = slot.write(document(2), create=False)
        assert (written.own, slot.held) == (True, written)
    with files.slot("a") as slot:
        assert slot.remove().document == document(2)
        assert slot.held is not None
        assert (slot.held.document, slot.held.own) == (document(1), False)
        with pytest.raises(RemovalNotPermitted):
            slot.remove()
    assert files.names() == ["a"]


def test_what_is_not_there_is_not_removed_and_trying_makes_nothing(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    with files.slot("a") as slot, pytest.raises(InstanceNotFound):
        slot.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_can_be_replaced_and_removed(tmp_path: Path) -> None:
    folder = user_folder(tmp_path)
    target = put(tmp_path, "target", "{}")
    put(folder, "broken", "{")
    os.mkfifo(folder / "pipe.json")
    (folder / "link.json").symlink_to(target)
    files = files_of(tmp_path)
    for name in ("broken", "pipe", "link"):
        save(files, name, document(1))
        held = files.read(name)
        assert held is not None
        assert held.document == document(1)
    assert target.read_text() == "{}"
    (folder / "again.json").symlink_to(target)
    with files.slot("again") as slot:
        assert slot.remove().problem
    assert target.exists()


def test_a_folder_in_an_instances_place_is_left_alone(tmp_path: Path) -> None:
    (user_folder(tmp_path) / "a.json" / "inner").mkdir(parents=True)
    files = files_of(tmp_path)
    with files.slot("a") as slot:
        with pytest.raises(InstanceIsDirectory):
            slot.write(document(), create=False)
        with pytest.raises(InstanceIsDirectory):
            slot.remove()
    assert (user_folder(tmp_path) / "a.json" / "inner").is_dir()
    assert left(tmp_path) == ["a.json"]


@pytest.mark.parametrize(
    "value",
    [{"a": float("nan")}, {"a": float("inf")}, {"a": {1, 2}}, {"a": "\ud800"}, {"\udc80": 1}, {"a": "\x00"}],
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, value: dict[str, Any]) -> None:
    files = files_of(tmp_path)
    save(files, "a", document(1))
    with files.slot("a") as slot, pytest.raises(MalformedBody):
        slot.write(value, create=False)
    held = files.read("a")
    assert held is not None
    assert held.document == document(1)


def test_what_is_too_large_or_too_deep_is_not_written(tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(70):
        deep = {"inner": deep}
    with files_of(tmp_path).slot("a") as slot:
        for value in (document(text="x" * 11 * 2**20), deep):
            with pytest.raises(TooLarge):
                slot.write(value, create=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "../a", "a/b", ".hidden", "x" * 251, "\ud800"])
def test_no_file_is_made_for_what_no_file_can_be_called(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidName), files_of(tmp_path).slot(name):
        raise AssertionError("there is no such slot")
    assert list(tmp_path.iterdir()) == []


def test_what_may_not_be_changed_can_be_looked_at_alone_and_is_told_when_it_is_to_be_changed() -> None:
    with tempfile.TemporaryDirectory() as root:
        Path(root).chmod(0o755)
        put(Path(root), "a", "{}").chmod(0o644)
        files = InstanceFiles(SPACE, [Path(root)], kept=KeptDocuments())
        with as_nobody(), files.slot("a") as slot:
            assert slot.held is not None
            assert slot.held.document == {}
            with pytest.raises(StorageError, match="Permission denied"):
                slot.write(document(), create=False)
            with pytest.raises(StorageError, match="Permission denied"):
                slot.remove()
        assert os.listdir(root) == ["a.json"]


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    user_folder(tmp_path).parent.mkdir(parents=True)
    user_folder(tmp_path).write_text("")
    files = files_of(tmp_path)
    with pytest.raises(StorageError):
        files.names()
    with files.slot("a") as slot, pytest.raises(StorageError):
        slot.write(document(), create=True)


def test_a_shared_folder_that_is_none_takes_nothing_away(tmp_path: Path) -> None:
    put(user_folder(tmp_path), "a", "{}")
    shared_folder(tmp_path).parent.mkdir(parents=True)
    shared_folder(tmp_path).write_text("")
    files = files_of(tmp_path)
    assert files.names() == ["a"]
    assert files.read("b") is None


def test_an_error_of_who_holds_the_slot_is_passed_on_as_it_is(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    with pytest.raises(FileNotFoundError), files.slot("a"):
        raise FileNotFoundError
    with files.slot("a") as slot:
        slot.write(document(), create=True)


FULL = """
import resource, signal, sys
from pathlib import Path
from jupyter_colophon.core.errors import StoreFull
from jupyter_colophon.storage.files.instances import InstanceFiles
from jupyter_colophon.storage.files.document_cache import KeptDocuments
from support.files import SPACE, as_nobody, document, files_of, left, save
files = files_of(Path(sys.argv[1]))
save(files, "a", document(1), create=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
try:
    save(files, "a", document(2, text="x" * 100_000))
except StoreFull as error:
    print(error.detail)
print(files.read("a").document == document(1))
resource.setrlimit(resource.RLIMIT_FSIZE, before)
save(files, "a", document(2, text="x" * 100_000))
print(files.read("a").document["metadata"]["number"], left(Path(sys.argv[1])))
"""


def test_a_save_without_space_is_told_as_such_and_the_next_one_with_space_works(tmp_path: Path) -> None:
    assert told(FULL, str(tmp_path)).splitlines() == [
        "a cannot be saved: File too large",
        "True",
        "2 ['a.json']",
    ]
