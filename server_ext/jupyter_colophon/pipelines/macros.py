"""Macros in the properties of stages: `${name}` is replaced by an argument of the run, `$${` by a literal `${`.

Values of arguments are not expanded again.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.errors import Problem

_MACRO = re.compile(r"\$(?:\$(?=\{)|\{([A-Za-z_][A-Za-z0-9_.-]*)\})")
#: How many characters a text may have after its macros are replaced: a short text can name a long argument many times.
_EXPANDED_MAX: Final = 1_000_000
#: JSON types that a property with a single macro is converted to, by the type in its schema.
_READ_AS: dict[str, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "boolean": (bool,)}


def expand_macros(value: Any, arguments: Mapping[str, str]) -> Any:
    """Replace macros by arguments; a macro without an argument stays."""
    if isinstance(value, str):
        return _MACRO.sub(lambda found: _text(found, arguments), value)
    if isinstance(value, Mapping):
        return {key: expand_macros(one, arguments) for key, one in value.items()}
    if isinstance(value, list):
        return [expand_macros(one, arguments) for one in value]
    return value


def properties(values: Mapping[str, Any], shapes: Mapping[str, Any], arguments: Mapping[str, str]) -> dict[str, Any]:
    """Expand a stage's properties; a macro may also stand for a number or a boolean."""
    return {
        key: _parse_typed(expand_macros(one, arguments), shapes.get(key, {}).get("type"))
        if isinstance(one, str) and _MACRO.fullmatch(one)
        else expand_macros(one, arguments)
        for key, one in values.items()
    }


def macro_names(value: Any) -> set[str]:
    """Return the names of all macros in a value."""
    if isinstance(value, str):
        return {found[1] for found in _MACRO.finditer(value) if found[1]}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {name for part in parts for name in macro_names(part)}


def find_missing(value: Any, arguments: Mapping[str, str], pointer: str) -> Iterator[Problem]:
    """Yield a problem for each macro without an argument and each invalid macro."""
    if isinstance(value, str):
        yield from (Problem(pointer, values) for values in _macro_problems(value, arguments))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from find_missing(one, arguments, pointer + written([key]))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from find_missing(one, arguments, f"{pointer}/{at}")


def _macro_problems(text: str, arguments: Mapping[str, str]) -> Iterator[str]:
    if "${" in _MACRO.sub(" ", text):
        # Unchanged, a mistyped macro would become the name of a folder.
        yield "${ must begin a macro, as in ${name}; write $${ for the two characters"
    uses = Counter(found[1] for found in _MACRO.finditer(text) if found[1])
    for name in uses:
        if name not in arguments:
            yield f"the run has no argument {name}"
    if len(text) + sum(len(arguments.get(name, "")) * times for name, times in uses.items()) > _EXPANDED_MAX:
        yield f"with its arguments it is longer than {_EXPANDED_MAX} characters"


def _text(found: re.Match[str], arguments: Mapping[str, str]) -> str:
    return arguments.get(found[1], found[0]) if found[1] else "$"


def _parse_typed(text: str, type_name: Any) -> Any:
    kind = _READ_AS.get(type_name) if isinstance(type_name, str) else None
    if kind is None:
        return text
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, kind) else text
