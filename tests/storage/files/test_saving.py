"""Writing and removing instances."""

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
from jupyter_colophon.storage.files.document_cache import DocumentCache
from jupyter_colophon.storage.files.instances import InstanceFiles
from support.files import (
    SPACE,
    build_instance_document,
    drop_root_permissions,
    get_shared_folder,
    get_user_folder,
    list_left_files_without_locks,
    open_instance_files,
    save_instance,
    write_file,
)
from support.process import run_script


def test_saved_instance_is_read_by_all_readers(tmp_path: Path) -> None:
    with open_instance_files(tmp_path).lock_instance("a") as slot:
        assert slot.existing is None
        saved = slot.write_document_atomically(build_instance_document(1, text="日本語 \u2028"), create=True)
    assert open_instance_files(tmp_path).find_instance("a") == saved
    assert saved.document == build_instance_document(1, text="日本語 \u2028")


def test_file_is_formatted_as_elyra_writes_it(tmp_path: Path) -> None:
    save_instance(
        open_instance_files(tmp_path),
        "a",
        {"display_name": "é", "metadata": {}, "schema_name": "s", "name": "a", "reason": "r"},
    )
    text = (get_user_folder(tmp_path) / "a.json").read_text()
    assert text == '{\n  "display_name": "é",\n  "metadata": {},\n  "schema_name": "s"\n}\n'


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_files_and_folders_are_private_to_their_owner(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        files = open_instance_files(tmp_path)
        save_instance(files, "a", build_instance_document(), create=True)
        save_instance(files, "a", build_instance_document(1))
    finally:
        os.umask(before)
    folder = get_user_folder(tmp_path)
    assert stat.S_IMODE((folder / "a.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_save_leaves_no_other_visible_file(tmp_path: Path) -> None:
    files = open_instance_files(tmp_path)
    save_instance(files, "a", build_instance_document(), create=True)
    save_instance(files, "a", build_instance_document(1))
    assert list_left_files_without_locks(tmp_path) == ["a.json"]


def test_create_fails_if_name_exists_at_any_level(tmp_path: Path) -> None:
    write_file(get_user_folder(tmp_path), "a", "{}")
    write_file(get_shared_folder(tmp_path), "b", "{")
    files = open_instance_files(tmp_path)
    for name in "ab":
        with files.lock_instance(name) as slot, pytest.raises(InstanceExists):
            slot.write_document_atomically(build_instance_document(), create=True)
    assert (get_user_folder(tmp_path) / "a.json").read_text() == "{}"
    assert not (get_user_folder(tmp_path) / "b.json").exists()


def test_create_does_not_overwrite_file_of_another_program(tmp_path: Path) -> None:
    with open_instance_files(tmp_path).lock_instance("a") as slot:
        write_file(get_user_folder(tmp_path), "a", "theirs")
        with pytest.raises(InstanceExists):
            slot.write_document_atomically(build_instance_document(), create=True)
    assert list_left_files_without_locks(tmp_path) == ["a.json"]
    assert (get_user_folder(tmp_path) / "a.json").read_text() == "theirs"


def test_copy_shadows_shared_instance_until_removed(tmp_path: Path) -> None:
    write_file(get_shared_folder(tmp_path), "a", json.dumps(build_instance_document(1)))
    files = open_instance_files(tmp_path)
    with files.lock_instance("a") as slot:
        written = slot.write_document_atomically(build_instance_document(2), create=False)
        assert (written.is_removable, slot.existing) == (True, written)
    with files.lock_instance("a") as slot:
        assert slot.remove_file_and_return_instance().document == build_instance_document(2)
        assert slot.existing is not None
        assert (slot.existing.document, slot.existing.is_removable) == (build_instance_document(1), False)
        with pytest.raises(RemovalNotPermitted):
            slot.remove_file_and_return_instance()
    assert files.list_instance_names() == ["a"]


def test_removing_missing_instance_creates_nothing(tmp_path: Path) -> None:
    files = open_instance_files(tmp_path)
    with files.lock_instance("a") as slot, pytest.raises(InstanceNotFound):
        slot.remove_file_and_return_instance()
    assert list(tmp_path.iterdir()) == []


def test_unreadable_instance_can_be_replaced_and_removed(tmp_path: Path) -> None:
    folder = get_user_folder(tmp_path)
    target = write_file(tmp_path, "target", "{}")
    write_file(folder, "broken", "{")
    os.mkfifo(folder / "pipe.json")
    (folder / "link.json").symlink_to(target)
    files = open_instance_files(tmp_path)
    for name in ("broken", "pipe", "link"):
        save_instance(files, name, build_instance_document(1))
        instance = files.find_instance(name)
        assert instance is not None
        assert instance.document == build_instance_document(1)
    assert target.read_text() == "{}"
    (folder / "again.json").symlink_to(target)
    with files.lock_instance("again") as slot:
        assert slot.remove_file_and_return_instance().problem
    assert target.exists()


def test_folder_with_instance_name_is_left_unchanged(tmp_path: Path) -> None:
    (get_user_folder(tmp_path) / "a.json" / "inner").mkdir(parents=True)
    files = open_instance_files(tmp_path)
    with files.lock_instance("a") as slot:
        with pytest.raises(InstanceIsDirectory):
            slot.write_document_atomically(build_instance_document(), create=False)
        with pytest.raises(InstanceIsDirectory):
            slot.remove_file_and_return_instance()
    assert (get_user_folder(tmp_path) / "a.json" / "inner").is_dir()
    assert list_left_files_without_locks(tmp_path) == ["a.json"]


@pytest.mark.parametrize(
    "value",
    [{"a": float("nan")}, {"a": float("inf")}, {"a": {1, 2}}, {"a": "\ud800"}, {"\udc80": 1}, {"a": "\x00"}],
)
def test_document_that_cannot_be_read_again_is_not_written(tmp_path: Path, value: dict[str, Any]) -> None:
    files = open_instance_files(tmp_path)
    save_instance(files, "a", build_instance_document(1))
    with files.lock_instance("a") as slot, pytest.raises(MalformedBody):
        slot.write_document_atomically(value, create=False)
    instance = files.find_instance("a")
    assert instance is not None
    assert instance.document == build_instance_document(1)


def test_too_large_or_deep_document_is_not_written(tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(70):
        deep = {"inner": deep}
    with open_instance_files(tmp_path).lock_instance("a") as slot:
        for value in (build_instance_document(text="x" * 11 * 2**20), deep):
            with pytest.raises(TooLarge):
                slot.write_document_atomically(value, create=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "../a", "a/b", ".hidden", "x" * 251, "\ud800"])
def test_impossible_name_creates_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidName), open_instance_files(tmp_path).lock_instance(name):
        raise AssertionError("the name has no lock")
    assert list(tmp_path.iterdir()) == []


def test_read_only_instance_can_be_locked_but_not_changed() -> None:
    with tempfile.TemporaryDirectory() as root:
        Path(root).chmod(0o755)
        write_file(Path(root), "a", "{}").chmod(0o644)
        files = InstanceFiles(SPACE, [Path(root)], cache=DocumentCache())
        with drop_root_permissions(), files.lock_instance("a") as slot:
            assert slot.existing is not None
            assert slot.existing.document == {}
            with pytest.raises(StorageError, match="Permission denied"):
                slot.write_document_atomically(build_instance_document(), create=False)
            with pytest.raises(StorageError, match="Permission denied"):
                slot.remove_file_and_return_instance()
        assert os.listdir(root) == ["a.json"]


def test_file_in_place_of_folder_is_reported(tmp_path: Path) -> None:
    get_user_folder(tmp_path).parent.mkdir(parents=True)
    get_user_folder(tmp_path).write_text("")
    files = open_instance_files(tmp_path)
    with pytest.raises(StorageError):
        files.list_instance_names()
    with files.lock_instance("a") as slot, pytest.raises(StorageError):
        slot.write_document_atomically(build_instance_document(), create=True)


def test_file_in_place_of_shared_folder_is_ignored(tmp_path: Path) -> None:
    write_file(get_user_folder(tmp_path), "a", "{}")
    get_shared_folder(tmp_path).parent.mkdir(parents=True)
    get_shared_folder(tmp_path).write_text("")
    files = open_instance_files(tmp_path)
    assert files.list_instance_names() == ["a"]
    assert files.find_instance("b") is None


def test_error_inside_the_lock_is_raised_unchanged(tmp_path: Path) -> None:
    files = open_instance_files(tmp_path)
    with pytest.raises(FileNotFoundError), files.lock_instance("a"):
        raise FileNotFoundError
    with files.lock_instance("a") as slot:
        slot.write_document_atomically(build_instance_document(), create=True)


FULL = """
import resource, signal, sys
from pathlib import Path
from jupyter_colophon.core.errors import StoreFull
from jupyter_colophon.storage.files.instances import InstanceFiles
from jupyter_colophon.storage.files.document_cache import DocumentCache
from support.files import SPACE, drop_root_permissions, build_instance_document, open_instance_files, list_left_files_without_locks, save_instance
files = open_instance_files(Path(sys.argv[1]))
save_instance(files, "a", build_instance_document(1), create=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
try:
    save_instance(files, "a", build_instance_document(2, text="x" * 100_000))
except StoreFull as error:
    print(error.detail)
print(files.find_instance("a").document == build_instance_document(1))
resource.setrlimit(resource.RLIMIT_FSIZE, before)
save_instance(files, "a", build_instance_document(2, text="x" * 100_000))
print(files.find_instance("a").document["metadata"]["number"], list_left_files_without_locks(Path(sys.argv[1])))
"""


def test_full_disk_is_reported_and_next_save_works(tmp_path: Path) -> None:
    assert run_script(FULL, str(tmp_path)).splitlines() == [
        "a cannot be saved: File too large",
        "True",
        "2 ['a.json']",
    ]
