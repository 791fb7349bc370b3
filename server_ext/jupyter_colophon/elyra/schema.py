"""Elyra's classes of schemas, under their module name."""

from jupyter_colophon.schemaspaces.schema import (
    METADATA_TEST_SCHEMASPACE,
    METADATA_TEST_SCHEMASPACE_ID,
    SchemaManager,
    Schemaspace,
    SchemasProvider,
)

__all__ = [
    "METADATA_TEST_SCHEMASPACE",
    "METADATA_TEST_SCHEMASPACE_ID",
    "SchemaManager",
    "SchemasProvider",
    "Schemaspace",
]
