"""Providers of schemas whose instances were written differently by older versions of Elyra."""

from typing import Any

from jupyter_colophon.elyra.manager import MetadataManager
from jupyter_colophon.elyra.storage import adapt_store
from jupyter_colophon.elyra.upgrades import is_outdated
from jupyter_colophon.schemaspaces.shipped.providers import ShippedSchemas
from jupyter_colophon.schemaspaces.shipped.spaces import ComponentCatalogs, Runtimes


class UpgradedSchemas(ShippedSchemas):
    """Provides schemas whose instances are upgraded when they are loaded."""

    def migrate(
        self, *args: Any, schemaspace_name: str = "", schema_name: str = "", dry_run: bool = False, **kwargs: Any
    ) -> list[str]:
        """Save each instance of the user's own that is upgraded on load; return their names. A dry run saves none."""
        manager = MetadataManager(schemaspace_name or self.SPACE.NAME)
        store = adapt_store(manager.schemaspace, manager.metadata_store)
        stored_instances = store.read_existing_instances(store.list_instance_names())
        names = [
            stored.name
            for stored in stored_instances
            if stored.is_removable and is_outdated(stored.document, schema_name)
        ]
        return [name for name in names if self._save_if_upgraded(manager, name, dry_run=dry_run)]

    def _save_if_upgraded(self, manager: MetadataManager, name: str, *, dry_run: bool) -> bool:
        try:
            instance = manager.get(name)
            if not dry_run:
                manager.update(name, instance, for_migration=True)
        except Exception as error:  # noqa: BLE001  one instance must not affect the others
            self.log.warning("instance %r of %s was not migrated: %s", name, manager.schemaspace, error)
            return False
        return True


class RuntimesSchemas(UpgradedSchemas):
    """The schemas `kfp` and `airflow`."""

    SPACE = Runtimes


class ComponentCatalogsSchemas(UpgradedSchemas):
    """The schemas `url-catalog`, `local-file-catalog` and `local-directory-catalog`."""

    SPACE = ComponentCatalogs
