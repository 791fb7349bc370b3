"""Provide the schemas that administrators stored (docs/settings.md, `allow_schema_writes`)."""

from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.schemaspaces.schema import SchemasProvider
from jupyter_colophon.service.schemaspaces import stored_schemas


def get_stored_schemas() -> stored_schemas.StoredSchemaFiles:
    """Return the stored schemas of this account."""
    return stored_schemas.StoredSchemaFiles(lambda: Path(jupyter_data_dir()) / "colophon" / "schemas")


class StoredSchemasProvider(SchemasProvider):
    """Provides the stored schemas."""

    def get_schemas(self) -> list[dict[str, Any]]:
        """Return all stored schemas."""
        return get_stored_schemas().read_stored_schemas()
