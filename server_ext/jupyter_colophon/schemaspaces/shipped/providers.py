"""The shipped schemas: files in `schemas/schemaspaces/`, read on request."""

import json
from typing import Any, ClassVar

from jupyter_colophon.core.model.search_filters import FILTERS, SearchFilter
from jupyter_colophon.core.package_data import find_schemas_dir
from jupyter_colophon.schemaspaces.schema import SchemasProvider
from jupyter_colophon.schemaspaces.shipped.spaces import (
    CodeSnippets,
    MetadataTests,
    Pipelines,
    RuntimeImages,
    SavedSearches,
    ShippedSchemaspace,
)


class ShippedSchemas(SchemasProvider):
    """Provides all schemas of one of our schemaspaces."""

    SPACE: ClassVar[type[ShippedSchemaspace]]

    def get_schemas(self) -> list[dict[str, Any]]:
        """Return its schemas."""
        folder = find_schemas_dir() / "schemaspaces" / self.SPACE.NAME
        return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


class CodeSnippetsSchemas(ShippedSchemas):
    """The schema `code-snippet`."""

    SPACE = CodeSnippets


class RuntimeImagesSchemas(ShippedSchemas):
    """The schema `runtime-image`."""

    SPACE = RuntimeImages


class SavedSearchesSchemas(ShippedSchemas):
    """The schema `saved-search`: its file, and a member for each filter of search."""

    SPACE = SavedSearches

    def get_schemas(self) -> list[dict[str, Any]]:
        """Return its schemas."""
        schemas = super().get_schemas()
        for schema in schemas:
            members = schema["properties"]["metadata"]["properties"]
            # The members of the file that are also filters follow.
            members |= {search_filter.name: _build_schema_of_filter(search_filter) for search_filter in FILTERS} | {
                "includeRemoved": members.pop("includeRemoved")
            }
        return schemas


def _build_schema_of_filter(search_filter: SearchFilter) -> dict[str, Any]:
    choices = {"enum": list(search_filter.choices)} if search_filter.choices else {}
    member = {"title": search_filter.label, "description": search_filter.description, "type": "string"}
    return {**member, **choices, "uihints": {"category": "Filters"}}


class PipelinesSchemas(ShippedSchemas):
    """The schema `pipeline`."""

    SPACE = Pipelines


class MetadataTestsSchemas(ShippedSchemas):
    """The schemas `metadata-test` and `metadata-test2`."""

    SPACE = MetadataTests
