"""Macros in the properties of stages: `${name}` is replaced by an argument of the run, `$${` by a literal `${`.

Values of arguments are not expanded again.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.errors import Problem

_MACRO = re.compile(r"\$(?:\$(?=\{)|\{([A-Za-z_][A-Za-z0-9_.-]*)\})")
#: How many characters a text may have after its macros are replaced: a short text can name a long argument many times.
_EXPANDED_MAX: Final = 1_000_000
#: JSON types that a property with a single macro is converted to, by the type in its schema.
_READ_AS: dict[str, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "boolean": (bool,)}


def expand_macros(value: Any, arguments: Mapping[str, str]) -> Any:
    """Replace macros by arguments; a macro without an argument stays."""
    if isinstance(value, str):
        return _MACRO.sub(lambda match: _replace_macro(match, arguments), value)
    if isinstance(value, Mapping):
        return {key: expand_macros(item, arguments) for key, item in value.items()}
    if isinstance(value, list):
        return [expand_macros(item, arguments) for item in value]
    return value


def expand_properties(
    values: Mapping[str, Any], shapes: Mapping[str, Any], arguments: Mapping[str, str]
) -> dict[str, Any]:
    """Expand a stage's properties; a macro may also stand for a number or a boolean."""
    return {
        key: _parse_as_type(expand_macros(value, arguments), shapes.get(key, {}).get("type"))
        if isinstance(value, str) and _MACRO.fullmatch(value)
        else expand_macros(value, arguments)
        for key, value in values.items()
    }


def find_macros(value: Any) -> set[str]:
    """Return the names of all macros in a value."""
    if isinstance(value, str):
        return {match[1] for match in _MACRO.finditer(value) if match[1]}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {name for part in parts for name in find_macros(part)}


def find_macro_problems(value: Any, arguments: Mapping[str, str], pointer: str) -> Iterator[Problem]:
    """Yield a problem for each macro without an argument and each invalid macro."""
    if isinstance(value, str):
        yield from (Problem(pointer, values) for values in _find_text_problems(value, arguments))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from find_macro_problems(item, arguments, pointer + format_pointer([key]))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from find_macro_problems(item, arguments, f"{pointer}/{at}")


def _find_text_problems(text: str, arguments: Mapping[str, str]) -> Iterator[str]:
    if "${" in _MACRO.sub(" ", text):
        # Unchanged, a mistyped macro would become the name of a folder.
        yield "${ must begin a macro, as in ${name}; write $${ for the two characters"
    uses = Counter(match[1] for match in _MACRO.finditer(text) if match[1])
    for name in uses:
        if name not in arguments:
            yield f"the run was started without the argument {name}"
    if len(text) + sum(len(arguments.get(name, "")) * times for name, times in uses.items()) > _EXPANDED_MAX:
        yield f"it is longer than {_EXPANDED_MAX} characters after its macros are replaced"


def _replace_macro(match: re.Match[str], arguments: Mapping[str, str]) -> str:
    return arguments.get(match[1], match[0]) if match[1] else "$"


def _parse_as_type(text: str, type_name: Any) -> Any:
    kind = _READ_AS.get(type_name) if isinstance(type_name, str) else None
    if kind is None:
        return text
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, kind) else text
