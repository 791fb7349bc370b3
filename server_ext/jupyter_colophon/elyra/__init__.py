"""Elyra's Python API under its names (spec INST-3): code written against `elyra.metadata` runs with its import changed.

The names of all its modules are here too, each loaded when it is first asked for.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "MetadataExistsError": "error",
    "MetadataNotFoundError": "error",
    "SchemaNotFoundError": "error",
    "MetadataManager": "manager",
    "Metadata": "metadata",
    "METADATA_TEST_SCHEMASPACE": "schema",
    "METADATA_TEST_SCHEMASPACE_ID": "schema",
    "SchemaManager": "schema",
    "SchemasProvider": "schema",
    "Schemaspace": "schema",
    "CatalogMetadataStore": "storage",
    "FileMetadataCache": "storage",
    "FileMetadataStore": "storage",
    "MetadataStore": "storage",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
