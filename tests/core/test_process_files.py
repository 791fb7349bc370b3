"""Files that a process keeps locked while it lives, and their takeover by others."""

import sys
from pathlib import Path

import pytest
from jupyter_colophon.system.process_files import ProcessFile, is_abandoned
from support.process import start_script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
HOLDER = """
import sys, pathlib
from jupyter_colophon.system.process_files import ProcessFile
file = ProcessFile.create(pathlib.Path(sys.argv[1]), b"content")
print("created", flush=True)
sys.stdin.read()
"""


def test_file_of_killed_process_is_taken_over_once(tmp_path: Path) -> None:
    path = tmp_path / "one"
    with start_script(HOLDER, str(path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "created\n"
        assert not is_abandoned(path)
        assert ProcessFile.take_over(path) is None
        process.kill()
        process.wait()
    assert is_abandoned(path)
    file = ProcessFile.take_over(path)
    assert file is not None
    assert file.read() == b"content"
    assert ProcessFile.take_over(path) is None
    file.remove()
    assert list(tmp_path.iterdir()) == []


def test_closed_file_stays_for_the_next_process(tmp_path: Path) -> None:
    ProcessFile.create(tmp_path / "one", b"x").close()
    assert is_abandoned(tmp_path / "one")


def test_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    with pytest.raises(OSError, match=r"."):
        ProcessFile.create(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
