"""MetadataManager, used like Elyra's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError
from jupyter_colophon.elyra import (
    CatalogMetadataStore,
    FileMetadataStore,
    Metadata,
    MetadataExistsError,
    MetadataManager,
    MetadataNotFoundError,
    MetadataStore,
    SchemaNotFoundError,
)
from jupyter_colophon.elyra.metadata import Metadata as SameMetadata
from support import hook_classes

pytestmark = pytest.mark.usefixtures("things")


class Kept(MetadataStore):
    """A third-party store: a dictionary."""

    def __init__(self, schemaspace: str, **kwargs: Any) -> None:
        super().__init__(schemaspace, **kwargs)
        self.kept: dict[str, Any] = {}

    def schemaspace_exists(self) -> bool:
        return bool(self.kept)

    def fetch_instances(self, name: str | None = None, include_invalid: bool = False) -> list[dict[str, Any]]:
        if name is None:
            return [{"name": one, **document} for one, document in self.kept.items()]
        if name not in self.kept:
            raise MetadataNotFoundError(self.schemaspace, name)
        return [{"name": name, **self.kept[name]}]

    def store_instance(self, name: str, metadata: dict[str, Any], for_update: bool = False) -> dict[str, Any]:
        self.kept[name] = metadata
        return {"name": name, **metadata}

    def delete_instance(self, metadata: dict[str, Any]) -> None:
        del self.kept[metadata["name"]]


@pytest.fixture(params=["file", "somebody's"])
def manager(request: pytest.FixtureRequest) -> MetadataManager:
    store = FileMetadataStore("things") if request.param == "file" else Kept("things")
    return MetadataManager(schemaspace="things", store=store)


def a(schema_name: str = "thing", display_name: Any = "A thing", **metadata: Any) -> Metadata:
    return Metadata(display_name=display_name, schema_name=schema_name, metadata=metadata)


def test_instance_is_created_read_updated_and_removed(manager: MetadataManager) -> None:
    assert manager.schemaspace == "Things"
    assert not manager.schemaspace_exists()
    made = manager.create(None, a(size=1))
    assert (made.name, made.display_name, made.schema_name, made.metadata) == (
        "a_thing",
        "A thing",
        "thing",
        {"size": 1},
    )
    assert manager.schemaspace_exists()
    made.metadata["size"] = 2
    made.display_name = "Another name"
    assert manager.update("a_thing", made).metadata == {"size": 2}
    assert [(one.name, one.display_name) for one in manager.get_all()] == [("a_thing", "Another name")]
    manager.remove("a_thing")
    assert manager.get_all() == []


def test_documentation_example_runs() -> None:
    MetadataManager("runtimes").create(
        "kfp",
        Metadata(
            display_name="Kubeflow",
            schema_name="kfp",
            metadata={
                "api_endpoint": "http://localhost:1/pipeline",
                "api_password": "mypassword",
                "cos_endpoint": "http://localhost:2",
                "cos_bucket": "test-bucket",
                "tags": ["kfp", "v1.1"],
            },
        ),
    )
    metadata_manager = MetadataManager(schemaspace="runtimes", store=FileMetadataStore(schemaspace="runtimes"))
    runtime_configuration = metadata_manager.get("kfp")
    assert runtime_configuration.metadata["api_password"] == "mypassword"
    assert runtime_configuration.metadata["cos_auth_type"] == "USER_CREDENTIALS"


REFUSED: list[tuple[str, Callable[[MetadataManager], Any], type[Exception], str]] = [
    ("get None", lambda m: m.get(None), ValueError, "The 'name' parameter requires a value."),  # type: ignore[arg-type]
    (
        "get what is absent",
        lambda m: m.get("nope"),
        MetadataNotFoundError,
        "No such instance named 'nope' was found in the Things schemaspace.",
    ),
    (
        "remove what is absent",
        lambda m: m.remove("nope"),
        MetadataNotFoundError,
        "No such instance named 'nope' was found in the Things schemaspace.",
    ),
    (
        "update what is absent",
        lambda m: m.update("nope", a()),
        MetadataNotFoundError,
        "No such instance named 'nope' was found in the Things schemaspace.",
    ),
    (
        "create what is there",
        lambda m: [m.create("x", a()), m.create("x", a())],
        MetadataExistsError,
        "An instance named 'x' already exists in the Things schemaspace.",
    ),
    ("create nothing", lambda m: m.create("x", None), ValueError, "An instance of class 'Metadata' was not provided."),
    (
        "create a dictionary",
        lambda m: m.create("x", {"display_name": "x"}),
        TypeError,
        "'metadata' is not an instance of class 'Metadata'.",
    ),
    (
        "create without any name",
        lambda m: m.create(None, a(display_name=None)),
        ValueError,
        "Name of metadata was not provided.",
    ),
    (
        "create with a wrong name",
        lambda m: m.create("Wrong", a()),
        ValueError,
        "Name of metadata must be lowercase alphanumeric, beginning with alpha and can include "
        "embedded hyphens ('-') and underscores ('_').",
    ),
    (
        "create what is invalid",
        lambda m: m.create("x", a(size="big")),
        ValidationError,
        "Validation failed for instance 'x' using the thing schema with error: 'big' is not of type 'integer'.",
    ),
    (
        "create without a display name",
        lambda m: m.create("x", a(display_name="")),
        ValidationError,
        "Validation failed for instance 'x' using the thing schema with error: '' should be non-empty.",
    ),
    (
        "create of an unknown schema",
        lambda m: m.create("x", a("nope")),
        SchemaNotFoundError,
        "No such schema named 'nope' was found in the Things schemaspace.",
    ),
    (
        "validate without a schema",
        lambda m: m.validate("x", a(schema_name=None)),  # type: ignore[arg-type]
        ValueError,
        "Instance 'x' in the Things schemaspace is missing a 'schema_name' field!",
    ),
    (
        "validate what is invalid",
        lambda m: m.validate("x", a(size="big")),
        ValidationError,
        "Validation failed for instance 'x' using the thing schema with error: 'big' is not of type 'integer'.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), [one[1:] for one in REFUSED], ids=[one[0] for one in REFUSED])
def test_errors_have_elyra_types_and_messages(
    manager: MetadataManager, call: Callable[[MetadataManager], Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as raised:
        call(manager)
    assert str(getattr(raised.value, "message", raised.value)).lower() == words.lower()


def test_unknown_schemaspace_raises_value_error() -> None:
    with pytest.raises(ValueError, match="The schemaspace name or id 'nope' is not in the list of valid schemaspaces"):
        MetadataManager("nope")


def test_hooks_run_in_order_with_a_new_object_after_save(manager: MetadataManager) -> None:
    given = hook_classes.HookRecordingMetadata(display_name="One", schema_name="hooked", metadata={})
    made = manager.create("one", given)
    assert hook_classes.CALLS == [("pre_save", "One", False), ("post_save", "One", False), ("on_load", "One", None)]
    assert type(made) is hook_classes.HookRecordingMetadata
    assert made is not given
    assert made.own == "made before the save"
    hook_classes.CALLS.clear()
    manager.update("one", hook_classes.HookRecordingMetadata(display_name="Two", schema_name="hooked", metadata={}))
    saved = [call for call in hook_classes.CALLS if call[0] != "on_load"]
    assert saved == [("pre_save", "Two", True), ("post_save", "Two", True)]
    assert hook_classes.CALLS[-1] == ("on_load", "Two", None)
    hook_classes.CALLS.clear()
    manager.remove("one")
    assert hook_classes.CALLS == [("pre_delete", "Two", None), ("post_delete", "Two", None)]


@pytest.mark.parametrize("hook", ["pre_save", "post_save"])
def test_failed_hook_undoes_create(manager: MetadataManager, hook: str) -> None:
    hook_classes.FAILS[hook] = NotImplementedError("not today")
    with pytest.raises(NotImplementedError, match="not today"):
        manager.create("one", hook_classes.HookRecordingMetadata(display_name="One", schema_name="hooked", metadata={}))
    hook_classes.clear_recorded_hooks()
    assert manager.get_all(include_invalid=True) == []
    assert (
        manager.create(
            "one", hook_classes.HookRecordingMetadata(display_name="One", schema_name="hooked", metadata={})
        ).name
        == "one"
    )


@pytest.mark.parametrize("hook", ["pre_save", "post_save"])
def test_failed_hook_undoes_update(manager: MetadataManager, hook: str) -> None:
    manager.create(
        "one", hook_classes.HookRecordingMetadata(display_name="One", schema_name="hooked", metadata={"size": 1})
    )
    hook_classes.FAILS[hook] = ModuleNotFoundError("gone")
    with pytest.raises(ModuleNotFoundError, match="gone"):
        manager.update(
            "one", hook_classes.HookRecordingMetadata(display_name="Two", schema_name="hooked", metadata={"size": 2})
        )
    hook_classes.clear_recorded_hooks()
    assert (manager.get("one").display_name, manager.get("one").metadata) == ("One", {"size": 1})


@pytest.mark.parametrize("hook", ["pre_delete", "post_delete"])
def test_failed_hook_undoes_removal(manager: MetadataManager, hook: str) -> None:
    manager.create(
        "one", hook_classes.HookRecordingMetadata(display_name="One", schema_name="hooked", metadata={"size": 1})
    )
    hook_classes.FAILS[hook] = FileNotFoundError("where")
    with pytest.raises(FileNotFoundError, match="where"):
        manager.remove("one")
    hook_classes.clear_recorded_hooks()
    assert manager.get("one").metadata == {"size": 1}
    manager.remove("one")
    with pytest.raises(MetadataNotFoundError):
        manager.get("one")


def test_undoing_a_save_runs_no_hooks(manager: MetadataManager) -> None:
    hook_classes.FAILS["post_save"] = ValueError("no")
    with pytest.raises(ValueError, match="no"):
        manager.create("one", hook_classes.HookRecordingMetadata(display_name="One", schema_name="hooked", metadata={}))
    assert [call[0] for call in hook_classes.CALLS] == ["pre_save", "post_save"]


def test_defaults_fill_missing_members(manager: MetadataManager) -> None:
    assert manager.create("x", a("rich")).metadata == {"colour": "red"}
    assert manager.create("y", a("rich", colour="blue", deep={})).metadata == {"colour": "blue", "deep": {}}


def test_instance_may_migrate_itself_on_load(folder: Path) -> None:
    folder.mkdir(parents=True)
    path = folder / "old.json"
    path.write_text(json.dumps({"display_name": "Old", "schema_name": "migrating", "metadata": {}}))
    manager = MetadataManager("things")
    assert [one.metadata for one in manager.get_all()] == [{"size": 7}]
    assert json.loads(path.read_text())["metadata"] == {"size": 7}
    assert manager.get("old").metadata == {"size": 7}


def test_class_need_not_inherit_from_metadata(manager: MetadataManager) -> None:
    made = manager.create(
        "x", hook_classes.MetadataWithoutBaseClass(name="x", display_name="X", schema_name="duck", metadata={"size": 1})
    )
    assert type(made) is hook_classes.MetadataWithoutBaseClass
    assert made.metadata == {"size": 1}


@pytest.mark.parametrize(
    ("schema", "name"), [("noinstance", "ClassWithoutMethods"), ("noarguments", "ClassWithoutArguments")]
)
def test_invalid_class_raises_value_error(schema: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"'support.hook_classes.{name}'.*must be a subclass of 'Metadata'"):
        Metadata.from_dict("things", {"name": "x", "schema_name": schema, "metadata": {}})


def test_invalid_instances_are_omitted_or_have_a_reason(folder: Path) -> None:
    folder.mkdir(parents=True)
    files: dict[str, Any] = {
        "good": {"display_name": "Good", "schema_name": "thing", "metadata": {"size": 1}},
        "invalid": {"display_name": "Bad", "schema_name": "thing", "metadata": {"size": "x"}},
        "strange": {"display_name": "Strange", "schema_name": "nope", "metadata": {}},
        "classless": {"display_name": "Classless", "schema_name": "noinstance", "metadata": {}},
        "lost": {"display_name": "Lost", "schema_name": "nowhere", "metadata": {}},
    }
    for name, document in files.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    (folder / "torn.json").write_text('{"display_name": "To')
    manager = MetadataManager("things")
    assert [one.name for one in manager.get_all()] == ["good"]
    reasons = {one.name: (one.schema_name, one.reason) for one in manager.get_all(include_invalid=True)}
    assert reasons == {
        "good": ("thing", None),
        "invalid": ("thing", "ValidationError"),
        "strange": ("nope", "SchemaNotFoundError"),
        "classless": ("noinstance", "ValueError"),
        "lost": ("nowhere", "ImportError"),
        "torn": ("{unknown}", "ValueError"),
    }
    of_thing = manager.get_all(include_invalid=True, of_schema="thing")
    assert sorted(one.name for one in of_thing) == ["good", "invalid"]
    assert [one.name for one in manager.get_all(of_schema="thing")] == ["good"]


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("torn", ValueError, "JSON failed to load for instance 'torn' in the Things schemaspace with error: "),
        ("invalid", ValidationError, "Validation failed for instance 'invalid' using the thing schema with error: "),
        ("strange", SchemaNotFoundError, "No such schema named 'nope' was found in the "),
    ],
)
def test_invalid_instance_can_be_replaced_and_removed(
    folder: Path, name: str, kind: type[Exception], words: str
) -> None:
    folder.mkdir(parents=True)
    document: Any = {"display_name": "X", "schema_name": "thing", "metadata": {"size": "x"}}
    texts = {"torn": "{", "invalid": json.dumps(document), "strange": json.dumps(document | {"schema_name": "nope"})}
    (folder / f"{name}.json").write_text(texts[name])
    manager = MetadataManager("things")
    with pytest.raises(kind) as raised:
        manager.get(name)
    assert str(getattr(raised.value, "message", raised.value)).lower().startswith(words.lower())
    assert manager.update(name, a(size=1)).metadata == {"size": 1}
    (folder / f"{name}.json").write_text(texts[name])
    manager.remove(name)
    assert not (folder / f"{name}.json").exists()


def test_store_class_may_be_a_class_or_dotted_name() -> None:
    for chosen in (Kept, "jupyter_colophon.elyra.storage.CatalogMetadataStore"):
        manager = MetadataManager("things", metadata_store_class=chosen)
        expected = Kept if chosen is Kept else CatalogMetadataStore
        assert type(manager.metadata_store) is expected
    assert type(MetadataManager("things").metadata_store) is FileMetadataStore


def test_overridden_store_methods_are_called() -> None:
    class Loud(FileMetadataStore):
        def store_instance(self, name: str, metadata: dict[str, Any], for_update: bool = False) -> dict[str, Any]:
            return super().store_instance(name, metadata | {"display_name": "LOUD"}, for_update)

    assert MetadataManager("things", store=Loud("things")).create("x", a()).display_name == "LOUD"


def test_normalized_names_equal_those_of_elyra() -> None:
    assert MetadataManager.get_normalized_name('1 teste "rápido"') == "a_1_teste_rpido"
    assert SameMetadata is Metadata
