"""Schemaspaces whose instances name their namespace in `metadata.namespace` (spec ID-13).

Their URNs have no namespace, so read access depends on their documents.
"""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.identity.names import Urn

#: The entity type of instances.
INSTANCE: Final = "instance"
#: Their keys.
NAMESPACED: Final = ("pipelines", "saved-searches")


def is_instance_with_namespace(urn: Urn) -> bool:
    """Return whether an entity is an instance whose document names its namespace."""
    return urn.type == INSTANCE and urn.parts[0] in NAMESPACED


def read_namespace_of_document(document: Any) -> str | None:
    """Return the namespace in an instance's document; None if it names none."""
    metadata = document.get("metadata") if isinstance(document, Mapping) else None
    namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    return namespace if isinstance(namespace, str) else None
