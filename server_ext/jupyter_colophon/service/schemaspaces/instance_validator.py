"""Whether a document is a valid instance of a schema, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Protocol

from jupyter_colophon.core.documents.json_schema import MAX_PROBLEMS, Dialect, Schema
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.documents.secret_locations import Place, secret_places, secrets_in
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.service.schemaspaces.elyra_messages import first_words, hides_all


class Checker(Protocol):
    """Holds documents against one schema."""

    def problems(self, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """All that is wrong, with pointers into the document; no value of it in any message."""

    def first(self, document: Mapping[str, Any], problems: tuple[Problem, ...]) -> str:
        """The first of it as Elyra's clients are told; no secret in it."""


class SchemaChecker:
    """By jsonschema-rs, compiled once; jsonschema finds the words for the first error (spec INST-5)."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._schema = Schema(document, dialect=Dialect.DRAFT_7)

    def problems(self, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """All that is wrong."""
        try:
            return () if self._schema.is_valid(document) else self._schema.problems(document)
        except (TypeError, ValueError, RecursionError):
            return (Problem("", "it is no JSON document"),)

    def first(self, document: Mapping[str, Any], problems: tuple[Problem, ...]) -> str:
        """In jsonschema's words, unless they would show a secret."""
        words = first_words(self._document, document, problems)
        return words if hides_all(words, _secrets(document, self._document)) else _plain(problems)


class ForeignChecker:
    """By the validator that a provider made instead (spec INST-5): jsonschema's, or one alike."""

    def __init__(self, document: Mapping[str, Any], validator: Any) -> None:
        self._document, self._validator = document, validator

    def problems(self, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """What it finds, without its words: they may show values."""
        return tuple(
            Problem(pointer, f"the value does not satisfy {rule}") for pointer, rule, _ in self._found(document)
        )

    def first(self, document: Mapping[str, Any], problems: tuple[Problem, ...]) -> str:
        """In its words, unless they would show a secret."""
        words = next((words for _, _, words in self._found(document)), "it is not valid")
        return words if hides_all(words, _secrets(document, self._document)) else _plain(problems)

    def _found(self, document: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        try:
            if hasattr(self._validator, "iter_errors"):
                return [_told(error) for error in islice(self._validator.iter_errors(document), MAX_PROBLEMS)]
            self._validator.validate(document)
        except Exception as error:  # noqa: BLE001  it is how such a validator says no, and it may fail as well
            return [_told(error)]
        return []


def places(schema: Mapping[str, Any]) -> tuple[Place, ...]:
    """Which places of `metadata` are secret."""
    return secret_places(_metadata(schema), schema)


def secrets_of_metadata(schema: Mapping[str, Any], metadata: Any) -> tuple[tuple[str, ...], ...]:
    """The words of a pointer into this `metadata` for every secret in it."""
    return secrets_in(metadata, _metadata(schema), schema)


def _metadata(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema["properties"]["metadata"]
    return found if isinstance(found, Mapping) else {}


def _secrets(document: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """The values of all secrets of a document, be it valid or not."""
    for words in secrets_in(document, schema, schema):
        value = document
        for word in words:
            value = value[int(word)] if isinstance(value, list | tuple) else value[word]
        yield value


def _told(error: Exception) -> tuple[str, str, str]:
    path = [str(step) for step in getattr(error, "absolute_path", None) or ()]
    rule = getattr(error, "validator", None)
    words = str(getattr(error, "message", error)).partition("\n")[0]
    return written(path), f"`{rule}`" if isinstance(rule, str) else "its schema", words


def _plain(problems: tuple[Problem, ...]) -> str:
    return problems[0].message if problems else "it is not valid"
