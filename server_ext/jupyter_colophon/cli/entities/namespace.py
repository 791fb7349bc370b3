"""`jupyter colophon namespace list|create|delete`."""

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE, WRONG_USAGE
from jupyter_colophon.core.identity import names
from jupyter_colophon.rendering.page import table_page

_WORDS = ("list", "create", "delete")


class Namespace(CatalogCommand):
    """Lists, makes and deletes namespaces."""

    name = "jupyter-colophon-namespace"
    description = "list: all namespaces; create NAME; delete NAME, where it holds nothing."
    more = "list|create|delete [NAME]"
    verbs, subject = _WORDS, "NAMESPACE"

    def work(self) -> int:
        """Do what the first word says."""
        word, *rest = self.extra_args
        if word not in _WORDS or len(rest) != (word != "list"):
            return self.told(f"list, create NAME or delete NAME, not {' '.join(self.extra_args)!r}", WRONG_USAGE)
        if word == "list":
            return self._list()
        urn = str(names.namespace(rest[0]))
        with self.source() as source:
            if word == "delete":
                source.delete(urn)
                became = "deleted"
            else:
                became = "made" if source.make_namespace(rest[0]) else "there already"
        self.answer({"urn": urn, "changed": became != "there already"}, f"Namespace {rest[0]} was {became}.")
        return FINE

    def _list(self) -> int:
        with self.source() as source:
            found = sorted(one.name for one in source.listed("namespace", ""))
        self.answer({"namespaces": found}, str(table_page([(name,) for name in found], "namespace")))
        return FINE
