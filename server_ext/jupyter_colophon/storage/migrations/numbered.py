"""The migrations by number. A new one goes to the end; none is ever taken out or put elsewhere."""

from jupyter_colophon.core.registry import Registry
from jupyter_colophon.storage.migrations.carriers import carriers
from jupyter_colophon.storage.migrations.cell_sources import cell_sources
from jupyter_colophon.storage.migrations.full_text import full_text
from jupyter_colophon.storage.migrations.lineage import lineage
from jupyter_colophon.storage.migrations.relationships import relationships_told
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.migrations.vocabulary import vocabulary


def numbered(registry: Registry) -> tuple[Migration, ...]:
    """All migrations, the first for number 1."""
    names = full_text(registry, "find names by their parts, and count platforms and owners")
    marked = full_text(registry, "find what the model marks for search")
    parts = full_text(registry, "find names by their parts behind name:")
    return (
        full_text(registry),
        lineage(),
        carriers(registry),
        relationships_told(registry),
        names,
        marked,
        parts,
        cell_sources(),
        vocabulary(registry),
    )
