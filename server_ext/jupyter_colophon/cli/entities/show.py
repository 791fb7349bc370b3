"""`jupyter colophon show ENTITY`: what people and machines say of it."""

from dataclasses import asdict

from jupyter_colophon.cli.catalog.command import CatalogCommand, entity_document
from jupyter_colophon.cli.command import FINE


class Show(CatalogCommand):
    """Shows one entity."""

    name = "jupyter-colophon-show"
    description = (
        "Show what people and machines say of an entity: a table's name, the path of a file (from / or ./), or a URN."
    )
    arguments = ("ENTITY",)

    def work(self) -> int:
        """Show it."""
        with self.source() as source:
            found = source.show(self.urn(self.extra_args[0]))
        self.answer(asdict(found), self.page("show", entity_document(found)))
        return FINE
