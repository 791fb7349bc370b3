"""The key aspect of an entity: its URN, taken apart (datahub.md C, key aspect)."""

from typing import Any

from jupyter_colophon.core.names import Urn, pairs_of
from jupyter_colophon.core.registry import EntityType


def key_aspect(urn: Urn, kind: EntityType) -> dict[str, Any]:
    """The members of the key aspect of an entity of this type. Raises ValueError for a URN of other parts."""
    if kind.key is None:
        return {"type": urn.parts[0], "keys": dict(pairs_of(urn))}
    return dict(zip(kind.key, urn.parts, strict=True))


def has_key(urn: Urn, kind: EntityType) -> bool:
    """Whether the URN has the parts of its type: so many, and such as the key aspect's schema asks for."""
    if kind.key is not None and (len(kind.key) != len(urn.parts) or urn.compound != (len(kind.key) > 1)):
        return False
    spec = kind.aspect(kind.key_aspect)
    return spec is not None and spec.schema.is_valid(key_aspect(urn, kind))
