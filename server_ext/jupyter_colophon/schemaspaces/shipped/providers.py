"""The schemas that we ship: files below `schemas/schemaspaces/`, read when they are asked for."""

import json
from typing import TYPE_CHECKING, Any, ClassVar

from jupyter_colophon.core.model.search_filters import FILTERS, SearchFilter
from jupyter_colophon.core.package_data import schemas_dir
from jupyter_colophon.schemaspaces.schema import SchemasProvider
from jupyter_colophon.schemaspaces.shipped.spaces import (
    CodeSnippets,
    ComponentCatalogs,
    MetadataTests,
    Pipelines,
    RuntimeImages,
    Runtimes,
    SavedSearches,
    ShippedSchemaspace,
)

if TYPE_CHECKING:
    from jupyter_colophon.elyra.manager import MetadataManager


class ShippedSchemas(SchemasProvider):
    """Provides all schemas of one of our schemaspaces."""

    SPACE: ClassVar[type[ShippedSchemaspace]]

    def get_schemas(self) -> list[dict[str, Any]]:
        """Its schemas, by name."""
        folder = schemas_dir() / "schemaspaces" / self.SPACE.NAME
        return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


class UpgradedSchemas(ShippedSchemas):
    """Provides schemas whose instances are upgraded when they are loaded."""

    def migrate(
        self, *args: Any, schemaspace_name: str = "", schema_name: str = "", dry_run: bool = False, **kwargs: Any
    ) -> list[str]:
        """Save each instance of the user's own that is upgraded on load; return their names. A dry run saves none."""
        from jupyter_colophon.elyra.manager import MetadataManager
        from jupyter_colophon.elyra.storage import stored_by
        from jupyter_colophon.elyra.upgrades import is_outdated

        manager = MetadataManager(schemaspace_name or self.SPACE.NAME)
        store = stored_by(manager.schemaspace, manager.metadata_store)
        held = store.read_many(store.names())
        names = [one.name for one in held if one.own and is_outdated(one.document, schema_name)]
        return [name for name in names if self._save_upgraded(manager, name, dry_run=dry_run)]

    def _save_upgraded(self, manager: "MetadataManager", name: str, *, dry_run: bool) -> bool:
        try:
            instance = manager.get(name)
            if not dry_run:
                manager.update(name, instance, for_migration=True)
        except Exception as error:  # noqa: BLE001  one instance keeps no other back
            self.log.warning("instance %r of %s was not migrated: %s", name, manager.schemaspace, error)
            return False
        return True


class CodeSnippetsSchemas(ShippedSchemas):
    """The schema `code-snippet`."""

    SPACE = CodeSnippets


class RuntimeImagesSchemas(ShippedSchemas):
    """The schema `runtime-image`."""

    SPACE = RuntimeImages


class RuntimesSchemas(UpgradedSchemas):
    """The schemas `kfp` and `airflow`."""

    SPACE = Runtimes


class ComponentCatalogsSchemas(UpgradedSchemas):
    """The schemas `url-catalog`, `local-file-catalog` and `local-directory-catalog`."""

    SPACE = ComponentCatalogs


class SavedSearchesSchemas(ShippedSchemas):
    """The schema `saved-search`: its file, and a member for each filter of search."""

    SPACE = SavedSearches

    def get_schemas(self) -> list[dict[str, Any]]:
        """Its schemas, by name."""
        schemas = super().get_schemas()
        for schema in schemas:
            members = schema["properties"]["metadata"]["properties"]
            # After them come the members of the file that are filters as well.
            members |= {one.name: _member(one) for one in FILTERS} | {"removed": members.pop("removed")}
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
