"""Elyra's errors: ours, under its names and with its arguments, `(schemaspace, name)` (spec INST-3)."""

from jupyter_colophon.core.errors import InstanceAbsent, InstanceExists, SchemaAbsent

MetadataNotFoundError = InstanceAbsent
MetadataExistsError = InstanceExists
SchemaNotFoundError = SchemaAbsent

__all__ = ["MetadataExistsError", "MetadataNotFoundError", "SchemaNotFoundError"]
