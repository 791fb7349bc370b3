"""Schemaspaces whose instances say in `metadata.namespace` which namespace they belong to (spec ID-13).

Their URNs name no namespace, so who may read them is known by their documents alone.
"""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.identity.names import Urn

#: The type of entities that instances are.
INSTANCE: Final = "instance"
#: Their keys.
NAMESPACED: Final = ("pipelines", "saved-searches")


def is_namespaced(urn: Urn) -> bool:
    """Whether an entity is an instance whose document says its namespace."""
    return urn.type == INSTANCE and urn.parts[0] in NAMESPACED


def namespace_in(document: Any) -> str | None:
    """Return the namespace that an instance's document names; None where it names none."""
    metadata = document.get("metadata") if isinstance(document, Mapping) else None
    found = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, str) else None
