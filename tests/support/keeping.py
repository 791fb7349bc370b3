"""Keepers of catalogs that are open already."""

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.maintenance import Keeper


def opened_in(choice: StoreChoice) -> Catalog:
    """The catalog in this store."""
    return open_catalog(choice, Identity())


def keeper(catalog: Catalog) -> Keeper:
    """Who keeps this catalog's store."""
    return Keeper(catalog.provider, catalog.registry, lambda what, steps: None)


def findings(healer: Keeper) -> list[tuple[str, str]]:
    """What a check finds, as (subject, fault)."""
    return [tuple(one) for one in healer.checker().findings()]
