"""The folders of instances and their order."""

import os
import sys
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.storage.files.paths import list_data_folders, list_space_folders


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("ELYRA_METADATA_PATH", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    return tmp_path / "jupyter"


def test_user_folder_comes_before_system_folders(user: Path) -> None:
    folders = list_space_folders("code-snippets")
    assert folders[0] == user / "metadata" / "code-snippets"
    assert folders[-1] == Path(sys.prefix) / "share" / "jupyter" / "metadata" / "code-snippets"
    assert Path("/usr/local/share/jupyter/metadata/code-snippets") in folders[1:-1]


def test_folders_of_environment_variable_come_first(
    user: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ELYRA_METADATA_PATH", os.pathsep.join([str(tmp_path / "a") + os.sep, "", str(tmp_path / "b")]))
    assert list_data_folders()[:3] == [tmp_path / "a", tmp_path / "b", user]


def test_repeated_folder_keeps_its_first_position(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELYRA_METADATA_PATH", str(user))
    assert list_data_folders().count(user) == 1
    assert list_data_folders()[0] == user


def test_folder_of_schemaspace_is_lower_case(user: Path) -> None:
    assert list_space_folders("My-Space") == list_space_folders("my-space")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a b", "-a", "a-", "x\n", "ä", "a" * 300])
def test_invalid_schemaspace_name_has_no_folder(name: str) -> None:
    with pytest.raises(InvalidName):
        list_space_folders(name)
