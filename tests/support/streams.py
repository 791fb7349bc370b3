"""A catalog with a stream, and a folder for its events."""

from pathlib import Path

from jupyter_colophon.core.deployed import Deployed
from jupyter_colophon.core.names import Identity, stream
from jupyter_colophon.core.store import sqlite_file
from jupyter_colophon.wiring import Catalog, open_catalog
from support.catalog import ADA


def catalog_with_clicks(folder: Path) -> Catalog:
    """A catalog in this folder with the stream `clicks` of the namespace `shop`."""
    catalog = open_catalog(sqlite_file(folder / "catalog.db"), Identity(), events=folder / "streams")
    catalog.deployer.namespace("shop", {}, ADA)
    catalog.deployer.entity(stream("shop", "clicks"), Deployed(), ADA)
    return catalog
