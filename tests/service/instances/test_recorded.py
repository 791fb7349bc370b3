"""Files and their records: external edits, an unavailable catalog, and instances of lower levels."""

import getpass
import json
import os
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import ConditionFailed, InstanceNotFound, RemovalNotPermitted, StoreUnavailable
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from support.catalog import ADA, search_catalog
from support.instance_stores import BOB, SPACE, InstanceStoreFixture, build_thing, open_instance_store

OUTSIDE = f"outside:{getpass.getuser()}"


def write(path: Path, content: object) -> None:
    """Write a file like an editor that replaces it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(content if isinstance(content, str) else json.dumps(content))
    os.replace(new, path)


class TestOutsideEdits:
    def test_external_edit_is_recorded_before_it_is_shown(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        write(files.get_instance_path("one"), build_thing(size=2))
        found = files.instances.get_valid_instance(SPACE, "one", ADA)
        assert (found.metadata, found.version) == ({"size": 2}, 2)
        assert [(version, actor) for version, _, actor in files.read_instance_history("one")] == [
            (2, OUTSIDE),
            (1, "ada"),
        ]

    def test_external_edit_fails_the_condition_of_a_save(self, files: InstanceStoreFixture) -> None:
        seen = files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        write(files.get_instance_path("one"), build_thing(size=2))
        with pytest.raises(ConditionFailed):
            files.instances.replace_instance(
                SPACE, "one", build_thing(size=3), WriteCondition(version=seen.version), ADA
            )
        assert files.instances.get_valid_instance(SPACE, "one", ADA).metadata == {"size": 2}
        files.instances.replace_instance(SPACE, "one", build_thing(size=3), WriteCondition(version=2), BOB)
        assert [actor for _, _, actor in files.read_instance_history("one")] == ["bob", OUTSIDE, "ada"]

    def test_rewritten_equal_content_is_not_an_edit(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        write(files.get_instance_path("one"), json.dumps(build_thing(size=1), indent=7) + "\n\n")
        assert files.instances.get_valid_instance(SPACE, "one", ADA).version == 1

    def test_external_file_creates_an_entity(self, files: InstanceStoreFixture) -> None:
        write(files.get_instance_path("new"), build_thing("Found", size=1, tags=["here"]))
        assert files.instances.get_valid_instance(SPACE, "new", ADA).version == 1
        assert [hit.summary.urn for hit in search_catalog(files.catalog, "found").hits] == [
            str(make_instance_urn(SPACE, "new"))
        ]

    def test_external_removal_deletes_the_entity(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        files.get_instance_path("one").unlink()
        with pytest.raises(InstanceNotFound):
            files.instances.get_valid_instance(SPACE, "one", ADA)
        store = files.store
        assert isinstance(store, FileInstanceStore)
        assert store.list_names_with_outdated_record() == ["one"]
        store.record_current_state_of_files("one")
        assert store.list_names_with_outdated_record() == []
        assert search_catalog(files.catalog, "*", type="instance").hits == ()
        assert files.read_instance_changes()[-1] == ("delete", "one", OUTSIDE)

    def test_external_damage_is_a_version_with_the_reason(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        write(files.get_instance_path("one"), '{"display_name": "TORN')
        broken = files.instances.get_valid_or_invalid_instance(SPACE, "one", ADA)
        assert (broken.reason, broken.version, broken.metadata) == ("ValueError", 2, {})
        assert "TORN" not in json.dumps(files.read_instance_history("one"))
        repaired = files.instances.replace_instance(SPACE, "one", build_thing(size=2), WriteCondition(version=2), ADA)
        assert (repaired.reason, repaired.version) == ("", 3)

    def test_external_removal_is_recorded_before_recreation(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        files.get_instance_path("one").unlink()
        made = files.instances.create_instance(SPACE, "one", build_thing(size=2), BOB)
        assert (made.metadata, made.version) == (
            {"size": 2},
            files.instances.get_valid_instance(SPACE, "one", ADA).version,
        )
        assert {change for change in files.read_instance_changes() if change[0] == "delete"} == {
            ("delete", "one", OUTSIDE)
        }
        assert files.read_instance_changes()[-1] == ("create", "one", "bob")

    def test_one_list_records_edits_of_many_files(self, files: InstanceStoreFixture) -> None:
        from jupyter_colophon.core.instances.instance_query import InstanceQuery

        for number in range(20):
            write(files.get_instance_path(f"n{number}"), build_thing(f"N {number}"))
        page = files.instances.list_matching_page(SPACE, InstanceQuery(limit=50), ADA)
        assert {one.version for one in page.instances} == {1}
        assert search_catalog(files.catalog, "*", type="instance").total == 20


def change_and_restore_in_another_process(beside: Catalog, data_folder: Path) -> None:
    with open_instance_store(beside, data_folder) as another:
        another.instances.replace_instance(SPACE, "one", build_thing(size=2), WriteCondition(), BOB)
        another.instances.replace_instance(SPACE, "one", build_thing(size=1), WriteCondition(), BOB)


def test_save_of_another_process_stays_in_history(
    files: InstanceStoreFixture, beside: Catalog, data_folder: Path
) -> None:
    files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
    change_and_restore_in_another_process(beside, data_folder)
    # The file is unchanged here, but its record is not.
    assert files.instances.replace_instance(SPACE, "one", build_thing(size=3), WriteCondition(), ADA).version == 4
    assert [(value["metadata"]["size"], actor) for _, value, actor in files.read_instance_history("one")] == [
        (3, "ada"),
        (1, "bob"),
        (2, "bob"),
        (1, "ada"),
    ]


def test_removal_uses_the_version_of_another_process(
    files: InstanceStoreFixture, beside: Catalog, data_folder: Path
) -> None:
    files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
    change_and_restore_in_another_process(beside, data_folder)
    removed = files.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
    assert removed.version == 3
    assert files.read_instance_changes()[-1] == ("delete", "one", "ada")
    restored = files.instances.restore_version(SPACE, "one", removed.version, WriteCondition(), ADA)
    assert restored.metadata == {"size": 1}


def test_removal_of_a_file_that_was_put_back_is_recorded(files: InstanceStoreFixture) -> None:
    files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
    text = files.get_instance_path("one").read_text()
    files.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
    write(files.get_instance_path("one"), text)
    files.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
    creations = [actor for operation, _, actor in files.read_instance_changes() if operation == "create"]
    assert creations == ["ada", OUTSIDE]


class TestAwayCatalog:
    def test_unavailable_catalog_allows_reads_and_saves(self, files: InstanceStoreFixture) -> None:
        files.is_away = True
        made = files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        assert made.version is None
        assert files.instances.replace_instance(SPACE, "one", build_thing(size=2), WriteCondition(), ADA).metadata == {
            "size": 2
        }
        assert [one.name for one in files.instances.list_visible_instances(SPACE)] == ["one"]

    def test_save_is_recorded_later_with_its_author(self, files: InstanceStoreFixture) -> None:
        files.is_away = True
        files.instances.create_instance(SPACE, "one", build_thing(size=1), BOB)
        files.is_away = False
        assert files.instances.get_valid_instance(SPACE, "one", ADA).version == 1
        assert [actor for _, _, actor in files.read_instance_history("one")] == ["bob"]

    def test_removal_is_recorded_later_with_its_author(self, files: InstanceStoreFixture) -> None:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        files.is_away = True
        files.instances.remove_instance(SPACE, "one", WriteCondition(), BOB)
        files.is_away = False
        store = files.store
        assert isinstance(store, FileInstanceStore)
        assert store.list_unrecorded_saves() == ["one"]
        for name in store.list_names_with_outdated_record() or ():
            store.record_current_state_of_files(name)
        assert store.list_unrecorded_saves() == []
        assert files.read_instance_changes()[-1] == ("delete", "one", "bob")

    def test_unavailable_catalog_refuses_conditions(self, files: InstanceStoreFixture) -> None:
        seen = files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
        files.is_away = True
        with pytest.raises(StoreUnavailable):
            files.instances.replace_instance(
                SPACE, "one", build_thing(size=2), WriteCondition(version=seen.version), ADA
            )
        with pytest.raises(StoreUnavailable):
            files.instances.remove_instance(SPACE, "one", WriteCondition(version=seen.version), ADA)
        assert files.instances.get_valid_instance(SPACE, "one", ADA).metadata == {"size": 1}

    def test_unavailable_catalog_fails_catalog_instances(self, beside: Catalog, data_folder: Path) -> None:
        with open_instance_store(beside, data_folder, "catalog") as kept:
            kept.is_away = True
            with pytest.raises(StoreUnavailable):
                kept.instances.list_visible_instances(SPACE)
            with pytest.raises(StoreUnavailable):
                kept.instances.create_instance(SPACE, "one", build_thing(), ADA)


class TestLowerFolders:
    @pytest.fixture(autouse=True)
    def shared(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data_folder: Path) -> Path:
        shared = tmp_path / "shared"
        monkeypatch.setenv("ELYRA_METADATA_PATH", os.pathsep.join([str(data_folder), str(shared)]))
        write(shared / "metadata" / SPACE / "common.json", build_thing("Common", size=1))
        return shared / "metadata" / SPACE

    def test_shared_instance_is_changed_by_a_copy(self, files: InstanceStoreFixture) -> None:
        found = files.instances.get_valid_instance(SPACE, "common", ADA)
        assert (found.is_removable, found.version) == (False, 1)
        changed = files.instances.replace_instance(
            SPACE, "common", build_thing("Common", size=2), WriteCondition(version=1), ADA
        )
        assert (changed.is_removable, changed.version, changed.metadata) == (True, 2, {"size": 2})

    def test_removing_the_copy_shows_the_shared_instance(self, files: InstanceStoreFixture) -> None:
        files.instances.replace_instance(SPACE, "common", build_thing("Common", size=2), WriteCondition(), ADA)
        assert files.instances.remove_instance(SPACE, "common", WriteCondition(), ADA).uncovered
        found = files.instances.get_valid_instance(SPACE, "common", ADA)
        assert (found.is_removable, found.metadata) == (False, {"size": 1})
        assert files.read_instance_history("common")[0][1]["metadata"] == {"size": 1}

    def test_shared_instance_cannot_be_removed(self, files: InstanceStoreFixture, shared: Path) -> None:
        with pytest.raises(RemovalNotPermitted):
            files.instances.remove_instance(SPACE, "common", WriteCondition(), ADA)
        assert (shared / "common.json").exists()

    def test_shared_changes_do_not_affect_shadowing_copy(self, files: InstanceStoreFixture, shared: Path) -> None:
        files.instances.replace_instance(SPACE, "common", build_thing("Common", size=2), WriteCondition(), ADA)
        write(shared / "common.json", "broken")
        assert files.instances.get_valid_instance(SPACE, "common", ADA).metadata == {"size": 2}


def test_file_does_not_overwrite_catalog_instance_of_same_name(beside: Catalog, data_folder: Path) -> None:
    with open_instance_store(beside, data_folder, "catalog") as kept:
        kept.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
    with open_instance_store(beside, data_folder) as files:
        write(files.get_instance_path("one"), build_thing(size=2))
        assert files.instances.get_valid_instance(SPACE, "one", ADA).version is None
        files.instances.replace_instance(SPACE, "one", build_thing(size=3), WriteCondition(), ADA)
    with open_instance_store(beside, data_folder, "catalog") as kept:
        assert kept.instances.get_valid_instance(SPACE, "one", ADA).metadata == {"size": 1}


def test_file_record_is_not_a_catalog_instance(beside: Catalog, data_folder: Path) -> None:
    with open_instance_store(beside, data_folder) as files:
        files.instances.create_instance(SPACE, "one", build_thing(size=1), ADA)
    with open_instance_store(beside, data_folder, "catalog") as kept:
        assert kept.instances.list_visible_instances(SPACE) == []
        assert kept.instances.create_instance(SPACE, "one", build_thing(size=2), ADA).version == 2
