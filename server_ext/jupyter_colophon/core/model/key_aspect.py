"""The key aspect of an entity: its URN, taken apart (spec MODEL-3)."""

from collections.abc import Mapping
from typing import Any, cast

from jupyter_colophon.core.errors import InvalidInstance, Problem
from jupyter_colophon.core.identity.names import Urn, pairs_of
from jupyter_colophon.core.model.registry import EntityType


def key_aspect(urn: Urn, kind: EntityType) -> dict[str, Any]:
    """The members of the key aspect of an entity of this type. Raises ValueError for a URN of other parts."""
    if kind.key is None:
        return {"type": urn.parts[0], "keys": dict(pairs_of(urn))}
    return dict(zip(kind.key, urn.parts, strict=True))


def urn_of_key(kind: EntityType, key: object) -> Urn:
    """The entity of this type whose key aspect this is. Raises InvalidInstance, InvalidName."""
    spec = kind.aspect(kind.key_aspect)
    if kind.key is None or spec is None:
        raise InvalidInstance(kind.key_aspect, (Problem("", f"a {kind.type} is identified by its URN"),))
    spec.schema.validate(key, spec.name)
    parts = cast("Mapping[str, str]", key)
    if missing := [name for name in kind.key if name not in parts]:
        raise InvalidInstance(spec.name, (Problem("", f"lacks {', '.join(missing)}"),))
    return Urn(kind.type, tuple(parts[name] for name in kind.key), compound=len(kind.key) > 1)


def has_key(urn: Urn, kind: EntityType) -> bool:
    """Whether the URN has the parts of its type: so many, and such as the key aspect's schema asks for."""
    if kind.key is not None and (len(kind.key) != len(urn.parts) or urn.compound != (len(kind.key) > 1)):
        return False
    spec = kind.aspect(kind.key_aspect)
    return spec is not None and spec.schema.is_valid(key_aspect(urn, kind))
