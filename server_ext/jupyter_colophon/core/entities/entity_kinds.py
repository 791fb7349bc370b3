"""Kinds of entity as shown to users: a stream is not a dataset, and each custom type is a kind of its own."""

from typing import Final

from jupyter_colophon.core.identity.names import Identity, Urn

#: Where the URN has to be looked at to tell the kind; of all others the type is the kind.
_MANIFOLD: Final = frozenset({"dataset", "custom"})
#: What a stream is does not depend on what an installation calls home.
_ANYWHERE: Final = Identity()


def kind_of(urn: Urn) -> str:
    """The kind of an entity."""
    if urn.type == "custom":
        return urn.parts[0]
    return "stream" if urn.type == "dataset" and _ANYWHERE.is_stream(urn) else urn.type


def kind_of_row(type_: str, urn: str) -> str:
    """The kind of an entity of this type, by the text of its URN."""
    return kind_of(Urn.parse(urn)) if type_ in _MANIFOLD else type_
