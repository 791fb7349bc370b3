"""Elyra's errors: ours, under its names and with its arguments, `(schemaspace, name)` (spec INST-3)."""

from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, SchemaNotFound

MetadataNotFoundError = InstanceNotFound
MetadataExistsError = InstanceExists
SchemaNotFoundError = SchemaNotFound

__all__ = ["MetadataExistsError", "MetadataNotFoundError", "SchemaNotFoundError"]
