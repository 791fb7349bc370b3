"""The hierarchies of glossary terms and domains: the member of an aspect that names the parent."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidInstance, InvalidName, Problem
from jupyter_colophon.core.identity.names import Urn

#: The member with the URN of the parent, by the aspect.
PARENT_MEMBERS: Final[Mapping[str, str]] = {
    "glossaryTermInfo": "parentNode",
    "glossaryNodeInfo": "parentNode",
    "domainProperties": "parentDomain",
}
#: The aspect that names the parent of an entity, by its type.
PARENT_ASPECTS: Final[Mapping[str, str]] = {
    "glossaryTerm": "glossaryTermInfo",
    "glossaryNode": "glossaryNodeInfo",
    "domain": "domainProperties",
}
DEPTH_MAX: Final = 50
#: Returns the value of an aspect of an entity; None if it does not exist.
ReadAspect = Callable[[Urn, str], Any]


def find_parent(urn: Urn, read_aspect: ReadAspect) -> Urn | None:
    """Return the parent of an entity; None for an entity without one."""
    aspect = PARENT_ASPECTS.get(urn.type)
    return None if aspect is None else _get_parent_in_value(aspect, read_aspect(urn, aspect))


def require_no_cycle(urn: Urn, aspect: str, value: object, read_aspect: ReadAspect) -> None:
    """Raise InvalidInstance if the parent in a new value is the entity itself, one of its descendants, or too deep."""
    parent, depth = _get_parent_in_value(aspect, value), 0
    while parent is not None:
        depth += 1
        if parent == urn or depth > DEPTH_MAX:
            why = (
                "it is the entity itself or one of its descendants"
                if parent == urn
                else f"there are over {DEPTH_MAX} levels"
            )
            raise InvalidInstance(aspect, (Problem(f"/{PARENT_MEMBERS[aspect]}", f"cannot be the parent: {why}"),))
        parent = find_parent(parent, read_aspect)


def _get_parent_in_value(aspect: str, value: object) -> Urn | None:
    member = PARENT_MEMBERS.get(aspect)
    text = value.get(member) if member is not None and isinstance(value, Mapping) else None
    try:
        return Urn.parse(text) if isinstance(text, str) else None
    except InvalidName:
        # A text that is not a URN refers to nothing.
        return None
