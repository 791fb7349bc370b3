"""The save sequence: names, hooks, defaults, validation and undo (spec INST-7)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import (
    AccessDenied,
    ConditionFailed,
    HookFailed,
    InstanceExists,
    InstanceInvalid,
    InstanceNotFound,
    InstanceUnreadable,
    InvalidName,
    RenameNotSupported,
    SchemaNotFound,
    SchemaspaceNotFound,
)
from jupyter_colophon.core.model.proposal import WriteCondition
from support.catalog import ADA
from support.instance_stores import KERNEL, SPACE, InstanceStoreFixture, PlainInstance, build_thing, open_instance_store
from support.third_party_packages import ID


def fails(error: Exception) -> Callable[[Any], None]:
    def act(_: Any) -> None:
        raise error

    return act


def owning(beside: Catalog, folder: Path, **acts: Callable[[Any], None]) -> Any:
    """Return instances whose class calls these functions in its hooks."""
    return open_instance_store(beside, folder, own=type("Own", (PlainInstance,), {"acts": acts}))


def own(display_name: str = "One", **metadata: Any) -> dict[str, Any]:
    return build_thing(display_name, "own", **metadata)


class TestSaving:
    def test_name_is_derived_from_display_name(self, kept: InstanceStoreFixture) -> None:
        assert (
            kept.instances.create_instance(SPACE, None, build_thing('1 teste "rápido"'), ADA).name == "a_1_teste_rpido"
        )
        with pytest.raises(InstanceExists):
            kept.instances.create_instance(SPACE, None, build_thing('1 teste "rápido"'), ADA)

    @pytest.mark.parametrize("name", ["", "A", "a b", "../a", "a,", "a\n", "a" * 201])
    def test_invalid_name_is_refused_before_writing(self, kept: InstanceStoreFixture, name: str) -> None:
        with pytest.raises(InvalidName):
            kept.instances.create_instance(SPACE, name, build_thing("" if not name else "One"), ADA)
        assert kept.instances.list_visible_instances(SPACE, invalid=True) == []

    def test_schemaspace_is_found_by_name_and_id_case_insensitively(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(ID.upper(), "one", build_thing(), ADA)
        assert [one.name for one in kept.instances.list_visible_instances("THINGS")] == ["one"]
        with pytest.raises(SchemaspaceNotFound):
            kept.instances.list_visible_instances("nothing")

    def test_invalid_instance_is_refused_with_every_problem(self, kept: InstanceStoreFixture) -> None:
        with pytest.raises(InstanceInvalid) as raised:
            kept.instances.create_instance(SPACE, "one", build_thing(size="large", tags=[1]), ADA)
        assert [one.pointer for one in raised.value.problems] == ["/metadata/size", "/metadata/tags/0"]
        assert "is not of type 'integer'" in raised.value.detail
        assert kept.instances.list_visible_instances(SPACE, invalid=True) == []

    @pytest.mark.parametrize(
        ("document", "error"),
        [
            ({"display_name": "A", "schema_name": "none", "metadata": {}}, SchemaNotFound),
            ({"display_name": "A", "metadata": {}}, InstanceInvalid),
            ({"display_name": "A", "schema_name": 1, "metadata": {}}, InstanceInvalid),
            ({"display_name": "A", "schema_name": "thing", "metadata": []}, InstanceInvalid),
            ({"display_name": "A", "schema_name": "thing", "metadata": None}, InstanceInvalid),
            ({"schema_name": "thing", "metadata": {}}, InstanceInvalid),
        ],
    )
    def test_document_without_required_members_is_refused(
        self, kept: InstanceStoreFixture, document: Any, error: type
    ) -> None:
        with pytest.raises(error):
            kept.instances.create_instance(SPACE, "one", document, ADA)

    def test_update_replaces_document_and_keeps_name(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing(size=5, tags=["x"]), ADA)
        done = kept.instances.replace_instance(
            SPACE, "one", {**build_thing("Two"), "name": "one", "resource": "x"}, WriteCondition(), ADA
        )
        assert (done.display_name, done.metadata) == ("Two", {"size": 1})
        with pytest.raises(RenameNotSupported):
            kept.instances.replace_instance(SPACE, "one", {**build_thing("Two"), "name": "two"}, WriteCondition(), ADA)
        with pytest.raises(InstanceNotFound):
            kept.instances.replace_instance(SPACE, "two", build_thing("Two"), WriteCondition(), ADA)

    def test_patch_changes_only_named_members(self, kept: InstanceStoreFixture) -> None:
        first = kept.instances.create_instance(SPACE, "one", build_thing(size=5, tags=["x"]), ADA)
        done = kept.instances.merge_patch_instance(
            SPACE, "one", {"metadata": {"size": 6, "tags": None}}, WriteCondition(), ADA
        )
        assert (done.display_name, done.metadata) == ("One", {"size": 6})
        with pytest.raises(ConditionFailed):
            kept.instances.merge_patch_instance(
                SPACE, "one", {"display_name": "B"}, WriteCondition(version=first.version), ADA
            )
        with pytest.raises(RenameNotSupported):
            kept.instances.merge_patch_instance(SPACE, "one", {"name": "two"}, WriteCondition(), ADA)

    def test_unreadable_instance_can_be_replaced_and_removed_but_not_patched(self, files: InstanceStoreFixture) -> None:
        for name in ("one", "two"):
            files.instances.create_instance(SPACE, name, build_thing(name), ADA)
            files.get_instance_path(name).write_text("{")
        with pytest.raises(InstanceUnreadable):
            files.instances.get_valid_instance(SPACE, "one", ADA)
        with pytest.raises(InstanceUnreadable):
            files.instances.merge_patch_instance(SPACE, "one", {"display_name": "B"}, WriteCondition(), ADA)
        assert files.instances.replace_instance(SPACE, "one", build_thing(size=2), WriteCondition(), ADA).reason == ""
        files.instances.remove_instance(SPACE, "two", WriteCondition(), ADA)
        assert [one.name for one in files.instances.list_visible_instances(SPACE, invalid=True)] == ["one"]

    def test_kernel_may_read_but_not_change(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing(), ADA)
        assert kept.instances.get_valid_instance(SPACE, "one", KERNEL).name == "one"
        for change in (
            lambda: kept.instances.create_instance(SPACE, "two", build_thing(), KERNEL),
            lambda: kept.instances.replace_instance(SPACE, "one", build_thing(), WriteCondition(), KERNEL),
            lambda: kept.instances.merge_patch_instance(SPACE, "one", {}, WriteCondition(), KERNEL),
            lambda: kept.instances.remove_instance(SPACE, "one", WriteCondition(), KERNEL),
            lambda: kept.instances.restore_version(SPACE, "one", 1, WriteCondition(), KERNEL),
            lambda: kept.instances.import_instances(SPACE, [], KERNEL),
        ):
            with pytest.raises(AccessDenied):
                change()


class TestHooks:
    def test_hooks_run_in_order_on_separate_objects(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder) as kept:
            kept.instances.create_instance(SPACE, "one", own(), ADA)
            assert [(hook, options) for _, hook, options in PlainInstance.calls] == [
                ("pre_save", {"for_update": False}),
                ("post_save", {"for_update": False}),
                ("on_load", {}),
            ]
            PlainInstance.calls.clear()
            kept.instances.replace_instance(SPACE, "one", own(size=2), WriteCondition(), ADA)
            kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
            assert [(hook, options) for _, hook, options in PlainInstance.calls] == [
                ("pre_save", {"for_update": True}),
                ("post_save", {"for_update": True}),
                ("on_load", {}),
                ("pre_delete", {}),
                ("post_delete", {}),
            ]

    def test_hooks_may_change_saved_and_presented_values(self, beside: Catalog, data_folder: Path) -> None:
        def count(made: Any) -> None:
            made.metadata["size"] = made.metadata.get("size", 0) + 1

        with owning(beside, data_folder, pre_save=count, post_save=count, on_load=count) as kept:
            done = kept.instances.create_instance(SPACE, "one", own(size=1), ADA)
            assert done.metadata["size"] == 3
            assert kept.read_instance_history("one")[0][1]["metadata"]["size"] == 2

    def test_hook_refusal_prevents_save_with_its_message(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, pre_save=fails(ValueError("not on Fridays"))) as kept:
            with pytest.raises(HookFailed, match="not on Fridays") as raised:
                kept.instances.create_instance(SPACE, "one", own(), ADA)
            assert not raised.value.undone
            assert kept.instances.list_visible_instances(SPACE, invalid=True) == []

    def test_failed_hook_is_logged_without_details_to_clients(
        self, beside: Catalog, data_folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with (
            owning(beside, data_folder, pre_save=fails(KeyError("inner-detail"))) as kept,
            pytest.raises(HookFailed) as raised,
        ):
            kept.instances.create_instance(SPACE, "one", own(), ADA)
        assert "inner-detail" not in raised.value.detail
        assert "KeyError" in raised.value.detail
        assert "inner-detail" in caplog.text

    def test_failed_post_save_undoes_creation(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, post_save=fails(ValueError("no"))) as kept:
            with pytest.raises(HookFailed) as raised:
                kept.instances.create_instance(SPACE, "one", own(), ADA)
            assert raised.value.undone
            assert kept.instances.list_visible_instances(SPACE, invalid=True) == []
            assert [operation for operation, _, _ in kept.read_instance_changes()] == ["create", "delete", "delete"]

    def test_failed_post_save_restores_previous_instance(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder) as kept:
            kept.instances.create_instance(SPACE, "one", own(size=1), ADA)
        with owning(beside, data_folder, post_save=fails(RuntimeError("no"))) as kept:
            with pytest.raises(HookFailed):
                kept.instances.replace_instance(SPACE, "one", own(size=2), WriteCondition(), ADA)
            assert kept.instances.get_valid_instance(SPACE, "one", ADA).metadata == {"size": 1}
            assert [value["metadata"]["size"] for _, value, _ in kept.read_instance_history("one")] == [1, 2, 1]

    def test_failed_post_delete_restores_instance(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, post_delete=fails(ValueError("needed"))) as kept:
            kept.instances.create_instance(SPACE, "one", own(size=1, password="PASS"), ADA)
            with pytest.raises(HookFailed, match="needed"):
                kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
            assert kept.instances.create_object_api(SPACE).load_instance("one").metadata == {
                "size": 1,
                "password": "PASS",
            }

    def test_undo_keeps_concurrent_save_of_others(self, beside: Catalog, data_folder: Path) -> None:
        def meddle(made: Any) -> None:
            if made.metadata["size"] == 2:
                kept.instances.replace_instance(SPACE, "one", build_thing("Theirs", size=7), WriteCondition(), ADA)
                raise ValueError("no")

        with owning(beside, data_folder, post_save=meddle) as kept:
            kept.instances.create_instance(SPACE, "one", own(size=1), ADA)
            with pytest.raises(HookFailed) as raised:
                kept.instances.replace_instance(SPACE, "one", own(size=2), WriteCondition(), ADA)
            assert not raised.value.undone
            assert kept.instances.get_valid_instance(SPACE, "one", ADA).display_name == "Theirs"

    def test_class_may_migrate_on_load(self, beside: Catalog, data_folder: Path) -> None:
        def migrate(made: Any) -> None:
            made.schema_name = "thing"
            kept.instances.create_object_api(SPACE).replace_existing_instance(made.name, made, for_migration=True)

        with owning(beside, data_folder) as kept:
            kept.instances.create_instance(SPACE, "one", own(size=1), ADA)
        with owning(beside, data_folder, on_load=migrate) as kept:
            found = kept.instances.get_valid_instance(SPACE, "one", ADA)
            assert (found.schema_name, found.version) == ("thing", 2)
            assert (
                kept.instances.replace_instance(
                    SPACE, "one", build_thing(size=9), WriteCondition(version=2), ADA
                ).version
                == 3
            )

    def test_failed_on_load_affects_only_its_instance(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder) as kept:
            kept.instances.create_instance(SPACE, "bad", own(), ADA)
            kept.instances.create_instance(SPACE, "good", build_thing(), ADA)
        with owning(beside, data_folder, on_load=fails(RuntimeError("no"))) as kept:
            assert [one.name for one in kept.instances.list_visible_instances(SPACE)] == ["good"]
            assert [one.reason for one in kept.instances.list_visible_instances(SPACE, invalid=True)] == [
                "RuntimeError",
                "",
            ]
            with pytest.raises(HookFailed):
                kept.instances.get_valid_instance(SPACE, "bad", ADA)
            kept.instances.remove_instance(SPACE, "bad", WriteCondition(), ADA)


class TestObjects:
    def test_objects_raise_the_error_of_a_hook(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, post_save=fails(KeyError("mine"))) as kept:
            made = PlainInstance(**own(size=1), name="one")
            with pytest.raises(KeyError, match="mine"):
                kept.instances.create_object_api(SPACE).save_new_instance("one", made)
            assert kept.instances.create_object_api(SPACE).load_all_instances() == []

    def test_objects_are_saved_loaded_and_removed(self, kept: InstanceStoreFixture) -> None:
        objects = kept.instances.create_object_api(SPACE)
        made = objects.save_new_instance(None, PlainInstance(**build_thing("First one", password="PASS")))
        assert (made.name, made.metadata) == ("first_one", {"password": "PASS", "size": 1})
        made.metadata["size"] = 2
        assert objects.replace_existing_instance("first_one", made).metadata == {"password": "PASS", "size": 2}
        assert [one.name for one in objects.load_all_instances(of_schema="thing")] == ["first_one"]
        assert objects.load_all_instances(of_schema="open") == []
        objects.remove_instance("first_one")
        with pytest.raises(InstanceNotFound):
            objects.load_instance("first_one")

    def test_invalid_objects_are_returned_with_reason_on_request(self, files: InstanceStoreFixture) -> None:
        for name, text in {"torn": "{", "wrong": '{"schema_name": "thing"}', "strange": '{"schema_name": "x"}'}.items():
            files.get_instance_path(name).parent.mkdir(parents=True, exist_ok=True)
            files.get_instance_path(name).write_text(text)
        objects = files.instances.create_object_api(SPACE)
        assert objects.load_all_instances() == []
        found = objects.load_all_instances(include_invalid=True)
        assert [(one.name, one.schema_name, one.reason) for one in found] == [
            ("strange", "x", "SchemaNotFoundError"),
            ("torn", "{unknown}", "ValueError"),
            ("wrong", "thing", "ValidationError"),
        ]
