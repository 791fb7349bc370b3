"""Options of a schema, and how their values are parsed."""

from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.input_document import read_input_document
from jupyter_colophon.cli.instances.option import Option, create_property_option
from jupyter_colophon.cli.instances.schema_options import create_options, print_unsupported_note
from jupyter_colophon.cli.instances.values import parse_option_value

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


def test_schema_properties_become_options() -> None:
    options = _named(create_options(SCHEMA, document_required=True, metadata_required=True))
    assert list(options) == ["display_name", "version", "kind", "password", "auth", "either", "size", "loose"]
    assert [name for name, option in options.items() if option.is_required] == ["display_name", "kind", "size"]
    assert [name for name, option in options.items() if option.target == "document"] == ["display_name", "version"]
    assert [name for name, option in options.items() if option.is_secret] == ["password"]
    assert options["auth"].choices == ("NONE", "TOKEN")
    assert [name for name, option in options.items() if option.unsupported] == ["either"]


def test_properties_of_document_are_not_required_options() -> None:
    bulk = _named(create_options(SCHEMA, document_required=True, metadata_required=False))
    assert [name for name, option in bulk.items() if option.is_required] == ["display_name"]
    update = _named(create_options(SCHEMA, document_required=False, metadata_required=False))
    assert [name for name, option in update.items() if option.is_required] == []


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"metadata": {"required": "x"}}}, True])
def test_schema_without_properties_has_no_options(schema: Any) -> None:
    assert create_options(schema, document_required=True, metadata_required=True) == []


def test_help_marks_secrets_and_unsupported_keywords() -> None:
    options = create_options(SCHEMA, document_required=True, metadata_required=True)
    result = "\n".join(line for option in options for line in option.format_help())
    assert "--display_name=<string> (Required. Format: sequence of characters)\n\tWhat people call it" in result
    assert "--auth=<?> (Format: must be one of: ['NONE', 'TOKEN'])" in result
    assert "--loose=<?> (Format: JSON, or sequence of characters)" in result
    assert result.count("A secret:") == 1
    note: list[str] = []
    print_unsupported_note(options, note.append)
    assert "either" in note[0]
    assert "*** References unsupported keywords: {'oneOf'}.  See note below." in result


@pytest.mark.parametrize(
    ("definition", "text", "value"),
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
def test_value_is_parsed_by_schema_type(definition: dict[str, Any], text: str, value: Any) -> None:
    parsed = parse_option_value(create_property_option("x", definition, "metadata", required=False), text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("definition", "text", "message"),
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
def test_value_of_wrong_type_is_rejected(definition: dict[str, Any], text: str, message: str) -> None:
    with pytest.raises(InstanceCommandError) as refused:
        parse_option_value(create_property_option("x", definition, "metadata", required=False), text)
    assert message in refused.value.text
    assert refused.value.shows_help


def test_object_is_read_from_file(tmp_path: Path) -> None:
    option, file = create_property_option("x", {"type": "object"}, "metadata", required=False), tmp_path / "x.json"
    file.write_text('{"a": 1}')
    assert parse_option_value(option, str(file)) == {"a": 1}
    for wrong in ("[1]", "{", '{"a": NaN}', "\udcff"):
        file.write_bytes(wrong.encode("utf-8", "surrogateescape"))
        with pytest.raises(InstanceCommandError, match="contents as JSON"):
            parse_option_value(option, str(file))


def test_document_is_read_from_file_or_argument(tmp_path: Path) -> None:
    file = tmp_path / "my-thing.json"
    file.write_text('{"display_name": "Mine", "schema_name": "thing", "metadata": {"kind": "a"}, "version": 2}')
    bulk = read_input_document(str(file), None)
    assert bulk is not None
    assert [bulk.get_name(key) for key in ("name", "display_name", "schema_name")] == ["my-thing", "Mine", "thing"]
    assert bulk.get_metadata(frozenset()) == {"kind": "a"}
    assert bulk.get_extra_members(frozenset(["version"])) == {"version": 2}
    bare = read_input_document(None, "{'kind': 'a', 'display_name': 'Mine'}")
    assert bare is not None
    assert [bare.get_name("name"), bare.get_name("display_name")] == ["mine", "Mine"]
    assert bare.get_metadata(frozenset()) == {"kind": "a"}
    assert read_input_document(None, None) is None


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("x", "{}", "At most one of '--json' or '--file' can be set at a time."),
        (None, "", "Parameter '--json' requires a value with format JSON and no value was provided."),
        ("", None, "Parameter '--file' requires a file with format JSON and no value was provided."),
        ("/no/such", None, "Parameter '--file' requires a file with format JSON and /no/such is not a file."),
        (None, "[1]", "could not interpret the string as a dictionary"),
    ],
)
def test_invalid_document_is_rejected(file: str | None, text: str | None, message: str) -> None:
    with pytest.raises(InstanceCommandError) as refused:
        read_input_document(file, text)
    assert message in refused.value.text
