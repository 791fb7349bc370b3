"""A catalog with a stream, and a folder for its events."""

from pathlib import Path

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.entities.registration_request import RegistrationRequest
from jupyter_colophon.core.identity.names import Identity, make_stream_urn
from jupyter_colophon.core.store import choose_sqlite_file
from support.catalog import ADA


def open_catalog_with_clicks(folder: Path) -> Catalog:
    """Create a catalog in this folder with the stream `clicks` of the namespace `shop`."""
    catalog = open_catalog(choose_sqlite_file(folder / "catalog.db"), Identity(), events=folder / "streams")
    catalog.deployer.register_namespace("shop", {}, ADA)
    catalog.deployer.register_entity(make_stream_urn("shop", "clicks"), RegistrationRequest(), ADA)
    return catalog
