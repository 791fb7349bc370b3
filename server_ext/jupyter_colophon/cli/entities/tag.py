"""`jupyter colophon tag ENTITY TAG…`, and with `--remove` the other way round."""

from traitlets import Bool

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.core.entities.annotation import Annotation


class Tag(CatalogCommand):
    """Tags an entity."""

    name = "jupyter-colophon-tag"
    description = "Add tags to an entity, or remove them."
    arguments = ("ENTITY",)
    more = "TAG"
    flags = CatalogCommand.flags | {"remove": ({"Tag": {"remove": True}}, "Remove the tags.")}

    remove = Bool(False, config=True, help="Remove the tags.")

    def work(self) -> int:
        """Tag it."""
        name, *tags = self.extra_args
        change = Annotation(without_tags=frozenset(tags)) if self.remove else Annotation(tags=tuple(tags))
        urn = self.urn(name)
        with self.source() as source:
            changed = source.annotate(urn, change)
        self.answer({"urn": urn, "changed": changed}, f"{name} {'was changed' if changed else 'was so already'}.")
        return FINE
