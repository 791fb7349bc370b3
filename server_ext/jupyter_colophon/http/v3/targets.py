"""The parameter `target`: which kinds of entity are meant."""

from collections.abc import Iterable
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery

TARGET: Final = "target"
_ALL: Final = "all"
#: A target's kind of entity.
_KINDS: Final = {
    "dataset": "dataset",
    "stream": "stream",
    "app": "dataFlow",
    "application": "dataFlow",
    "program": "dataJob",
    "field": "schemaField",
    "artifact": "artifact",
    "view": "view",
    "namespace": "namespace",
}


def kinds(targets: Iterable[str]) -> tuple[str, ...]:
    """The kinds of these targets; none stands for all. Raises InvalidQuery."""
    found = [_kind(target.casefold()) for target in targets]
    return () if _ALL in found else tuple(dict.fromkeys(found))


def _kind(target: str) -> str:
    if target in _KINDS or target == _ALL:
        return _KINDS.get(target, target)
    if not target.isidentifier():
        raise InvalidQuery(f"one of {', '.join(_KINDS)}, {_ALL}, or a custom type", TARGET)
    return target
