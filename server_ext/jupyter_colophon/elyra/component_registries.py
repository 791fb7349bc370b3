"""The schema of component registries, and their migration to component catalogs.

A migrated registry is not deleted, so that an older Elyra in the same environment continues to work; a registry that
has a catalog is not migrated again. One that cannot be migrated is logged, and does not prevent migrating the others.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.errors import InstanceNotFound
from jupyter_colophon.schemaspaces.shipped.providers import ShippedSchemas
from jupyter_colophon.schemaspaces.shipped.spaces import ComponentCatalogs, ComponentRegistries

if TYPE_CHECKING:
    from jupyter_colophon.elyra.manager import MetadataManager

_SCHEMAS = {"URL": "url-catalog", "Filename": "local-file-catalog", "Directory": "local-directory-catalog"}
_RUNTIME_TYPES = {"kfp": "KUBEFLOW_PIPELINES", "airflow": "APACHE_AIRFLOW"}


class ComponentRegistriesSchemas(ShippedSchemas):
    """The schema `component-registry`, whose instances have become component catalogs."""

    SPACE = ComponentRegistries

    def migrate(
        self, *args: Any, schemaspace_name: str = "", schema_name: str = "", dry_run: bool = False, **kwargs: Any
    ) -> list[str]:
        """Create a component catalog for each registry that has none; return their names. A dry run only returns the names."""
        if schema_name != "component-registry":
            return []
        from jupyter_colophon.elyra.manager import MetadataManager

        registries = MetadataManager(schemaspace_name or ComponentRegistries.NAME)
        catalogs = MetadataManager(ComponentCatalogs.NAME)
        waiting = [
            registry for registry in registries.get_all(of_schema=schema_name) if not _is_from_installation(registry)
        ]
        return [
            registry.name
            for registry in waiting
            if not _has_catalog(catalogs, registry.name)
            and self._create_catalog_if_missing(catalogs, registry, dry_run=dry_run)
        ]

    def _create_catalog_if_missing(self, catalogs: "MetadataManager", registry: Any, *, dry_run: bool) -> bool:
        catalog = _create_catalog(registry)
        try:
            if dry_run:
                catalogs.validate(registry.name, catalog)
            else:
                catalogs.create(registry.name, catalog)
        except Exception as error:  # noqa: BLE001  one registry must not affect the others
            self.log.warning("component registry %r was not migrated: %s", registry.name, error)
            return False
        return True


def _is_from_installation(registry: Any) -> bool:
    """Return whether a registry came with an installation, whose package brings catalogs itself."""
    return str(registry.resource or "").startswith(str(Path(sys.prefix, "share", "jupyter", "metadata")))


def _create_catalog(registry: Any) -> Any:
    from jupyter_colophon.schemaspaces.metadata import InstanceMetadata

    metadata = {name: value for name, value in registry.metadata.items() if name not in ("runtime", "location_type")}
    document = {
        "name": registry.name,
        "display_name": registry.display_name,
        "schema_name": _SCHEMAS[registry.metadata["location_type"]],
        "metadata": metadata | {"runtime_type": _RUNTIME_TYPES[registry.metadata["runtime"]]},
    }
    return InstanceMetadata.from_dict(ComponentCatalogs.NAME, document)


def _has_catalog(catalogs: "MetadataManager", name: str) -> bool:
    try:
        catalogs.get(name)
    except InstanceNotFound:
        return False
    except Exception:  # noqa: BLE001  it exists, though invalid
        return True
    return True
