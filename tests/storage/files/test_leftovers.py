"""What killed saves left behind."""

import json
import os
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, InstanceUnreadable
from support.files import document, files_of, left, put, user_folder
from support.process import running

WRITING = """
import sys
from pathlib import Path
from jupyter_colophon.storage.files import saving
from support.files import document, files_of

def halt(*_):
    print("held", flush=True)
    sys.stdin.readline()

saving.os.replace = halt
with files_of(Path(sys.argv[1])).slot("a") as slot:
    slot.write(document(2), create=False)
"""
BACKUP = "a.json1732133931.1234567"


def backup(root: Path, text: str, file: str = BACKUP) -> Path:
    folder = user_folder(root)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)
    return folder / file


def test_what_a_killed_save_of_ours_left_is_swept_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    put(user_folder(tmp_path), "a", json.dumps(document(1)))
    files = files_of(tmp_path)
    with running(WRITING, str(tmp_path)) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        assert files.sweep() == []
        assert len(list(user_folder(tmp_path).glob(".a.*.tmp"))) == 1
        writer.kill()
        writer.wait()
    assert files.sweep() == []
    assert left(tmp_path) == ["a.json"]
    held = files.read("a")
    assert held is not None
    assert held.document == document(1)


def test_other_hidden_files_are_not_swept_and_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    assert files.sweep() == []
    assert not user_folder(tmp_path).exists()
    for file in (".gitignore", ".a.tmp", ".a.json.swp", "x.0123456789ab.tmp"):
        put(user_folder(tmp_path), "a", "{}").with_name(file).touch()
    assert files.sweep() == []
    assert len(os.listdir(user_folder(tmp_path))) == 5


def test_elyras_backup_is_found_with_what_can_be_done_with_it(tmp_path: Path) -> None:
    backup(tmp_path, json.dumps(document(1)))
    backup(tmp_path, "{", "a.json1732133932.5")
    files = files_of(tmp_path)
    assert files.names() == []
    assert files.sweep() == ["a.json1732133932.5", BACKUP]
    newer, older = files.leftovers()
    assert (older.name, older.time, older.missing, older.problem) == ("a", 1_732_133_931_123, True, "")
    assert newer.problem
    put(user_folder(tmp_path), "a", "{}")
    assert [one.missing for one in files.leftovers()] == [False, False]


@pytest.mark.parametrize("main", [None, "", '{"display_name": "half'])
def test_a_backup_takes_the_place_of_a_file_that_is_gone_or_torn(tmp_path: Path, main: str | None) -> None:
    told = backup(tmp_path, json.dumps(document(7)))
    if main is not None:
        put(user_folder(tmp_path), "a", main)
    files = files_of(tmp_path)
    held = files.recover("a", BACKUP)
    assert held.document == document(7)
    assert files.read("a") == held
    assert not told.exists()
    assert files.leftovers() == []


def test_a_backup_is_never_put_over_a_file_that_can_be_read(tmp_path: Path) -> None:
    told = backup(tmp_path, json.dumps(document(7)))
    put(user_folder(tmp_path), "a", json.dumps(document(8)))
    files = files_of(tmp_path)
    with pytest.raises(InstanceExists):
        files.recover("a", BACKUP)
    held = files.read("a")
    assert held is not None
    assert held.document == document(8)
    assert told.exists()


def test_a_torn_backup_is_not_put_in_place(tmp_path: Path) -> None:
    backup(tmp_path, "{")
    with pytest.raises(InstanceUnreadable):
        files_of(tmp_path).recover("a", BACKUP)
    assert not (user_folder(tmp_path) / "a.json").exists()


@pytest.mark.parametrize("which", ["a.json", "b.json1732133931.1", "../a.json1732133931.1", "a.json1732133931.9", ""])
def test_what_is_no_backup_of_the_instance_is_neither_recovered_nor_thrown_away(tmp_path: Path, which: str) -> None:
    backup(tmp_path, "{}", "b.json1732133931.1")
    (user_folder(tmp_path).parent / "a.json1732133931.1").write_text("{}")
    files = files_of(tmp_path)
    with pytest.raises(InstanceNotFound):
        files.recover("a", which)
    with pytest.raises(InstanceNotFound):
        files.discard("a", which)
    assert files.names() == []
    assert (user_folder(tmp_path) / "b.json1732133931.1").exists()


def test_a_backup_that_nobody_wants_is_thrown_away(tmp_path: Path) -> None:
    told = backup(tmp_path, "{")
    files = files_of(tmp_path)
    files.discard("a", BACKUP)
    assert not told.exists()
    assert files.leftovers() == []
