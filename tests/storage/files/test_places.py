"""Which folders hold instances, and which comes first."""

import os
import sys
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.storage.files.paths import data_folders, space_folders


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("ELYRA_METADATA_PATH", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    return tmp_path / "jupyter"


def test_the_users_folder_is_written_and_the_machines_and_pythons_are_below_it(user: Path) -> None:
    folders = space_folders("code-snippets")
    assert folders[0] == user / "metadata" / "code-snippets"
    assert folders[-1] == Path(sys.prefix) / "share" / "jupyter" / "metadata" / "code-snippets"
    assert Path("/usr/local/share/jupyter/metadata/code-snippets") in folders[1:-1]


def test_folders_named_in_the_environment_come_before_all_others(
    user: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ELYRA_METADATA_PATH", os.pathsep.join([str(tmp_path / "a") + os.sep, "", str(tmp_path / "b")]))
    assert data_folders()[:3] == [tmp_path / "a", tmp_path / "b", user]


def test_a_folder_that_is_named_twice_is_one_folder_at_its_first_place(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELYRA_METADATA_PATH", str(user))
    assert data_folders().count(user) == 1
    assert data_folders()[0] == user


def test_a_schemaspaces_folder_is_in_lower_case(user: Path) -> None:
    assert space_folders("My-Space") == space_folders("my-space")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a b", "-a", "a-", "x\n", "ä", "a" * 300])
def test_what_is_no_name_of_a_schemaspace_becomes_no_folder(name: str) -> None:
    with pytest.raises(InvalidName):
        space_folders(name)
