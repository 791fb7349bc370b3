"""A catalog with a stream, and a folder for its events."""

from pathlib import Path

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.entities.registration_request import RegistrationRequest
from jupyter_colophon.core.identity.names import IdentityRules, make_stream_urn
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import ADA


def open_catalog_with_clicks(folder: Path) -> Catalog:
    """Create a catalog in this folder with the stream `clicks` of the namespace `shop`."""
    catalog = open_or_create_catalog(
        choose_sqlite_store(folder / "catalog.db"), IdentityRules(), events=folder / "streams"
    )
    catalog.deployer.create_or_update_namespace("shop", {}, ADA)
    catalog.deployer.create_or_update_entity(make_stream_urn("shop", "clicks"), RegistrationRequest(), ADA)
    return catalog
