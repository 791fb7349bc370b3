"""Options that are made of a schema, and the values that words mean for them."""

from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.cli.instances.bulk import bulk_of
from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option, of_property
from jupyter_colophon.cli.instances.schema_options import composed_note, options_of
from jupyter_colophon.cli.instances.values import value_of

SCHEMA: dict[str, Any] = {
    "properties": {
        "schema_name": {"type": "string", "const": "thing"},
        "display_name": {"type": "string", "description": "What people call it"},
        "version": {"type": "integer"},
        "metadata": {
            "type": "object",
            "properties": {
                "kind": {"enum": ["a", "b"], "type": "string"},
                "password": {"type": "string", "format": "password"},
                "auth": {"oneOf": [{"const": "NONE", "title": "None"}, {"const": "TOKEN", "title": "Token"}]},
                "either": {"type": "object", "oneOf": [{"required": ["x"]}, {"required": ["y"]}]},
                "size": {"type": "integer", "default": 3},
                "name": {"type": "string"},
                "loose": True,
            },
            "required": ["kind", "size"],
        },
    },
    "required": ["schema_name", "display_name", "metadata"],
}


def _named(options: list[Option]) -> dict[str, Option]:
    return {option.name: option for option in options}


def test_a_schema_makes_an_option_of_each_property() -> None:
    options = _named(options_of(SCHEMA, creates=True, whole=True))
    assert list(options) == ["display_name", "version", "kind", "password", "auth", "either", "size", "loose"]
    assert [name for name, option in options.items() if option.is_required] == ["display_name", "kind", "size"]
    assert [name for name, option in options.items() if option.target == "document"] == ["display_name", "version"]
    assert [name for name, option in options.items() if option.is_secret] == ["password"]
    assert options["auth"].choices == ("NONE", "TOKEN")
    assert [name for name, option in options.items() if option.composing] == ["either"]


def test_what_comes_whole_or_is_there_already_is_not_required_again() -> None:
    bulk = _named(options_of(SCHEMA, creates=True, whole=False))
    assert [name for name, option in bulk.items() if option.is_required] == ["display_name"]
    update = _named(options_of(SCHEMA, creates=False, whole=False))
    assert [name for name, option in update.items() if option.is_required] == []


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"metadata": {"required": "x"}}}, True])
def test_a_schema_that_says_little_makes_no_options(schema: Any) -> None:
    assert options_of(schema, creates=True, whole=True) == []


def test_help_tells_a_secret_and_what_options_cannot_say() -> None:
    options = options_of(SCHEMA, creates=True, whole=True)
    told = "\n".join(line for option in options for line in option.lines())
    assert "--display_name=<string> (Required. Format: sequence of characters)\n\tWhat people call it" in told
    assert "--auth=<?> (Format: must be one of: ['NONE', 'TOKEN'])" in told
    assert "--loose=<?> (Format: JSON, or sequence of characters)" in told
    assert told.count("A secret:") == 1
    note: list[str] = []
    composed_note(options, note.append)
    assert "either" in note[0]
    assert "*** References unsupported keywords: {'oneOf'}.  See note below." in told


@pytest.mark.parametrize(
    ("says", "text", "value"),
    [
        ({"type": "string"}, "1", "1"),
        ({"type": "string"}, "", ""),
        ({"type": "integer"}, "-5", -5),
        ({"type": "number"}, "7", 7),
        ({"type": "number"}, "7.5", 7.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "0", False),
        ({"type": "boolean"}, "maybe", "maybe"),
        ({"type": "null"}, "None", None),
        ({"type": "null"}, "null", None),
        ({"type": "array"}, "['a','b']", ["a", "b"]),
        ({"type": "array"}, '["a", true, null]', ["a", True, None]),
        ({"type": "array"}, "[1, True]", [1, True]),
        ({"type": "array"}, "a,b", ["a", "b"]),
        ({"type": "array"}, "", []),
        ({"type": "array", "items": {"type": "string"}}, "1,2", ["1", "2"]),
        ({"type": "array", "items": {"type": "integer"}}, "1, 2", [1, 2]),
        ({"type": "object"}, "{'a': 1, 'b': (2, 3)}", {"a": 1, "b": [2, 3]}),
        ({"type": "object"}, '{"a": true}', {"a": True}),
        ({}, "{'a': 1}", {"a": 1}),
        ({}, "42", 42),
        ({}, "plain words", "plain words"),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["string", "integer"]}, "5", 5),
        ({"type": ["string", "integer"]}, "five", "five"),
        ({"type": ["string", "array"]}, "a,b", "a,b"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": [True, "x"]}, "true", True),
        ({"type": "string", "enum": ["a"]}, "z", "z"),
        ({"$ref": "#/$defs/x"}, "42", 42),
    ],
)
def test_a_word_means_what_the_schema_says(says: dict[str, Any], text: str, value: Any) -> None:
    meant = value_of(of_property("x", says, "metadata", required=False), text)
    assert meant == value
    assert type(meant) is type(value)


@pytest.mark.parametrize(
    ("says", "text", "told"),
    [
        (
            {"type": "integer"},
            "1.5",
            "Parameter '--x' requires an integer with format: 'n' where 'n' is an integer and \"1.5\" was",
        ),
        ({"type": "number"}, "many", "Parameter '--x' requires a number"),
        ({"type": "number"}, "1e999", "Parameter '--x' requires a number"),
        ({"type": "array"}, "[1, 2", "Parameter '--x' requires an array"),
        ({"type": "object"}, "[1]", "could not interpret the string as a dictionary and got a <class 'list'> instead"),
        ({"type": "object"}, "nothing", "attempting to interpret the string as JSON"),
        ({"type": "object"}, "__import__('os').getcwd()", "attempting to interpret the string as JSON"),
        ({"type": "object"}, "{'a': 1e999}", "attempting to interpret the string as JSON"),
        ({"type": "object"}, "{" * 100_000, "attempting to interpret the string as JSON"),
    ],
)
def test_a_word_that_can_mean_nothing_is_refused(says: dict[str, Any], text: str, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        value_of(of_property("x", says, "metadata", required=False), text)
    assert told in refused.value.text
    assert refused.value.shows_help


def test_an_object_may_be_in_a_file(tmp_path: Path) -> None:
    option, file = of_property("x", {"type": "object"}, "metadata", required=False), tmp_path / "x.json"
    file.write_text('{"a": 1}')
    assert value_of(option, str(file)) == {"a": 1}
    for wrong in ("[1]", "{", '{"a": NaN}', "\udcff"):
        file.write_bytes(wrong.encode("utf-8", "surrogateescape"))
        with pytest.raises(Refusal, match="contents as JSON"):
            value_of(option, str(file))


def test_a_whole_document_comes_from_a_file_or_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "my-thing.json"
    file.write_text('{"display_name": "Mine", "schema_name": "thing", "metadata": {"kind": "a"}, "version": 2}')
    bulk = bulk_of(str(file), None)
    assert bulk is not None
    assert [bulk.word(key) for key in ("name", "display_name", "schema_name")] == ["my-thing", "Mine", "thing"]
    assert bulk.metadata(frozenset()) == {"kind": "a"}
    assert bulk.beside(frozenset(["version"])) == {"version": 2}
    bare = bulk_of(None, "{'kind': 'a', 'display_name': 'Mine'}")
    assert bare is not None
    assert [bare.word("name"), bare.word("display_name")] == ["mine", "Mine"]
    assert bare.metadata(frozenset()) == {"kind": "a"}
    assert bulk_of(None, None) is None


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("x", "{}", "At most one of '--json' or '--file' can be set at a time."),
        (None, "", "Parameter '--json' requires a value with format JSON and no value was provided."),
        ("", None, "Parameter '--file' requires a file with format JSON and no value was provided."),
        ("/no/such", None, "Parameter '--file' requires a file with format JSON and /no/such is not a file."),
        (None, "[1]", "could not interpret the string as a dictionary"),
    ],
)
def test_a_whole_document_that_is_none_is_refused(file: str | None, text: str | None, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        bulk_of(file, text)
    assert told in refused.value.text
