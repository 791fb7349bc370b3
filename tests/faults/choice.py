"""The choice of a store as an argument of another process."""

import json
from dataclasses import asdict

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice


def format_choice(choice: StoreChoice) -> str:
    """Return the choice as text."""
    return json.dumps(asdict(choice), default=str)


def open_choice(text: str) -> Catalog:
    """Open the catalog in the store of this text."""
    return open_catalog(StoreChoice(**json.loads(text)), Identity())
