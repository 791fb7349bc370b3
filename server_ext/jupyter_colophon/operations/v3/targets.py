"""The parameter `target`: kinds of entities, by the words of CDAP."""

from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.parameter import texts

_ALL: Final = "all"
#: The kind of entity that each target stands for.
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
_WORDS: Final = ", ".join(_KINDS)
TARGET: Final = texts("target", f"Kinds of entities: {_WORDS}, {_ALL} or a custom type. May be sent more than once.")


def kinds(targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds that targets stand for, none for all. Raises InvalidQuery."""
    found = [_kind(target.casefold()) for target in targets]
    return () if _ALL in found else tuple(dict.fromkeys(found))


def _kind(target: str) -> str:
    if target in _KINDS or target == _ALL:
        return _KINDS.get(target, target)
    if not target.isidentifier():
        raise InvalidQuery(f"one of {_WORDS}, {_ALL}, or a custom type", TARGET.name)
    return target
