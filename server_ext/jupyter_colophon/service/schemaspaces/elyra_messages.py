"""The first error in the words that Elyra's clients know: jsonschema's (spec INST-5).

Whether a document is valid, jsonschema-rs has said before. jsonschema takes a second to import and runs expressions
that need not end; so it is asked for words only, and for so long; and what could take it long at once is done by jsonschema-rs.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from threading import local
from time import thread_time
from typing import Any, cast

from jupyter_colophon.core.documents.json_schema import TOO_MUCH, Dialect, Schema
from jupyter_colophon.core.errors import Problem

#: For how long jsonschema's words are looked for, in seconds of a thread's work (spec INST-5).
_PATIENCE_S = 1.0
#: Until when this thread does.
_work = local()


class _Late(Exception):
    """The words are not found in time."""


def first_words(schema: Mapping[str, Any], document: Any, problems: tuple[Problem, ...]) -> str:
    """The first line of jsonschema's first error, or of the first problem where jsonschema finds none or is not asked."""
    if problems == (TOO_MUCH,):
        return _plain(problems)
    return next((error.message.partition("\n")[0] for error in _errors(schema, document)), _plain(problems))


def hides_all(words: str, secrets: Iterator[Any]) -> bool:
    """Whether a sentence shows none of these values, neither as they are nor as Python writes them."""
    return not any(shown and shown in words for secret in _texts(secrets) for shown in (secret, repr(secret)[1:-1]))


def _plain(problems: tuple[Problem, ...]) -> str:
    return problems[0].message if problems else "it is not valid"


def _errors(schema: Mapping[str, Any], document: Any) -> list[Any]:
    try:
        worder = _worder()(schema)
        _work.until = thread_time() + _PATIENCE_S
        return list(islice(worder.iter_errors(document), 1))
    except Exception:  # noqa: BLE001  whatever it is, jsonschema-rs' words are there
        return []


def _texts(values: Iterator[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, Mapping):
            yield from _texts(iter(value.values()))
        elif isinstance(value, list | tuple):
            yield from _texts(iter(value))
        elif value is not None and not isinstance(value, bool):
            yield str(value)


@cache
def _worder() -> Any:
    """Draft7Validator with formats, whose expressions run in linear time, and which looks at the clock."""
    from jsonschema import Draft7Validator, validators

    own = {
        "format": _format,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "uniqueItems": _unique_items,
    }
    keywords = {name: _hurried(check) for name, check in {**Draft7Validator.VALIDATORS, **own}.items()}
    return cast("Any", validators).extend(Draft7Validator, keywords)


def _hurried(check: Any) -> Any:
    def checked(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        if thread_time() > _work.until:
            raise _Late
        yield from check(validator, wanted, value, schema) or ()

    return checked


def _format(_: Any, name: str, value: Any, __: Any) -> Iterator[Any]:
    if isinstance(value, str) and not _of({"format": name}).is_valid(value):
        yield _error(f"{value!r} is not a {name!r}")


def _pattern(_: Any, expression: str, value: Any, __: Any) -> Iterator[Any]:
    if isinstance(value, str) and not _matches(expression, value):
        yield _error(f"{value!r} does not match {expression!r}")


def _pattern_properties(validator: Any, expressions: Mapping[str, Any], value: Any, _: Any) -> Iterator[Any]:
    for expression, inner in expressions.items() if isinstance(value, dict) else ():
        for name in [name for name in value if _matches(expression, name)]:
            yield from validator.descend(value[name], inner, path=name, schema_path=expression)


def _unique_items(_: Any, wanted: bool, value: Any, __: Any) -> Iterator[Any]:
    if wanted and isinstance(value, list) and not _of({"uniqueItems": True}).is_valid(value):
        yield _error(f"{value!r} has non-unique elements")


def _error(words: str) -> Any:
    from jsonschema import ValidationError

    return ValidationError(words)


def _matches(expression: str, text: str) -> bool:
    return _of({"pattern": expression}).is_valid(text)


def _of(schema: Mapping[str, Any]) -> Schema:
    return Schema(schema, dialect=Dialect.DRAFT_7)
