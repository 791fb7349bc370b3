"""`jupyter colophon unset ENTITY KEY…`."""

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.core.entities.annotation import Annotation


class Unset(CatalogCommand):
    """Removes properties of an entity."""

    name = "jupyter-colophon-unset"
    description = "Remove properties of an entity."
    arguments = ("ENTITY",)
    more = "KEY"

    def work(self) -> int:
        """Remove them."""
        name, *keys = self.extra_args
        urn = self.urn(name)
        with self.source() as source:
            changed = source.annotate(urn, Annotation(without_properties=frozenset(keys)))
        self.answer({"urn": urn, "changed": changed}, f"{name} {'was changed' if changed else 'was so already'}.")
        return FINE
