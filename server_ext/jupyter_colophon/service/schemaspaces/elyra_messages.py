"""Format the first validation error like jsonschema, as Elyra's clients expect (spec INST-5).

jsonschema-rs decides whether a document is valid. jsonschema takes a second to import, and its regular expressions may
not terminate; so it is used for the message only, with a time limit, and slow checks are delegated to jsonschema-rs.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from threading import local
from time import thread_time
from typing import Any, cast

from jupyter_colophon.core.documents.json_schema import TOO_MUCH, Schema, SchemaDialect
from jupyter_colophon.core.errors import Problem

#: The time limit for jsonschema's message, in seconds of CPU time of the thread (spec INST-5).
_TIME_LIMIT_S = 1.0
#: The deadline of this thread.
_work = local()


class _TimeLimitExceeded(Exception):
    """The message was not found in time."""


def format_first_jsonschema_error(schema: Mapping[str, Any], document: Any, problems: tuple[Problem, ...]) -> str:
    """Return the first line of jsonschema's first error, or the first problem if jsonschema finds none or is not used."""
    if problems == (TOO_MUCH,):
        return _get_first_problem_message(problems)
    return next(
        (error.message.partition("\n")[0] for error in _find_jsonschema_errors(schema, document)),
        _get_first_problem_message(problems),
    )


def has_no_secret(message: str, secrets: Iterator[Any]) -> bool:
    """Return whether a message contains none of these values, neither as text nor as their repr."""
    return not any(
        text and text in message
        for secret in _iterate_texts_and_reprs(secrets)
        for text in (secret, repr(secret)[1:-1])
    )


def _get_first_problem_message(problems: tuple[Problem, ...]) -> str:
    return problems[0].message if problems else "not a valid instance"


def _find_jsonschema_errors(schema: Mapping[str, Any], document: Any) -> list[Any]:
    try:
        validator = _create_validator_class()(schema)
        _work.deadline = thread_time() + _TIME_LIMIT_S
        return list(islice(validator.iter_errors(document), 1))
    except Exception:  # noqa: BLE001  the message of jsonschema-rs is the fallback
        return []


def _iterate_texts_and_reprs(values: Iterator[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, Mapping):
            yield from _iterate_texts_and_reprs(iter(value.values()))
        elif isinstance(value, list | tuple):
            yield from _iterate_texts_and_reprs(iter(value))
        elif value is not None and not isinstance(value, bool):
            yield str(value)


@cache
def _create_validator_class() -> Any:
    """Return a Draft7Validator with formats, linear-time regular expressions, and a time limit."""
    from jsonschema import Draft7Validator, validators

    own = {
        "format": _check_format,
        "pattern": _check_pattern,
        "patternProperties": _check_pattern_properties,
        "uniqueItems": _check_unique_items,
    }
    keywords = {name: _add_time_limit_to_check(check) for name, check in {**Draft7Validator.VALIDATORS, **own}.items()}
    return cast("Any", validators).extend(Draft7Validator, keywords)


def _add_time_limit_to_check(check: Any) -> Any:
    def check_in_time(validator: Any, expected: Any, value: Any, schema: Any) -> Iterator[Any]:
        if thread_time() > _work.deadline:
            raise _TimeLimitExceeded
        yield from check(validator, expected, value, schema) or ()

    return check_in_time


def _check_format(_: Any, name: str, value: Any, __: Any) -> Iterator[Any]:
    if isinstance(value, str) and not _compile_schema({"format": name}).is_valid(value):
        yield _create_validation_error(f"{value!r} is not a {name!r}")


def _check_pattern(_: Any, expression: str, value: Any, __: Any) -> Iterator[Any]:
    if isinstance(value, str) and not _matches_linear_pattern(expression, value):
        yield _create_validation_error(f"{value!r} does not match {expression!r}")


def _check_pattern_properties(validator: Any, expressions: Mapping[str, Any], value: Any, _: Any) -> Iterator[Any]:
    for expression, inner in expressions.items() if isinstance(value, dict) else ():
        for name in [name for name in value if _matches_linear_pattern(expression, name)]:
            yield from validator.descend(value[name], inner, path=name, schema_path=expression)


def _check_unique_items(_: Any, expected: bool, value: Any, __: Any) -> Iterator[Any]:
    if expected and isinstance(value, list) and not _compile_schema({"uniqueItems": True}).is_valid(value):
        yield _create_validation_error(f"{value!r} has non-unique elements")


def _create_validation_error(message: str) -> Any:
    from jsonschema import ValidationError

    return ValidationError(message)


def _matches_linear_pattern(expression: str, text: str) -> bool:
    return _compile_schema({"pattern": expression}).is_valid(text)


def _compile_schema(schema: Mapping[str, Any]) -> Schema:
    return Schema(schema, dialect=SchemaDialect.DRAFT_7)
