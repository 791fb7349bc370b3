"""The migrations by the schema version that they start from. A new one goes to the end; none is ever removed."""

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.migrations.version_1 import version_1


def numbered(registry: Registry) -> tuple[Migration, ...]:
    """Return all migrations; their number is the schema version of this program."""
    return (version_1(registry),)
