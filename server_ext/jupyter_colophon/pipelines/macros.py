"""`${name}` in the properties of stages: an argument of the run stands there. `$${` is `${` itself, and no other way to write it.

What an argument says is never looked through for macros again.
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
#: What a property that is one macro and nothing else is read as where its schema wants no text.
_READ_AS: dict[str, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "boolean": (bool,)}


def expanded(value: Any, arguments: Mapping[str, str]) -> Any:
    """The same with arguments in the place of macros; one without an argument stays."""
    if isinstance(value, str):
        return _MACRO.sub(lambda found: _text(found, arguments), value)
    if isinstance(value, Mapping):
        return {key: expanded(one, arguments) for key, one in value.items()}
    if isinstance(value, list):
        return [expanded(one, arguments) for one in value]
    return value


def properties(told: Mapping[str, Any], shapes: Mapping[str, Any], arguments: Mapping[str, str]) -> dict[str, Any]:
    """A stage's properties; a number or a boolean may be given by a macro too."""
    return {
        key: _typed(expanded(one, arguments), shapes.get(key, {}).get("type"))
        if isinstance(one, str) and _MACRO.fullmatch(one)
        else expanded(one, arguments)
        for key, one in told.items()
    }


def named(value: Any) -> set[str]:
    """The arguments that macros name anywhere in a value."""
    if isinstance(value, str):
        return {found[1] for found in _MACRO.finditer(value) if found[1]}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {name for part in parts for name in named(part)}


def missing(value: Any, arguments: Mapping[str, str], pointer: str) -> Iterator[Problem]:
    """The macros that no argument stands for, and those that are none, each with its place."""
    if isinstance(value, str):
        yield from (Problem(pointer, told) for told in _wrong(value, arguments))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from missing(one, arguments, pointer + written([key]))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from missing(one, arguments, f"{pointer}/{at}")


def _wrong(text: str, arguments: Mapping[str, str]) -> Iterator[str]:
    if "${" in _MACRO.sub(" ", text):
        # Taken as it stands, a macro that was mistyped would be the name of a folder.
        yield "a ${ begins no argument's name, as ${name} does: $${ stands for these two characters"
    uses = Counter(found[1] for found in _MACRO.finditer(text) if found[1])
    for name in uses:
        if name not in arguments:
            yield f"the run has no argument {name}"
    if len(text) + sum(len(arguments.get(name, "")) * times for name, times in uses.items()) > _EXPANDED_MAX:
        yield f"with its arguments it is longer than {_EXPANDED_MAX} characters"


def _text(found: re.Match[str], arguments: Mapping[str, str]) -> str:
    return arguments.get(found[1], found[0]) if found[1] else "$"


def _typed(text: str, wanted: Any) -> Any:
    kind = _READ_AS.get(wanted) if isinstance(wanted, str) else None
    if kind is None:
        return text
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, kind) else text
