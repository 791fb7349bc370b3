"""`jupyter colophon set ENTITY KEY=VALUE…`."""

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE, WRONG_USAGE
from jupyter_colophon.core.entities.annotation import Annotation


class Set(CatalogCommand):
    """Sets properties of an entity."""

    name = "jupyter-colophon-set"
    description = "Set properties of an entity."
    arguments = ("ENTITY",)
    more = "KEY=VALUE"

    def work(self) -> int:
        """Set them."""
        name, *pairs = self.extra_args
        wrong = next((pair for pair in pairs if "=" not in pair), None)
        if wrong is not None:
            return self.told(f"a property is written KEY=VALUE, and {wrong!r} is not", WRONG_USAGE)
        urn = self.urn(name)
        with self.source() as source:
            changed = source.annotate(urn, Annotation(dict(_pair(pair) for pair in pairs)))
        self.answer({"urn": urn, "changed": changed}, f"{name} {'was changed' if changed else 'was so already'}.")
        return FINE


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value
