"""A catalog with a stream, and a folder for its events."""

from pathlib import Path

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.entities.registration_request import Deployed
from jupyter_colophon.core.identity.names import Identity, stream
from jupyter_colophon.core.store import sqlite_file
from support.catalog import ADA


def catalog_with_clicks(folder: Path) -> Catalog:
    """A catalog in this folder with the stream `clicks` of the namespace `shop`."""
    catalog = open_catalog(sqlite_file(folder / "catalog.db"), Identity(), events=folder / "streams")
    catalog.deployer.namespace("shop", {}, ADA)
    catalog.deployer.entity(stream("shop", "clicks"), Deployed(), ADA)
    return catalog
