"""From a word of the command line to a value of JSON.

Python's literals are taken beside JSON's: a shell makes it hard to write double quotes.
"""

import json
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.output import log
from jupyter_colophon.core.documents import json_parsing
from jupyter_colophon.core.errors import MetadataError

_TRUE, _FALSE = ("true", "1"), ("false", "0")
#: How long a word may be that is looked at as a literal of Python.
_LITERAL_MAX = 1_000_000


def value_of(option: Option, text: str) -> Any:
    """The value that a word means for an option. Raises Refusal where it means none.

    What is no boolean stays text, so that the schema's own words tell of it; of a choice the value that is written so.
    """
    for choice in option.choices:
        if choice == text or (not isinstance(choice, str) and json.dumps(choice) == text.lower()):
            return choice
    if len(option.kinds) > 1:
        return _first_that_fits(option, text)
    return _as(option.kind, option, text)


def _first_that_fits(option: Option, text: str) -> Any:
    """Of several types the narrowest one that the word can be of."""
    for kind in ("null", "boolean", "integer", "number", "array", "object"):
        if kind not in option.kinds or (kind in ("array", "object") and text[:1] not in ("[", "{")):
            continue
        try:
            value = _as(kind, option, text)
        except Refusal:
            continue
        if not isinstance(value, str):
            return value
    return text


def _as(kind: str, option: Option, text: str) -> Any:
    if kind == "array":
        return _array(option, text)
    if kind == "object":
        return object_in(f"--{option.name}", text)
    if kind in ("integer", "number"):
        return _number(kind, option, text)
    if kind == "boolean":
        lowered = text.lower()
        return lowered in _TRUE if lowered in _TRUE + _FALSE else text
    if kind == "null":
        return None if text in ("null", "None", "") else text
    if kind == "string":
        return text
    try:
        return literal(text)
    except ValueError:
        return text


def _number(kind: str, option: Option, text: str) -> int | float:
    try:
        value = int(text) if kind == "integer" or not set(text) & set(".eE") else float(text)
    except ValueError:
        raise _misfit(option, text) from None
    if isinstance(value, float) and not float("-inf") < value < float("inf"):
        raise _misfit(option, text)
    return value


def _array(option: Option, text: str) -> list[Any]:
    if not text.startswith("["):
        words = text.split(",") if text else []
        return [_item(option.items, word) for word in words]
    try:
        value = literal(text)
    except ValueError:
        raise _misfit(option, text) from None
    if not isinstance(value, list):
        raise _misfit(option, text)
    return value


def _item(kind: str, word: str) -> Any:
    """An item of a list with commas: what it should be by the schema, if it can be that."""
    if kind in ("integer", "number", "boolean", "null"):
        try:
            value = literal(word.strip())
        except ValueError:
            return word
        return value if not isinstance(value, list | dict | str) else word
    return word


def object_in(option: str, text: str) -> dict[str, Any]:
    """The object that an option's word is, or that is in the file of this name. Raises Refusal."""
    path = Path(text)
    if text and len(text) < 4096 and not text.startswith("{") and path.is_file():
        return object_of_file(option, path)
    try:
        value = literal(text)
    except ValueError as error:
        raise Refusal(
            f"Parameter '{option}' requires a JSON-formatted file or string and the following error occurred attempting "
            f"to interpret the string as JSON: '{error}'.  Try again with an appropriate value.",
            shows_help=True,
        ) from None
    if isinstance(value, dict):
        return value
    raise Refusal(
        f"Parameter '{option}' requires a JSON-formatted file or string and could not interpret the string as a "
        f"dictionary and got a {type(value)} instead.  Try again with an appropriate value.",
        shows_help=True,
    )


def object_of_file(option: str, path: Path) -> dict[str, Any]:
    """The object in a file. Raises Refusal."""
    try:
        repeated: list[str] = []
        value = json_parsing.parse(path.read_bytes(), repeated=repeated)
    except OSError as error:
        raise Refusal(
            f"Parameter '{option}' requires a JSON-formatted file or string and the following error occurred attempting "
            f"to open file '{path}': '{error.strerror}'.  Try again with an appropriately formatted file.",
            shows_help=True,
        ) from None
    except MetadataError as error:
        raise Refusal(_unloadable(option, path, error.detail), shows_help=True) from None
    if not isinstance(value, dict):
        raise Refusal(_unloadable(option, path, "it holds no object"), shows_help=True)
    if repeated:
        log.warning("%s has the same member twice (%s): the last one counts", path, ", ".join(repeated))
    return value


def literal(text: str) -> Any:
    """The value of a word as JSON, else as a literal of Python with JSON's types. Raises ValueError."""
    try:
        return json_parsing.parse(text.encode("utf-8", "surrogatepass"))
    except MetadataError as error:
        if len(text) > _LITERAL_MAX:
            raise ValueError(error.detail) from None
    from ast import literal_eval

    try:
        value = literal_eval(text.strip())
        return json.loads(json.dumps(value, allow_nan=False))
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        raise ValueError("it is neither JSON nor a literal of Python") from None


def _unloadable(option: str, path: Path, reason: str) -> str:
    return (
        f"Parameter '{option}' requires a JSON-formatted file or string and the following error occurred attempting to "
        f"load {path}'s contents as JSON: '{reason}'.  Try again with an appropriately formatted file."
    )


def _misfit(option: Option, text: str) -> Refusal:
    article = "an" if option.kind[:1] in "aeiou" else "a"
    return Refusal(
        f"Parameter '--{option.name}' requires {article} {option.kind or 'value'} with format: {option.format} and "
        f'"{text}" was given.  Try again with an appropriate value.',
        shows_help=True,
    )
