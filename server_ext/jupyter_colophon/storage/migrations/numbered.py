"""The migrations by the schema version that they start from. New ones are added at the end; none is ever removed."""

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.migrations.removed_terms import build_second_migration
from jupyter_colophon.storage.migrations.rewritten_documents import build_document_migration
from jupyter_colophon.storage.migrations.runner import StoreMigration
from jupyter_colophon.storage.migrations.version_1 import build_first_migration


def list_store_migrations(registry: Registry) -> tuple[StoreMigration, ...]:
    """Return all migrations; their number is the schema version of this program."""
    return (
        build_first_migration(registry),
        build_second_migration(),
        build_document_migration(3, "compress the texts of full text"),
        # Changes nothing: the next one replaces it.
        build_document_migration(4, "index full text in blocks"),
        build_document_migration(5, "store the words of full text once"),
        build_document_migration(6, "store what a search reads of each match in an index"),
    )
