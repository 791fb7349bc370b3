"""The save sequence: names, hooks, defaults, validation, and what is undone (spec INST-7)."""

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
from jupyter_colophon.core.model.proposal import Condition
from support.catalog import ADA
from support.shelves import KERNEL, SPACE, Plain, Shelf, shelf, thing
from support.strangers import ID


def fails(error: Exception) -> Callable[[Any], None]:
    def act(_: Any) -> None:
        raise error

    return act


def owning(beside: Catalog, folder: Path, **acts: Callable[[Any], None]) -> Any:
    """Instances whose class does this in its hooks."""
    return shelf(beside, folder, own=type("Own", (Plain,), {"acts": acts}))


def own(display_name: str = "One", **metadata: Any) -> dict[str, Any]:
    return thing(display_name, "own", **metadata)


class TestSaving:
    def test_a_name_is_made_of_the_display_name(self, kept: Shelf) -> None:
        assert kept.instances.create(SPACE, None, thing('1 teste "rápido"'), ADA).name == "a_1_teste_rpido"
        with pytest.raises(InstanceExists):
            kept.instances.create(SPACE, None, thing('1 teste "rápido"'), ADA)

    @pytest.mark.parametrize("name", ["", "A", "a b", "../a", "a,", "a\n", "a" * 201])
    def test_an_illegal_name_is_refused_before_anything_is_written(self, kept: Shelf, name: str) -> None:
        with pytest.raises(InvalidName):
            kept.instances.create(SPACE, name, thing("" if not name else "One"), ADA)
        assert kept.instances.list(SPACE, invalid=True) == []

    def test_a_schemaspace_is_known_by_name_and_id_in_any_case(self, kept: Shelf) -> None:
        kept.instances.create(ID.upper(), "one", thing(), ADA)
        assert [one.name for one in kept.instances.list("THINGS")] == ["one"]
        with pytest.raises(SchemaspaceNotFound):
            kept.instances.list("nothing")

    def test_what_does_not_satisfy_its_schema_is_told_and_not_saved(self, kept: Shelf) -> None:
        with pytest.raises(InstanceInvalid) as told:
            kept.instances.create(SPACE, "one", thing(size="large", tags=[1]), ADA)
        assert [one.pointer for one in told.value.problems] == ["/metadata/size", "/metadata/tags/0"]
        assert "is not of type 'integer'" in told.value.detail
        assert kept.instances.list(SPACE, invalid=True) == []

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
    def test_a_document_without_what_it_needs_is_refused(self, kept: Shelf, document: Any, error: type) -> None:
        with pytest.raises(error):
            kept.instances.create(SPACE, "one", document, ADA)

    def test_an_update_replaces_the_whole_and_keeps_the_name(self, kept: Shelf) -> None:
        kept.instances.create(SPACE, "one", thing(size=5, tags=["x"]), ADA)
        done = kept.instances.update(SPACE, "one", {**thing("Two"), "name": "one", "resource": "x"}, Condition(), ADA)
        assert (done.display_name, done.metadata) == ("Two", {"size": 1})
        with pytest.raises(RenameNotSupported):
            kept.instances.update(SPACE, "one", {**thing("Two"), "name": "two"}, Condition(), ADA)
        with pytest.raises(InstanceNotFound):
            kept.instances.update(SPACE, "two", thing("Two"), Condition(), ADA)

    def test_a_patch_changes_what_it_names(self, kept: Shelf) -> None:
        first = kept.instances.create(SPACE, "one", thing(size=5, tags=["x"]), ADA)
        done = kept.instances.patch(SPACE, "one", {"metadata": {"size": 6, "tags": None}}, Condition(), ADA)
        assert (done.display_name, done.metadata) == ("One", {"size": 6})
        with pytest.raises(ConditionFailed):
            kept.instances.patch(SPACE, "one", {"display_name": "B"}, Condition(version=first.version), ADA)
        with pytest.raises(RenameNotSupported):
            kept.instances.patch(SPACE, "one", {"name": "two"}, Condition(), ADA)

    def test_what_is_broken_can_be_replaced_and_removed_but_not_patched(self, files: Shelf) -> None:
        for name in ("one", "two"):
            files.instances.create(SPACE, name, thing(name), ADA)
            files.file(name).write_text("{")
        with pytest.raises(InstanceUnreadable):
            files.instances.get(SPACE, "one", ADA)
        with pytest.raises(InstanceUnreadable):
            files.instances.patch(SPACE, "one", {"display_name": "B"}, Condition(), ADA)
        assert files.instances.update(SPACE, "one", thing(size=2), Condition(), ADA).reason == ""
        files.instances.remove(SPACE, "two", Condition(), ADA)
        assert [one.name for one in files.instances.list(SPACE, invalid=True)] == ["one"]

    def test_code_in_a_kernel_may_read_and_not_change(self, kept: Shelf) -> None:
        kept.instances.create(SPACE, "one", thing(), ADA)
        assert kept.instances.get(SPACE, "one", KERNEL).name == "one"
        for change in (
            lambda: kept.instances.create(SPACE, "two", thing(), KERNEL),
            lambda: kept.instances.update(SPACE, "one", thing(), Condition(), KERNEL),
            lambda: kept.instances.patch(SPACE, "one", {}, Condition(), KERNEL),
            lambda: kept.instances.remove(SPACE, "one", Condition(), KERNEL),
            lambda: kept.instances.restore(SPACE, "one", 1, Condition(), KERNEL),
            lambda: kept.instances.imported(SPACE, [], KERNEL),
        ):
            with pytest.raises(AccessDenied):
                change()


class TestHooks:
    def test_come_in_their_order_on_objects_of_their_own(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder) as kept:
            kept.instances.create(SPACE, "one", own(), ADA)
            assert [(hook, options) for _, hook, options in Plain.calls] == [
                ("pre_save", {"for_update": False}),
                ("post_save", {"for_update": False}),
                ("on_load", {}),
            ]
            Plain.calls.clear()
            kept.instances.update(SPACE, "one", own(size=2), Condition(), ADA)
            kept.instances.remove(SPACE, "one", Condition(), ADA)
            assert [(hook, options) for _, hook, options in Plain.calls] == [
                ("pre_save", {"for_update": True}),
                ("post_save", {"for_update": True}),
                ("on_load", {}),
                ("pre_delete", {}),
                ("post_delete", {}),
            ]

    def test_may_change_what_is_saved_and_what_is_shown(self, beside: Catalog, data_folder: Path) -> None:
        def count(made: Any) -> None:
            made.metadata["size"] = made.metadata.get("size", 0) + 1

        with owning(beside, data_folder, pre_save=count, post_save=count, on_load=count) as kept:
            done = kept.instances.create(SPACE, "one", own(size=1), ADA)
            assert done.metadata["size"] == 3
            assert kept.history("one")[0][1]["metadata"]["size"] == 2

    def test_that_refuse_prevent_and_tell_in_their_words(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, pre_save=fails(ValueError("not on Fridays"))) as kept:
            with pytest.raises(HookFailed, match="not on Fridays") as told:
                kept.instances.create(SPACE, "one", own(), ADA)
            assert not told.value.undone
            assert kept.instances.list(SPACE, invalid=True) == []

    def test_that_fail_are_logged_and_tell_nothing_of_the_inside(
        self, beside: Catalog, data_folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with (
            owning(beside, data_folder, pre_save=fails(KeyError("inner-detail"))) as kept,
            pytest.raises(HookFailed) as told,
        ):
            kept.instances.create(SPACE, "one", own(), ADA)
        assert "inner-detail" not in told.value.detail
        assert "KeyError" in told.value.detail
        assert "inner-detail" in caplog.text

    def test_after_a_creation_take_it_back_by_a_second_change(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, post_save=fails(ValueError("no"))) as kept:
            with pytest.raises(HookFailed) as told:
                kept.instances.create(SPACE, "one", own(), ADA)
            assert told.value.undone
            assert kept.instances.list(SPACE, invalid=True) == []
            assert [operation for operation, _, _ in kept.changes()] == ["create", "delete", "delete"]

    def test_after_an_update_bring_the_old_one_back(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder) as kept:
            kept.instances.create(SPACE, "one", own(size=1), ADA)
        with owning(beside, data_folder, post_save=fails(RuntimeError("no"))) as kept:
            with pytest.raises(HookFailed):
                kept.instances.update(SPACE, "one", own(size=2), Condition(), ADA)
            assert kept.instances.get(SPACE, "one", ADA).metadata == {"size": 1}
            assert [value["metadata"]["size"] for _, value, _ in kept.history("one")] == [1, 2, 1]

    def test_after_a_removal_put_it_back(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, post_delete=fails(ValueError("needed"))) as kept:
            kept.instances.create(SPACE, "one", own(size=1, password="PASS"), ADA)
            with pytest.raises(HookFailed, match="needed"):
                kept.instances.remove(SPACE, "one", Condition(), ADA)
            assert kept.instances.objects(SPACE).get("one").metadata == {"size": 1, "password": "PASS"}

    def test_undo_nothing_that_somebody_else_saved_meanwhile(self, beside: Catalog, data_folder: Path) -> None:
        def meddle(made: Any) -> None:
            if made.metadata["size"] == 2:
                kept.instances.update(SPACE, "one", thing("Theirs", size=7), Condition(), ADA)
                raise ValueError("no")

        with owning(beside, data_folder, post_save=meddle) as kept:
            kept.instances.create(SPACE, "one", own(size=1), ADA)
            with pytest.raises(HookFailed) as told:
                kept.instances.update(SPACE, "one", own(size=2), Condition(), ADA)
            assert not told.value.undone
            assert kept.instances.get(SPACE, "one", ADA).display_name == "Theirs"

    def test_may_migrate_while_they_load(self, beside: Catalog, data_folder: Path) -> None:
        def migrate(made: Any) -> None:
            made.schema_name = "thing"
            kept.instances.objects(SPACE).update(made.name, made, for_migration=True)

        with owning(beside, data_folder) as kept:
            kept.instances.create(SPACE, "one", own(size=1), ADA)
        with owning(beside, data_folder, on_load=migrate) as kept:
            found = kept.instances.get(SPACE, "one", ADA)
            assert (found.schema_name, found.version) == ("thing", 2)
            assert kept.instances.update(SPACE, "one", thing(size=9), Condition(version=2), ADA).version == 3

    def test_that_fail_to_load_harm_only_their_own_instance(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder) as kept:
            kept.instances.create(SPACE, "bad", own(), ADA)
            kept.instances.create(SPACE, "good", thing(), ADA)
        with owning(beside, data_folder, on_load=fails(RuntimeError("no"))) as kept:
            assert [one.name for one in kept.instances.list(SPACE)] == ["good"]
            assert [one.reason for one in kept.instances.list(SPACE, invalid=True)] == ["RuntimeError", ""]
            with pytest.raises(HookFailed):
                kept.instances.get(SPACE, "bad", ADA)
            kept.instances.remove(SPACE, "bad", Condition(), ADA)


class TestObjects:
    def test_raise_what_a_hook_raised(self, beside: Catalog, data_folder: Path) -> None:
        with owning(beside, data_folder, post_save=fails(KeyError("mine"))) as kept:
            made = Plain(**own(size=1), name="one")
            with pytest.raises(KeyError, match="mine"):
                kept.instances.objects(SPACE).create("one", made)
            assert kept.instances.objects(SPACE).get_all() == []

    def test_are_saved_loaded_and_removed(self, kept: Shelf) -> None:
        objects = kept.instances.objects(SPACE)
        made = objects.create(None, Plain(**thing("First one", password="PASS")))
        assert (made.name, made.metadata) == ("first_one", {"password": "PASS", "size": 1})
        made.metadata["size"] = 2
        assert objects.update("first_one", made).metadata == {"password": "PASS", "size": 2}
        assert [one.name for one in objects.get_all(of_schema="thing")] == ["first_one"]
        assert objects.get_all(of_schema="open") == []
        objects.remove("first_one")
        with pytest.raises(InstanceNotFound):
            objects.get("first_one")

    def test_that_are_not_valid_are_given_with_their_reason_when_asked(self, files: Shelf) -> None:
        for name, text in {"torn": "{", "wrong": '{"schema_name": "thing"}', "strange": '{"schema_name": "x"}'}.items():
            files.file(name).parent.mkdir(parents=True, exist_ok=True)
            files.file(name).write_text(text)
        objects = files.instances.objects(SPACE)
        assert objects.get_all() == []
        found = objects.get_all(include_invalid=True)
        assert [(one.name, one.schema_name, one.reason) for one in found] == [
            ("strange", "x", "SchemaNotFoundError"),
            ("torn", "{unknown}", "ValueError"),
            ("wrong", "thing", "ValidationError"),
        ]
