"""Parse the values of options as JSON or as Python literals: double quotes are hard to write in a shell."""

import json
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.output import log
from jupyter_colophon.core.documents import json_parsing
from jupyter_colophon.core.errors import MetadataError

_TRUE, _FALSE = ("true", "1"), ("false", "0")
#: Maximum length of a value that is parsed as a Python literal.
_LITERAL_MAX = 1_000_000


def parse_option_value(option: Option, text: str) -> Any:
    """Return the value of an option. Raises InstanceCommandError if it does not have the option's format.

    A choice is returned as declared. An invalid boolean stays text: validation by the schema reports it.
    """
    for choice in option.choices:
        if choice == text or (not isinstance(choice, str) and json.dumps(choice) == text.lower()):
            return choice
    if len(option.types) > 1:
        return _parse_any_type(option, text)
    return _parse_as_json_type(option.type, option, text)


def _parse_any_type(option: Option, text: str) -> Any:
    """Parse a value as the narrowest of several types."""
    for kind in ("null", "boolean", "integer", "number", "array", "object"):
        if kind not in option.types or (kind in ("array", "object") and text[:1] not in ("[", "{")):
            continue
        try:
            value = _parse_as_json_type(kind, option, text)
        except InstanceCommandError:
            continue
        if not isinstance(value, str):
            return value
    return text


def _parse_as_json_type(kind: str, option: Option, text: str) -> Any:
    if kind == "array":
        return _parse_array(option, text)
    if kind == "object":
        return parse_object_or_file(f"--{option.name}", text)
    if kind in ("integer", "number"):
        return _parse_number(kind, option, text)
    if kind == "boolean":
        lowered = text.lower()
        return lowered in _TRUE if lowered in _TRUE + _FALSE else text
    if kind == "null":
        return None if text in ("null", "None", "") else text
    if kind == "string":
        return text
    try:
        return parse_literal(text)
    except ValueError:
        return text


def _parse_number(kind: str, option: Option, text: str) -> int | float:
    try:
        value = int(text) if kind == "integer" or not set(text) & set(".eE") else float(text)
    except ValueError:
        raise _create_format_error(option, text) from None
    if isinstance(value, float) and not float("-inf") < value < float("inf"):
        raise _create_format_error(option, text)
    return value


def _parse_array(option: Option, text: str) -> list[Any]:
    if not text.startswith("["):
        words = text.split(",") if text else []
        return [_parse_item(option.items, word) for word in words]
    try:
        value = parse_literal(text)
    except ValueError:
        raise _create_format_error(option, text) from None
    if not isinstance(value, list):
        raise _create_format_error(option, text)
    return value


def _parse_item(kind: str, text: str) -> Any:
    """Parse an item of a comma-separated list as the type in the schema, if possible, else as text."""
    if kind in ("integer", "number", "boolean", "null"):
        try:
            value = parse_literal(text.strip())
        except ValueError:
            return text
        return value if not isinstance(value, list | dict | str) else text
    return text


def parse_object_or_file(option: str, text: str) -> dict[str, Any]:
    """Return the object in a value, or in the file of this name. Raises InstanceCommandError."""
    path = Path(text)
    if text and len(text) < 4096 and not text.startswith("{") and path.is_file():
        return read_object(option, path)
    try:
        value = parse_literal(text)
    except ValueError as error:
        raise InstanceCommandError(
            f"Parameter '{option}' requires a JSON-formatted file or string and the following error occurred attempting "
            f"to interpret the string as JSON: '{error}'.  Try again with an appropriate value.",
            shows_help=True,
        ) from None
    if isinstance(value, dict):
        return value
    raise InstanceCommandError(
        f"Parameter '{option}' requires a JSON-formatted file or string and could not interpret the string as a "
        f"dictionary and got a {type(value)} instead.  Try again with an appropriate value.",
        shows_help=True,
    )


def read_object(option: str, path: Path) -> dict[str, Any]:
    """Return the object in a file. Raises InstanceCommandError."""
    try:
        repeated: list[str] = []
        value = json_parsing.parse_json(path.read_bytes(), repeated_names=repeated)
    except OSError as error:
        raise InstanceCommandError(
            f"Parameter '{option}' requires a JSON-formatted file or string and the following error occurred attempting "
            f"to open file '{path}': '{error.strerror}'.  Try again with an appropriately formatted file.",
            shows_help=True,
        ) from None
    except MetadataError as error:
        raise InstanceCommandError(_format_load_error(option, path, error.detail), shows_help=True) from None
    if not isinstance(value, dict):
        raise InstanceCommandError(_format_load_error(option, path, "it does not contain an object"), shows_help=True)
    if repeated:
        log.warning("%s contains duplicate members (%s); the last value is used", path, ", ".join(repeated))
    return value


def parse_literal(text: str) -> Any:
    """Parse a value as JSON, else as a Python literal of JSON types. Raises ValueError."""
    try:
        return json_parsing.parse_json(text.encode("utf-8", "surrogatepass"))
    except MetadataError as error:
        if len(text) > _LITERAL_MAX:
            raise ValueError(error.detail) from None
    from ast import literal_eval

    try:
        value = literal_eval(text.strip())
        return json.loads(json.dumps(value, allow_nan=False))
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        raise ValueError("it is neither JSON nor a Python literal") from None


def _format_load_error(option: str, path: Path, reason: str) -> str:
    return (
        f"Parameter '{option}' requires a JSON-formatted file or string and the following error occurred attempting to "
        f"load {path}'s contents as JSON: '{reason}'.  Try again with an appropriately formatted file."
    )


def _create_format_error(option: Option, text: str) -> InstanceCommandError:
    article = "an" if option.type[:1] in "aeiou" else "a"
    return InstanceCommandError(
        f"Parameter '--{option.name}' requires {article} {option.type or 'value'} with format: {option.format} and "
        f'"{text}" was given.  Try again with an appropriate value.',
        shows_help=True,
    )
