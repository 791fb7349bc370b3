"""The choice of a store as an argument of another process."""

import json
from dataclasses import asdict

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice


def format_choice(choice: StorageChoice) -> str:
    """Return the choice as text."""
    return json.dumps(asdict(choice), default=str)


def open_choice(text: str) -> Catalog:
    """Open the catalog in the store of this text."""
    return open_or_create_catalog(StorageChoice(**json.loads(text)), IdentityRules())
