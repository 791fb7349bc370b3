"""Validate documents against the schema of an instance."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Protocol

from jupyter_colophon.core.documents.json_schema import MAX_PROBLEMS, Schema, SchemaDialect
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.documents.secret_locations import (
    SecretPath,
    find_secret_paths_in_schema,
    find_secret_paths_in_value,
)
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.service.schemaspaces.elyra_messages import format_first_jsonschema_error, has_no_secret


class InstanceValidator(Protocol):
    """Validates documents against one schema."""

    def find_problems(self, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Return all problems, with pointers into the document; messages contain no values."""

    def format_first_elyra_message(self, document: Mapping[str, Any], problems: tuple[Problem, ...]) -> str:
        """Return the first problem as Elyra's clients know it, without secrets."""


class SchemaValidator:
    """Validates with jsonschema-rs, compiled once; jsonschema words the first error (spec INST-5)."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._schema = Schema(document, dialect=SchemaDialect.DRAFT_7)

    def find_problems(self, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Return all problems."""
        try:
            return () if self._schema.is_valid(document) else self._schema.find_all_problems(document)
        except (TypeError, ValueError, RecursionError):
            return (Problem("", "not a JSON document"),)

    def format_first_elyra_message(self, document: Mapping[str, Any], problems: tuple[Problem, ...]) -> str:
        """Return the first problem in jsonschema's words, unless they contain a secret."""
        words = format_first_jsonschema_error(self._document, document, problems)
        return (
            words
            if has_no_secret(words, _iterate_secret_values(document, self._document))
            else _get_first_problem_message(problems)
        )


class ThirdPartyValidator:
    """Validates with a validator that a provider created (spec INST-5): jsonschema's, or a similar one."""

    def __init__(self, document: Mapping[str, Any], validator: Any) -> None:
        self._document, self._validator = document, validator

    def find_problems(self, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Return its problems without its messages, which may contain values."""
        return tuple(
            Problem(pointer, f"the value does not satisfy {rule}")
            for pointer, rule, _ in self._list_validator_errors(document)
        )

    def format_first_elyra_message(self, document: Mapping[str, Any], problems: tuple[Problem, ...]) -> str:
        """Return its first message, unless that contains a secret."""
        words = next((words for _, _, words in self._list_validator_errors(document)), "not a valid instance")
        return (
            words
            if has_no_secret(words, _iterate_secret_values(document, self._document))
            else _get_first_problem_message(problems)
        )

    def _list_validator_errors(self, document: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        try:
            if hasattr(self._validator, "iter_errors"):
                return [
                    _split_validator_error(error)
                    for error in islice(self._validator.iter_errors(document), MAX_PROBLEMS)
                ]
            self._validator.validate(document)
        except Exception as error:  # noqa: BLE001  such validators raise for invalid documents, and may fail too
            return [_split_validator_error(error)]
        return []


def find_secret_locations_of_metadata(schema: Mapping[str, Any]) -> tuple[SecretPath, ...]:
    """Return the secret locations of `metadata`."""
    return find_secret_paths_in_schema(_get_metadata_schema(schema), schema)


def find_secret_paths_in_metadata(schema: Mapping[str, Any], metadata: Any) -> tuple[tuple[str, ...], ...]:
    """Return the path of every secret in this `metadata`."""
    return find_secret_paths_in_value(metadata, _get_metadata_schema(schema), schema)


def _get_metadata_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata_schema = schema["properties"]["metadata"]
    return metadata_schema if isinstance(metadata_schema, Mapping) else {}


def _iterate_secret_values(document: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the values of all secrets of a document, valid or not."""
    for words in find_secret_paths_in_value(document, schema, schema):
        value = document
        for word in words:
            value = value[int(word)] if isinstance(value, list | tuple) else value[word]
        yield value


def _split_validator_error(error: Exception) -> tuple[str, str, str]:
    path = [str(step) for step in getattr(error, "absolute_path", None) or ()]
    rule = getattr(error, "validator", None)
    words = str(getattr(error, "message", error)).partition("\n")[0]
    return format_pointer(path), f"`{rule}`" if isinstance(rule, str) else "its schema", words


def _get_first_problem_message(problems: tuple[Problem, ...]) -> str:
    return problems[0].message if problems else "not a valid instance"
