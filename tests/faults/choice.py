"""A store's choice as an argument of another process."""

import json
from dataclasses import asdict

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice


def told(choice: StoreChoice) -> str:
    """The choice as text."""
    return json.dumps(asdict(choice), default=str)


def catalog_of(text: str) -> Catalog:
    """The catalog in the store that the text names."""
    return open_catalog(StoreChoice(**json.loads(text)), Identity())
