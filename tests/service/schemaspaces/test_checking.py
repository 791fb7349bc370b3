"""Validation of instances, and the messages for invalid ones (spec INST-5)."""

from typing import Any

import jsonschema
import pytest
from jsonschema import Draft7Validator
from jupyter_colophon.core.errors import InstanceInvalid, SchemaNotFound
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry
from support.third_party_packages import (
    GivenSchemasProvider,
    build_thing_document,
    build_thing_schema,
    load_things_schemaspace,
)

#: Schemas of members of `metadata`, and values that violate them.
RULES: list[tuple[dict[str, Any], Any]] = [
    ({"type": "integer"}, "seven"),
    ({"type": ["integer", "null"]}, "seven"),
    ({"type": "string", "minLength": 3}, "x"),
    ({"type": "string", "minLength": 1}, ""),
    ({"type": "string", "maxLength": 3}, "long"),
    ({"pattern": "^[^ \t]+([ \t]+[^ \t]+)*$"}, " x"),
    ({"enum": ["elyra", "rocks"]}, "x"),
    ({"const": 3.14}, 3),
    ({"multipleOf": 7}, 8),
    ({"minimum": 3}, 2),
    ({"maximum": 3}, 4),
    ({"exclusiveMinimum": 3}, 3),
    ({"exclusiveMaximum": 3}, 3),
    ({"type": "array", "minItems": 1}, []),
    ({"type": "array", "maxItems": 1}, [1, 2]),
    ({"type": "array", "uniqueItems": True}, ["a", {"b": 1}, {"b": 1}]),
    ({"items": {"type": "string"}}, ["a", 1]),
    ({"items": [{"type": "string"}], "additionalItems": False}, ["a", 1]),
    ({"contains": {"const": 1}}, [2]),
    ({"type": "object", "minProperties": 1}, {}),
    ({"type": "object", "maxProperties": 1}, {"a": 1, "b": 2}),
    ({"required": ["a", "b"]}, {"a": 1}),
    ({"additionalProperties": False}, {"a": 1}),
    ({"additionalProperties": {"type": "string"}}, {"a": 1}),
    ({"patternProperties": {"^a": {"type": "string"}}}, {"b": 1, "ab": 1}),
    ({"patternProperties": {"^a": {}}, "additionalProperties": False}, {"b": 1}),
    ({"propertyNames": {"maxLength": 1}}, {"ab": 1}),
    ({"dependencies": {"a": ["b"]}}, {"a": 1}),
    ({"oneOf": [{"type": "string"}, {"maxLength": 3}]}, "x"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1),
    ({"allOf": [{"minLength": 1}, {"pattern": "^x"}]}, "y"),
    ({"not": {"type": "string"}}, "x"),
    ({"if": {"type": "string"}, "then": {"minLength": 9}}, "x"),
    ({"$ref": "#/$defs/entry"}, "x"),
    ({"type": "string", "format": "date"}, "tomorrow"),
    (False, 1),  # type: ignore[list-item]  # a schema may be a boolean
]


def of_rule(rule: Any) -> dict[str, Any]:
    return build_thing_schema("thing", {"it": rule}, **{"$defs": {"entry": {"type": "integer"}}})


@pytest.mark.parametrize(("rule", "value"), RULES, ids=lambda one: str(one)[:40])
def test_first_error_has_jsonschema_message_and_all_have_pointers(rule: Any, value: Any) -> None:
    document = build_thing_document(it=value)
    with pytest.raises(InstanceInvalid) as raised:
        load_things_schemaspace(GivenSchemasProvider(of_rule(rule))).require_valid_document("things", "thing", document)
    oracle = Draft7Validator(of_rule(rule), format_checker=Draft7Validator.FORMAT_CHECKER)
    words = next(oracle.iter_errors(document)).message
    assert str(raised.value) == f"Validation failed for instance 'a' using the thing schema with error: {words}."
    assert raised.value.problems
    assert all(one.pointer.startswith("/metadata/it") for one in raised.value.problems)


def test_message_is_that_of_the_first_jsonschema_error() -> None:
    of = SchemaspaceRegistry()
    document = {"display_name": "", "schema_name": "code-snippet", "metadata": {"code": [1], "tags": ["a", "a"]}}
    with pytest.raises(InstanceInvalid) as raised:
        of.require_valid_document("code-snippets", "code-snippet", document | {"name": "x"})
    first = next(Draft7Validator(of.get_schema("code-snippets", "code-snippet")).iter_errors(document)).message
    assert raised.value.first == first
    assert sorted(one.pointer for one in raised.value.problems) == [
        "/display_name",
        "/metadata",
        "/metadata/code/0",
        "/metadata/tags",
    ]


def test_valid_document_has_no_failure() -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema()))
    of.require_valid_document("things", "thing", build_thing_document(size=1))
    assert of.find_validation_failure("things", "thing", build_thing_document(size=1)) is None
    assert of.format_first_message("things", "thing", build_thing_document(size=1)) == ""


def test_failure_has_elyra_reason() -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema()))
    fault = of.find_validation_failure("things", "thing", build_thing_document(size="x"))
    assert fault is not None
    assert (fault.reason, [one.pointer for one in fault.problems]) == ("ValidationError", ["/metadata/size"])
    absent = of.find_validation_failure("things", "nope", build_thing_document())
    assert absent is not None
    assert (absent.reason, [one.pointer for one in absent.problems]) == ("SchemaNotFoundError", ["/schema_name"])
    with pytest.raises(SchemaNotFound):
        of.require_valid_document("things", "nope", build_thing_document())


@pytest.mark.parametrize(
    "value", [(1, 2), {1}, object(), float("nan"), 2**70, b"x"], ids=lambda value: type(value).__name__
)
def test_non_json_document_is_invalid(value: Any) -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema("thing", {"it": {"type": "boolean"}})))
    with pytest.raises(InstanceInvalid):
        of.require_valid_document("things", "thing", build_thing_document(it=value))


SECRETS = {
    "password": {"type": "string", "format": "password", "pattern": "^[0-9]+$"},
    "auth": {"oneOf": [{"properties": {"token": {"uihints": {"secure": True}, "type": "integer"}}}]},
    "keys": {"type": "array", "uniqueItems": True, "items": {"format": "password"}},
}


@pytest.mark.parametrize(
    "metadata",
    [
        {"password": "CANARY-hunter2"},
        {"auth": {"token": "CANARY-hunter2"}},
        {"keys": ["CANARY-hunter2", "CANARY-hunter2"]},
        {"password": "CANARY\n'hunter2"},
        {"size": {"password": 1}, "password": 12345},
    ],
)
def test_messages_contain_no_secret(metadata: Any) -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema("thing", SECRETS)))
    with pytest.raises(InstanceInvalid) as raised:
        of.require_valid_document("things", "thing", build_thing_document(**metadata))
    messages = str(raised.value) + str(raised.value.problems)
    assert "CANARY" not in messages
    assert "12345" not in messages


def test_messages_contain_values_that_are_not_secret() -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema("thing", SECRETS)))
    assert (
        of.format_first_message("things", "thing", build_thing_document(size="big", password="1"))
        == "'big' is not of type 'integer'"
    )


def test_hostile_regular_expression_ends_in_time() -> None:
    of = load_things_schemaspace(
        GivenSchemasProvider(
            build_thing_schema("thing", {"it": {"pattern": "^(a+)+$"}, "by": {"patternProperties": {"^(a+)+$": False}}})
        )
    )
    text = "a" * 5_000 + "!"
    assert of.format_first_message("things", "thing", build_thing_document(it=text)).endswith(
        "does not match '^(a+)+$'"
    )
    assert (
        of.format_first_message("things", "thing", build_thing_document(by={text: 1, "aa": 2}))
        == "False schema does not allow 2"
    )


class Strict(GivenSchemasProvider):
    """A provider with its own validator."""

    def get_validator(self, schema: dict[str, Any]) -> Any:
        class Validator:
            def validate(self, document: dict[str, Any]) -> None:
                if document["metadata"].get("size") == 13:
                    raise jsonschema.ValidationError("13 brings bad luck\nreally", path=["metadata", "size"])
                if document["metadata"].get("size") == 0:
                    raise ZeroDivisionError("oh")

        return Validator()


def test_slow_jsonschema_check_falls_back_to_other_message() -> None:
    lines = {"type": "array", "items": {"type": "string", "pattern": "^li"}}
    found = load_things_schemaspace(
        GivenSchemasProvider(build_thing_schema("thing", {"lines": lines, "it": {"type": "integer"}}))
    )
    for count, words in ((10, "'x' is not of type 'integer'"), (90_000, 'the value is not of type "integer"')):
        with pytest.raises(InstanceInvalid) as raised:
            found.require_valid_document("things", "thing", build_thing_document(it="x", lines=["line"] * count))
        assert words in str(raised.value)
        assert [one.pointer for one in raised.value.problems] == ["/metadata/it"]


def test_provider_validator_replaces_the_default() -> None:
    of = load_things_schemaspace(Strict(build_thing_schema()))
    assert of.find_validation_failure("things", "thing", build_thing_document(size="not an integer")) is None
    with pytest.raises(InstanceInvalid) as raised:
        of.require_valid_document("things", "thing", build_thing_document(size=13))
    assert raised.value.first == "13 brings bad luck"
    assert [one.pointer for one in raised.value.problems] == ["/metadata/size"]
    fault = of.find_validation_failure("things", "thing", build_thing_document(size=0))
    assert fault is not None
    assert fault.reason == "ValidationError"


def test_all_errors_of_a_provider_validator_are_returned() -> None:
    class Usual(GivenSchemasProvider):
        def get_validator(self, schema: dict[str, Any]) -> Any:
            return jsonschema.Draft202012Validator(schema)

    of = load_things_schemaspace(Usual(build_thing_schema("thing", {"a": {"type": "null"}})))
    fault = of.find_validation_failure("things", "thing", build_thing_document(a=1, size="x") | {"display_name": ""})
    assert fault is not None
    assert sorted(one.pointer for one in fault.problems) == ["/display_name", "/metadata/a", "/metadata/size"]
    assert all("x" not in one.message.split("`") for one in fault.problems)


def test_failed_validator_creation_rejects_the_schema() -> None:
    class Failing(GivenSchemasProvider):
        def get_validator(self, schema: dict[str, Any]) -> Any:
            raise RuntimeError("no validator today")

    (problem,) = load_things_schemaspace(Failing(build_thing_schema())).list_loading_problems()
    assert (problem.kind, problem.reason) == ("schema", "RuntimeError: no validator today")
