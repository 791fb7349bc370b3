"""SchemaManager, Schemaspace and SchemasProvider, as code that was written for Elyra uses them."""

import copy
import threading
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import ValidationError
from jupyter_colophon.elyra import SchemaManager, SchemaNotFoundError, Schemaspace, SchemasProvider
from support.strangers import ID, OTHER_ID, Entry, Provider, schema, thing


class Ours(Schemaspace):
    """A schemaspace as it is written for Elyra."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(ID, "Things", display_name="All things", **kwargs)


def test_there_is_one_manager_which_lists_schemaspaces_without_deprecated_ones() -> None:
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
def test_an_unknown_schemaspace_is_a_value_error(call: Callable[[Any], Any]) -> None:
    words = "The schemaspace name or id 'nope' is not in the list of valid schemaspaces: "
    with pytest.raises(ValueError, match=words):
        call(SchemaManager.instance())


def test_an_unknown_schema_is_told_by_its_name(register: Callable[..., None]) -> None:
    register(Provider(schema()))
    with pytest.raises(SchemaNotFoundError) as raised:
        SchemaManager.instance().get_schema("things", "nope")
    assert str(raised.value) == "No such schema named 'nope' was found in the things schemaspace."


def test_what_is_returned_is_a_copy(register: Callable[..., None]) -> None:
    register(Provider(schema()), space=Ours)
    manager = SchemaManager.instance()
    for change in (
        lambda: manager.get_schema("things", "thing"),
        lambda: manager.get_schemaspace_schemas("things")["thing"],
        lambda: manager.get_schemaspace("things").schemas["thing"],
    ):
        change()["properties"].clear()
    assert manager.get_schema(ID, "thing")["properties"]
    assert manager.get_schemaspace(ID).schemas["thing"]["properties"]


def test_a_schemaspace_comes_with_its_schemas_and_deprecated_ones_are_left_out_of_lists(
    register: Callable[..., None],
) -> None:
    register(Provider(schema(), schema("old", deprecated=True)), space=Ours)
    manager = SchemaManager.instance()
    space = manager.get_schemaspace("THINGS")
    assert (space.id, space.name, space.display_name, space.description) == (ID, "Things", "All things", "")
    assert sorted(space.schemas) == ["old", "thing"]
    assert (space.is_deprecated, space.deprecated_schema_names) == (False, ["old"])
    assert list(manager.get_schemaspace_schemas("things")) == ["thing"]
    assert manager.get_schema("things", "old")["deprecated"]
    assert manager.get_schemaspace_name("things") == "Things"
    assert sorted(manager.get_schemasproviders(ID)) == ["old", "thing"]


def test_a_schemaspace_that_holds_on_to_a_server_is_returned_all_the_same(register: Callable[..., None]) -> None:
    class Foreign:
        """Of nobody's class; it cannot be copied."""

        id, name = OTHER_ID, "others"

        def __init__(self, parent: Any = None) -> None:
            self.lock = threading.Lock()
            self.schemas: dict[str, Any] = {}

        def add_schema(self, schema: dict[str, Any]) -> None:
            self.schemas[schema["name"]] = schema

    register(Provider(schema(schemaspace="others", schemaspace_id=OTHER_ID)), space=Foreign)
    assert list(SchemaManager.instance().get_schemaspace("others").schemas) == ["thing"]

    class Held(Ours):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.lock = threading.Lock()

    register(Provider(schema()), space=Held)
    held = SchemaManager.instance().get_schemaspace("things")
    assert list(copy.deepcopy(held).schemas) == ["thing"]


def test_validation_raises_the_error_of_jsonschema(register: Callable[..., None]) -> None:
    register(Provider(schema()))
    manager = SchemaManager.instance()
    manager.validate_instance("things", "thing", thing(size=1))
    with pytest.raises(ValidationError) as raised:
        manager.validate_instance("things", "thing", thing(size="x"))
    assert raised.value.message == "'x' is not of type 'integer'"


def test_clearing_asks_the_providers_anew(register: Callable[..., None]) -> None:
    answers = [[schema(title="first")], [schema(title="second")]]
    register(Provider(asks=lambda: answers.pop(0)))
    manager = SchemaManager.instance()
    assert manager.get_schema("things", "thing")["title"] == "first"
    manager.clear_all()
    assert manager.get_schema("things", "thing")["title"] == "second"


def test_only_allowed_packages_are_loaded(register: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SchemaManager, "_packages", ())
    register(Entry("p", Provider(schema())))
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
def test_a_schemaspace_needs_a_uuid_and_a_name(identity: str, name: str, words: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  the words are looked at below
        Schemaspace(identity, name)
    assert words in str(raised.value)


def test_a_schemaspace_is_called_by_its_name_unless_it_says_otherwise() -> None:
    space = Schemaspace(ID, "Things")
    assert (space.display_name, space.description) == ("Things", "")
    with pytest.raises(AssertionError):
        space.add_schema("no schema")  # type: ignore[arg-type]


def test_a_provider_of_the_usual_kind_has_the_usual_validator() -> None:
    class Usual(SchemasProvider):
        def get_schemas(self) -> list[dict[str, Any]]:
            return []

    usual = Usual()
    assert usual.migrate(schema_name="x", schemaspace_name="y") == []
    validator = usual.get_validator({"format": "date"})
    assert [one.message for one in validator.iter_errors("tomorrow")] == ["'tomorrow' is not a 'date'"]
    usual.log.info("a provider has a log")


def test_a_schemaspace_migrates_its_instances_by_its_providers(register: Callable[..., None]) -> None:
    class Migrating(Provider):
        def migrate(self, *args: Any, **kwargs: Any) -> list[str]:
            return [f"{kwargs['schemaspace_name']}/{kwargs['schema_name']}"]

    register(Migrating(schema()), space=Ours)
    assert SchemaManager.instance().get_schemaspace("things").migrate() == ["Things/thing"]
