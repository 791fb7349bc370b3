"""Elyra's Python API under its names (spec INST-3): code written against `elyra.metadata` runs with its import changed.

The names of all its modules are available here too, each loaded on first access.
"""

from importlib import import_module
from typing import Any

_MODULES = {
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
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])
