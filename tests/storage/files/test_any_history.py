"""Compare any sequence of changes, by us and by others, in two folders with a model of two dictionaries."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, RemovalNotPermitted
from support.files import (
    get_shared_folder,
    get_user_folder,
    list_left_files_without_locks,
    open_instance_files,
    write_file,
)

NAMES = st.sampled_from(["a", "b", "c-1"])
FOLDERS = st.sampled_from([get_user_folder, get_shared_folder])
VALUES = st.dictionaries(st.sampled_from(["display_name", "metadata", "é"]), st.integers() | st.text(max_size=5))
#: The content of a file that cannot be read.
BROKEN = "broken"


class Files(RuleBasedStateMachine):
    """Model the files: `levels` has the content of each folder, a document or BROKEN."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="colophon-"))
        self.files = open_instance_files(self.root)
        self.levels: dict[Path, dict[str, Any]] = {get_user_folder(self.root): {}, get_shared_folder(self.root): {}}

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @property
    def _own(self) -> dict[str, Any]:
        return self.levels[get_user_folder(self.root)]

    @property
    def _all(self) -> dict[str, Any]:
        return self.levels[get_shared_folder(self.root)] | self._own

    @rule(name=NAMES, value=VALUES)
    def create(self, name: str, value: dict[str, Any]) -> None:
        value = {key: inner for key, inner in value.items() if "\x00" not in str(inner)}
        with self.files.lock_instance(name) as slot:
            if name in self._all:
                with pytest.raises(InstanceExists):
                    slot.write_document_atomically(value, create=True)
                return
            assert slot.write_document_atomically(value, create=True).document == value
        self._own[name] = value

    @rule(name=NAMES, number=st.integers())
    def update(self, name: str, number: int) -> None:
        with self.files.lock_instance(name) as slot:
            assert (slot.existing is None) == (name not in self._all)
            slot.write_document_atomically({"number": number}, create=False)
        self._own[name] = {"number": number}

    @rule(name=NAMES)
    def remove(self, name: str) -> None:
        with self.files.lock_instance(name) as slot:
            if name in self._own:
                slot.remove_file_and_return_instance()
                del self._own[name]
                assert (slot.existing is None) == (name not in self._all)
            else:
                with pytest.raises(RemovalNotPermitted if name in self._all else InstanceNotFound):
                    slot.remove_file_and_return_instance()

    @rule(folder=FOLDERS, name=NAMES, number=st.integers(0, 9))
    def others_write_in_place(self, folder: Any, name: str, number: int) -> None:
        write_file(folder(self.root), name, json.dumps({"number": number}))
        self.levels[folder(self.root)][name] = {"number": number}

    @rule(folder=FOLDERS, name=NAMES)
    def others_break(self, folder: Any, name: str) -> None:
        write_file(folder(self.root), name, '{"number": ')
        self.levels[folder(self.root)][name] = BROKEN

    @rule(folder=FOLDERS, name=NAMES)
    def others_remove(self, folder: Any, name: str) -> None:
        (folder(self.root) / f"{name}.json").unlink(missing_ok=True)
        self.levels[folder(self.root)].pop(name, None)

    @rule(folder=FOLDERS)
    def others_remove_all(self, folder: Any) -> None:
        shutil.rmtree(folder(self.root), ignore_errors=True)
        self.levels[folder(self.root)].clear()

    @rule(name=NAMES, number=st.integers(0, 9))
    def elyra_is_killed(self, name: str, number: int) -> None:
        write_file(get_user_folder(self.root), f"{name}.json", "").rename(
            get_user_folder(self.root) / f"{name}.json1732133931.5"
        )
        (get_user_folder(self.root) / f"{name}.json1732133931.5").write_text(json.dumps({"number": number}))

    @rule()
    def sweep_and_recover(self) -> None:
        self.files.remove_temporary_files_and_list_backups()
        for leftover in self.files.list_elyra_backups():
            if leftover.missing:
                self._own[leftover.name] = self.files.restore_from_backup_and_remove_it(
                    leftover.name, leftover.file
                ).document
            else:
                self.files.delete_backup(leftover.name, leftover.file)
        assert self.files.list_elyra_backups() == []
        if get_user_folder(self.root).exists():
            assert list_left_files_without_locks(self.root) == sorted(f"{name}.json" for name in self._own)

    @invariant()
    def what_is_read_is_what_is_there(self) -> None:
        expected = self._all
        assert self.files.list_instance_names() == sorted(expected)
        for instance in self.files.read_existing_instances(self.files.list_instance_names()):
            assert (BROKEN if instance.document is None else instance.document) == expected[instance.name]
            assert instance.is_removable == (instance.name in self._own)


TestFiles = Files.TestCase
TestFiles.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
