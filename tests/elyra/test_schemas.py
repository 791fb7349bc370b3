"""SchemaManager, Schemaspace and SchemasProvider, used like Elyra's."""

import copy
import threading
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import ValidationError
from jupyter_colophon.elyra import SchemaManager, SchemaNotFoundError, Schemaspace, SchemasProvider
from support.third_party_packages import (
    ID,
    OTHER_ID,
    FakeEntryPoint,
    GivenSchemasProvider,
    build_thing_document,
    build_thing_schema,
)


class Ours(Schemaspace):
    """A schemaspace written for Elyra."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(ID, "Things", display_name="All things", **kwargs)


def test_manager_is_a_singleton_and_omits_deprecated_schemaspaces() -> None:
    manager = SchemaManager.instance()
    assert SchemaManager.instance() is manager
    shipped = ["code-snippets", "component-catalogs", "pipelines", "runtime-images", "runtimes", "saved-searches"]
    assert sorted(manager.get_schemaspace_names()) == shipped
    everything = manager.get_schemaspace_names(include_deprecated=True)
    assert sorted(everything) == sorted([*shipped, "component-registries"])


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.get_schemaspace("nope"),
        lambda m: m.get_schemaspace_name("nope"),
        lambda m: m.get_schemaspace_schemas("nope"),
        lambda m: m.get_schema("nope", "thing"),
        lambda m: m.validate_instance("nope", "thing", {}),
    ],
)
def test_unknown_schemaspace_raises_value_error(call: Callable[[Any], Any]) -> None:
    words = "The schemaspace name or id 'nope' is not in the list of valid schemaspaces: "
    with pytest.raises(ValueError, match=words):
        call(SchemaManager.instance())


def test_unknown_schema_error_contains_its_name(register: Callable[..., None]) -> None:
    register(GivenSchemasProvider(build_thing_schema()))
    with pytest.raises(SchemaNotFoundError) as raised:
        SchemaManager.instance().get_schema("things", "nope")
    assert str(raised.value) == "No such schema named 'nope' was found in the things schemaspace."


def test_returned_schemas_are_copies(register: Callable[..., None]) -> None:
    register(GivenSchemasProvider(build_thing_schema()), space=Ours)
    manager = SchemaManager.instance()
    for change in (
        lambda: manager.get_schema("things", "thing"),
        lambda: manager.get_schemaspace_schemas("things")["thing"],
        lambda: manager.get_schemaspace("things").schemas["thing"],
    ):
        change()["properties"].clear()
    assert manager.get_schema(ID, "thing")["properties"]
    assert manager.get_schemaspace(ID).schemas["thing"]["properties"]


def test_schemaspace_lists_its_schemas_without_deprecated_ones(
    register: Callable[..., None],
) -> None:
    register(GivenSchemasProvider(build_thing_schema(), build_thing_schema("old", deprecated=True)), space=Ours)
    manager = SchemaManager.instance()
    space = manager.get_schemaspace("THINGS")
    assert (space.id, space.name, space.display_name, space.description) == (ID, "Things", "All things", "")
    assert sorted(space.schemas) == ["old", "thing"]
    assert (space.is_deprecated, space.deprecated_schema_names) == (False, ["old"])
    assert list(manager.get_schemaspace_schemas("things")) == ["thing"]
    assert manager.get_schema("things", "old")["deprecated"]
    assert manager.get_schemaspace_name("things") == "Things"
    assert sorted(manager.get_schemasproviders(ID)) == ["old", "thing"]


def test_schemaspace_with_uncopyable_attribute_is_returned(register: Callable[..., None]) -> None:
    class Foreign:
        """A class without a known base, whose objects cannot be copied."""

        id, name = OTHER_ID, "others"

        def __init__(self, parent: Any = None) -> None:
            self.lock = threading.Lock()
            self.schemas: dict[str, Any] = {}

        def add_schema(self, schema: dict[str, Any]) -> None:
            self.schemas[schema["name"]] = schema

    register(GivenSchemasProvider(build_thing_schema(schemaspace="others", schemaspace_id=OTHER_ID)), space=Foreign)
    assert list(SchemaManager.instance().get_schemaspace("others").schemas) == ["thing"]

    class Held(Ours):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.lock = threading.Lock()

    register(GivenSchemasProvider(build_thing_schema()), space=Held)
    held = SchemaManager.instance().get_schemaspace("things")
    assert list(copy.deepcopy(held).schemas) == ["thing"]


def test_validation_raises_jsonschema_error(register: Callable[..., None]) -> None:
    register(GivenSchemasProvider(build_thing_schema()))
    manager = SchemaManager.instance()
    manager.validate_instance("things", "thing", build_thing_document(size=1))
    with pytest.raises(ValidationError) as raised:
        manager.validate_instance("things", "thing", build_thing_document(size="x"))
    assert raised.value.message == "'x' is not of type 'integer'"


def test_clear_all_reloads_schemas_from_providers(register: Callable[..., None]) -> None:
    answers = [[build_thing_schema(title="first")], [build_thing_schema(title="second")]]
    register(GivenSchemasProvider(asks=lambda: answers.pop(0)))
    manager = SchemaManager.instance()
    assert manager.get_schema("things", "thing")["title"] == "first"
    manager.clear_all()
    assert manager.get_schema("things", "thing")["title"] == "second"


def test_only_allowed_packages_are_loaded(register: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SchemaManager, "_packages", ())
    register(FakeEntryPoint("p", GivenSchemasProvider(build_thing_schema())))
    SchemaManager.allow(["another-package"])
    assert "things" not in SchemaManager.instance().get_schemaspace_names()
    SchemaManager.allow(["somebodys_package"])
    SchemaManager.instance().clear_all()
    assert "things" in SchemaManager.instance().get_schemaspace_names()


@pytest.mark.parametrize(
    ("identity", "name", "words"),
    [
        ("", "things", "Property 'id' requires a value!"),
        ("7", "things", "The value of property 'id' (7) does not conform to a UUID!"),
        (ID + "\n", "things", "does not conform to a UUID!"),
        (ID, "", "Property 'name' requires a value!"),
        (ID, "a.b", "The 'name' property (a.b) must be alphanumeric with dash or underscore only!"),
        (ID, "ab\n", "must be alphanumeric with dash or underscore only!"),
    ],
)
def test_schemaspace_requires_uuid_and_name(identity: str, name: str, words: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  the message is checked below
        Schemaspace(identity, name)
    assert words in str(raised.value)


def test_schemaspace_display_name_defaults_to_its_name() -> None:
    space = Schemaspace(ID, "Things")
    assert (space.display_name, space.description) == ("Things", "")
    with pytest.raises(AssertionError):
        space.add_schema("no schema")  # type: ignore[arg-type]


def test_provider_has_default_validator() -> None:
    class Usual(SchemasProvider):
        def get_schemas(self) -> list[dict[str, Any]]:
            return []

    usual = Usual()
    assert usual.migrate(schema_name="x", schemaspace_name="y") == []
    validator = usual.get_validator({"format": "date"})
    assert [one.message for one in validator.iter_errors("tomorrow")] == ["'tomorrow' is not a 'date'"]
    usual.log.info("a provider has a log")


def test_schemaspace_migrates_instances_through_its_providers(register: Callable[..., None]) -> None:
    class Migrating(GivenSchemasProvider):
        def migrate(self, *args: Any, **kwargs: Any) -> list[str]:
            return [f"{kwargs['schemaspace_name']}/{kwargs['schema_name']}"]

    register(Migrating(build_thing_schema()), space=Ours)
    assert SchemaManager.instance().get_schemaspace("things").migrate() == ["Things/thing"]
