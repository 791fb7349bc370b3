"""The content of an export: what other programs can write to a catalog through an import.

Keys follow from URNs. An import cannot write what only one API manages, such as instances of schemaspaces.
"""

from jupyter_colophon.core.model.registry import Registry


def is_type_exported(registry: Registry, entity_type: str) -> bool:
    """Return whether an export contains entities of a type."""
    return not registry.get_type_or_unregistered(entity_type).managed_by


def is_aspect_exported(registry: Registry, entity_type: str, aspect: str) -> bool:
    """Return whether an export contains an aspect of the entities of a type, if it contains these."""
    spec = registry.get_aspect_or_unregistered(entity_type, aspect)
    return not spec.key and not spec.managed_by
