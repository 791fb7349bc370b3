"""The schemas that we ship: files below `schemas/schemaspaces/`, read when they are asked for."""

import json
from typing import Any, ClassVar

from jupyter_colophon.core.shipped import schemas_dir
from jupyter_colophon.elyra.schema import SchemasProvider
from jupyter_colophon.elyra.spaces.schemaspaces import (
    CodeSnippets,
    ComponentCatalogs,
    MetadataTests,
    Pipelines,
    RuntimeImages,
    Runtimes,
    SavedSearches,
    ShippedSchemaspace,
)


class ShippedSchemas(SchemasProvider):
    """Provides all schemas of one of our schemaspaces."""

    SPACE: ClassVar[type[ShippedSchemaspace]]

    def get_schemas(self) -> list[dict[str, Any]]:
        """Its schemas, by name."""
        folder = schemas_dir() / "schemaspaces" / self.SPACE.NAME
        return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


class CodeSnippetsSchemas(ShippedSchemas):
    """The schema `code-snippet`."""

    SPACE = CodeSnippets


class RuntimeImagesSchemas(ShippedSchemas):
    """The schema `runtime-image`."""

    SPACE = RuntimeImages


class RuntimesSchemas(ShippedSchemas):
    """The schemas `kfp` and `airflow`."""

    SPACE = Runtimes


class ComponentCatalogsSchemas(ShippedSchemas):
    """The schemas `url-catalog`, `local-file-catalog` and `local-directory-catalog`."""

    SPACE = ComponentCatalogs


class SavedSearchesSchemas(ShippedSchemas):
    """The schema `saved-search`."""

    SPACE = SavedSearches


class PipelinesSchemas(ShippedSchemas):
    """The schema `pipeline`."""

    SPACE = Pipelines


class MetadataTestsSchemas(ShippedSchemas):
    """The schemas `metadata-test` and `metadata-test2`."""

    SPACE = MetadataTests
