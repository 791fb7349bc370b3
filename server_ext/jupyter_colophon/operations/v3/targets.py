"""The parameter `target`: kinds of entities, by the words of CDAP."""

from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.parameter import declare_texts

_ALL: Final = "all"
#: The kind of entity of each target.
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
TARGET: Final = declare_texts(
    "target", f"Kinds of entities: {_WORDS}, {_ALL} or a custom type. May be sent more than once."
)


def parse_targets(targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds of targets, none for all. Raises InvalidQuery."""
    kinds = [_parse_target(target.casefold()) for target in targets]
    return () if _ALL in kinds else tuple(dict.fromkeys(kinds))


def _parse_target(target: str) -> str:
    if target in _KINDS or target == _ALL:
        return _KINDS.get(target, target)
    if not target.isidentifier():
        raise InvalidQuery(f"must be one of {_WORDS}, {_ALL}, or a custom type", TARGET.name)
    return target
