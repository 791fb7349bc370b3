"""Provides the schemas that administrators stored (docs/settings.md, `allow_schema_writes`)."""

from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.schemaspaces.schema import SchemasProvider
from jupyter_colophon.service.schemaspaces import stored_schemas


def stored() -> stored_schemas.StoredSchemas:
    """Those of this account."""
    return stored_schemas.StoredSchemas(lambda: Path(jupyter_data_dir()) / "colophon" / "schemas")


class StoredSchemasProvider(SchemasProvider):
    """The schemas that are stored, as they are now."""

    def get_schemas(self) -> list[dict[str, Any]]:
        """All of them."""
        return stored().documents()
