"""Derive the key aspect of an entity from its URN (spec MODEL-3)."""

from collections.abc import Mapping
from typing import Any, cast

from jupyter_colophon.core.errors import InvalidInstance, Problem
from jupyter_colophon.core.identity.names import Urn, get_custom_key_pairs
from jupyter_colophon.core.model.registry import EntityType


def build_key_aspect(urn: Urn, kind: EntityType) -> dict[str, Any]:
    """Return the key aspect of an entity of this type. Raises ValueError if the URN has other parts."""
    if kind.key is None:
        return {"type": urn.parts[0], "keys": dict(get_custom_key_pairs(urn))}
    return dict(zip(kind.key, urn.parts, strict=True))


def make_urn_from_key(kind: EntityType, key: object) -> Urn:
    """Return the URN of an entity of this type with this key aspect. Raises InvalidInstance, InvalidName."""
    spec = kind.find_aspect(kind.key_aspect)
    if kind.key is None or spec is None:
        raise InvalidInstance(kind.key_aspect, (Problem("", f"a {kind.type} is identified by its URN"),))
    spec.schema.require_valid(key, spec.name)
    parts = cast("Mapping[str, str]", key)
    if missing := [name for name in kind.key if name not in parts]:
        raise InvalidInstance(spec.name, (Problem("", f"lacks {', '.join(missing)}"),))
    return Urn(kind.type, tuple(parts[name] for name in kind.key), compound=len(kind.key) > 1)


def has_valid_key(urn: Urn, kind: EntityType) -> bool:
    """Return whether the URN has the number of parts of its type, and they satisfy the key aspect's schema."""
    if kind.key is not None and (len(kind.key) != len(urn.parts) or urn.compound != (len(kind.key) > 1)):
        return False
    spec = kind.find_aspect(kind.key_aspect)
    return spec is not None and spec.schema.is_valid(build_key_aspect(urn, kind))
