"""The schemas that we ship: files below `schemas/schemaspaces/`, read when they are asked for."""

import json
from typing import Any, ClassVar

from jupyter_colophon.core.model.search_filters import FILTERS, SearchFilter
from jupyter_colophon.core.package_data import schemas_dir
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
        """Its schemas, by name."""
        folder = schemas_dir() / "schemaspaces" / self.SPACE.NAME
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
        """Its schemas, by name."""
        schemas = super().get_schemas()
        for schema in schemas:
            members = schema["properties"]["metadata"]["properties"]
            # After them come the members of the file that are filters as well.
            members |= {one.name: _member(one) for one in FILTERS} | {"includeRemoved": members.pop("includeRemoved")}
        return schemas


def _member(one: SearchFilter) -> dict[str, Any]:
    choices = {"enum": list(one.choices)} if one.choices else {}
    member = {"title": one.label, "description": one.description, "type": "string"}
    return {**member, **choices, "uihints": {"category": "Filters"}}


class PipelinesSchemas(ShippedSchemas):
    """The schema `pipeline`."""

    SPACE = Pipelines


class MetadataTestsSchemas(ShippedSchemas):
    """The schemas `metadata-test` and `metadata-test2`."""

    SPACE = MetadataTests
