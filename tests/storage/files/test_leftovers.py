"""Files that interrupted saves leave behind."""

import json
import os
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, InstanceUnreadable
from support.files import (
    build_instance_document,
    get_user_folder,
    list_left_files_without_locks,
    open_instance_files,
    write_file,
)
from support.process import start_script_process

WRITING = """
import sys
from pathlib import Path
from jupyter_colophon.storage.files import saving
from support.files import build_instance_document, open_instance_files

def halt(*_):
    print("held", flush=True)
    sys.stdin.readline()

saving.os.replace = halt
with open_instance_files(Path(sys.argv[1])).lock_instance("a") as slot:
    slot.write_document_atomically(build_instance_document(2), create=False)
"""
BACKUP = "a.json1732133931.1234567"


def backup(root: Path, text: str, file: str = BACKUP) -> Path:
    folder = get_user_folder(root)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)
    return folder / file


def test_sweep_removes_unused_temporary_files(tmp_path: Path) -> None:
    write_file(get_user_folder(tmp_path), "a", json.dumps(build_instance_document(1)))
    files = open_instance_files(tmp_path)
    with start_script_process(WRITING, str(tmp_path)) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        assert files.remove_temporary_files_and_list_backups() == []
        assert len(list(get_user_folder(tmp_path).glob(".a.*.tmp"))) == 1
        writer.kill()
        writer.wait()
    assert files.remove_temporary_files_and_list_backups() == []
    assert list_left_files_without_locks(tmp_path) == ["a.json"]
    instance = files.find_instance("a")
    assert instance is not None
    assert instance.document == build_instance_document(1)


def test_sweep_keeps_other_hidden_files_and_creates_no_folder(tmp_path: Path) -> None:
    files = open_instance_files(tmp_path)
    assert files.remove_temporary_files_and_list_backups() == []
    assert not get_user_folder(tmp_path).exists()
    for file in (".gitignore", ".a.tmp", ".a.json.swp", "x.0123456789ab.tmp"):
        write_file(get_user_folder(tmp_path), "a", "{}").with_name(file).touch()
    assert files.remove_temporary_files_and_list_backups() == []
    assert len(os.listdir(get_user_folder(tmp_path))) == 5


def test_backup_of_elyra_is_listed(tmp_path: Path) -> None:
    backup(tmp_path, json.dumps(build_instance_document(1)))
    backup(tmp_path, "{", "a.json1732133932.5")
    files = open_instance_files(tmp_path)
    assert files.list_instance_names() == []
    assert files.remove_temporary_files_and_list_backups() == ["a.json1732133932.5", BACKUP]
    newer, older = files.list_elyra_backups()
    assert (older.name, older.time, older.missing, older.problem) == ("a", 1_732_133_931_123, True, "")
    assert newer.problem
    write_file(get_user_folder(tmp_path), "a", "{}")
    assert [leftover.missing for leftover in files.list_elyra_backups()] == [False, False]


@pytest.mark.parametrize("main", [None, "", '{"display_name": "half'])
def test_backup_replaces_missing_or_truncated_file(tmp_path: Path, main: str | None) -> None:
    path = backup(tmp_path, json.dumps(build_instance_document(7)))
    if main is not None:
        write_file(get_user_folder(tmp_path), "a", main)
    files = open_instance_files(tmp_path)
    instance = files.restore_from_backup_and_remove_it("a", BACKUP)
    assert instance.document == build_instance_document(7)
    assert files.find_instance("a") == instance
    assert not path.exists()
    assert files.list_elyra_backups() == []


def test_backup_never_replaces_readable_file(tmp_path: Path) -> None:
    path = backup(tmp_path, json.dumps(build_instance_document(7)))
    write_file(get_user_folder(tmp_path), "a", json.dumps(build_instance_document(8)))
    files = open_instance_files(tmp_path)
    with pytest.raises(InstanceExists):
        files.restore_from_backup_and_remove_it("a", BACKUP)
    instance = files.find_instance("a")
    assert instance is not None
    assert instance.document == build_instance_document(8)
    assert path.exists()


def test_truncated_backup_is_not_recovered(tmp_path: Path) -> None:
    backup(tmp_path, "{")
    with pytest.raises(InstanceUnreadable):
        open_instance_files(tmp_path).restore_from_backup_and_remove_it("a", BACKUP)
    assert not (get_user_folder(tmp_path) / "a.json").exists()


@pytest.mark.parametrize("which", ["a.json", "b.json1732133931.1", "../a.json1732133931.1", "a.json1732133931.9", ""])
def test_other_files_are_neither_recovered_nor_discarded(tmp_path: Path, which: str) -> None:
    backup(tmp_path, "{}", "b.json1732133931.1")
    (get_user_folder(tmp_path).parent / "a.json1732133931.1").write_text("{}")
    files = open_instance_files(tmp_path)
    with pytest.raises(InstanceNotFound):
        files.restore_from_backup_and_remove_it("a", which)
    with pytest.raises(InstanceNotFound):
        files.delete_backup("a", which)
    assert files.list_instance_names() == []
    assert (get_user_folder(tmp_path) / "b.json1732133931.1").exists()


def test_backup_can_be_discarded(tmp_path: Path) -> None:
    path = backup(tmp_path, "{")
    files = open_instance_files(tmp_path)
    files.delete_backup("a", BACKUP)
    assert not path.exists()
    assert files.list_elyra_backups() == []
