"""`jupyter colophon show ENTITY`: what people and machines say of it."""

from dataclasses import asdict

from jupyter_colophon.cli.catalog.command import CatalogCommand, table
from jupyter_colophon.cli.command import FINE


class Show(CatalogCommand):
    """Shows one entity."""

    name = "jupyter-colophon-show"
    description = "Show what people and machines say of an entity: a table's name, or a URN."
    arguments = ("ENTITY",)

    def work(self) -> int:
        """Show it."""
        with self.source() as source:
            found = source.show(self.urn(self.extra_args[0]))
        rows = [("tag", tag, "", "USER") for tag in found.user_tags]
        rows += [("property", key, value, "USER") for key, value in found.user.items()]
        rows += [("tag", tag, "", "SYSTEM") for tag in found.system_tags]
        rows += [("property", key, value, "SYSTEM") for key, value in found.system.items()]
        head = f"{found.name} ({found.type} of {found.namespace})\n{found.urn}\n"
        self.answer(asdict(found), f"{head}\n{table(rows, 'Kind', 'Name', 'Value', 'Scope')}")
        return FINE
