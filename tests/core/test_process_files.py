"""Files that a process keeps locked while it lives, and their takeover by others."""

import sys
from pathlib import Path

import pytest
from jupyter_colophon.system.process_files import ProcessFile, has_creator_ended
from support.process import start_script_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
HOLDER = """
import sys, pathlib
from jupyter_colophon.system.process_files import ProcessFile
file = ProcessFile.create_locked(pathlib.Path(sys.argv[1]), b"content")
print("created", flush=True)
sys.stdin.read()
"""


def test_file_of_killed_process_is_taken_over_once(tmp_path: Path) -> None:
    path = tmp_path / "one"
    with start_script_process(HOLDER, str(path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "created\n"
        assert not has_creator_ended(path)
        assert ProcessFile.take_over_if_abandoned(path) is None
        process.kill()
        process.wait()
    assert has_creator_ended(path)
    file = ProcessFile.take_over_if_abandoned(path)
    assert file is not None
    assert file.read_content() == b"content"
    assert ProcessFile.take_over_if_abandoned(path) is None
    file.delete_and_unlock()
    assert list(tmp_path.iterdir()) == []


def test_closed_file_stays_for_the_next_process(tmp_path: Path) -> None:
    ProcessFile.create_locked(tmp_path / "one", b"x").close()
    assert has_creator_ended(tmp_path / "one")


def test_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    with pytest.raises(OSError, match=r"."):
        ProcessFile.create_locked(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
