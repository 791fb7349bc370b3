"""Maintenance of catalogs that are already open."""

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.maintenance import Maintenance


def open_catalog_of_store(choice: StorageChoice) -> Catalog:
    """Open the catalog in this store."""
    return open_or_create_catalog(choice, IdentityRules())


def create_maintenance(catalog: Catalog) -> Maintenance:
    """Create the maintenance of this catalog's store."""
    return Maintenance(catalog.provider, catalog.registry, lambda what, steps: None)


def list_integrity_issues(healer: Maintenance) -> list[tuple[str, str]]:
    """Return the issues that a check finds, as (subject, issue)."""
    return [tuple(finding) for finding in healer.create_integrity_checker().find_issues()]
