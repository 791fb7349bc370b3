"""Our errors under Elyra's names and with its arguments, `(schemaspace, name)` (spec INST-3)."""

from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, SchemaNotFound

MetadataNotFoundError = InstanceNotFound
MetadataExistsError = InstanceExists
SchemaNotFoundError = SchemaNotFound

__all__ = ["MetadataExistsError", "MetadataNotFoundError", "SchemaNotFoundError"]
