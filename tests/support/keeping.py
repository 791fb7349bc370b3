"""Keepers of catalogs that are open already."""

from jupyter_colophon.core.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.keeper import Keeper
from jupyter_colophon.wiring import Catalog, open_catalog


def opened_in(choice: StoreChoice) -> Catalog:
    """The catalog in this store."""
    return open_catalog(choice, Identity())


def keeper(catalog: Catalog) -> Keeper:
    """Who keeps this catalog's store."""
    return Keeper(catalog.provider, catalog.registry, lambda what, steps: None)


def findings(healer: Keeper) -> list[tuple[str, str]]:
    """What a check finds, as (subject, fault)."""
    return [tuple(one) for one in healer.checker().findings()]
