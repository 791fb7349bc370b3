"""Kinds of entity as shown to users: a stream is not a dataset, and each custom type is a kind of its own."""

from typing import Final

from jupyter_colophon.core.identity.names import STREAM_PLATFORM, IdentityRules, Urn

#: The types whose kind depends on the URN; for all others the type is the kind.
_TYPES_WITH_KINDS: Final = frozenset({"dataset", "custom"})
#: Streams are recognized in the same way with any settings.
_ANY_IDENTITY: Final = IdentityRules()
#: How the canonical URN of a stream begins.
_STREAM_PREFIX: Final = f"urn:li:dataset:(urn:li:dataPlatform:{STREAM_PLATFORM},"


def get_entity_kind(urn: Urn) -> str:
    """Return the kind of an entity."""
    if urn.type == "custom":
        return urn.parts[0]
    return "stream" if urn.type == "dataset" and _ANY_IDENTITY.is_stream(urn) else urn.type


def get_entity_kind_of_row(type_: str, urn: str) -> str:
    """Return the kind of an entity of this type from the canonical text of its URN."""
    if type_ == "dataset" and not urn.startswith(_STREAM_PREFIX):
        return "dataset"
    return get_entity_kind(Urn.parse(urn)) if type_ in _TYPES_WITH_KINDS else type_
