"""`jupyter colophon search WORD…`."""

from dataclasses import asdict

from traitlets import Bool, Int, Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand, called, table
from jupyter_colophon.cli.command import FINE


class Search(CatalogCommand):
    """Searches the catalog."""

    name = "jupyter-colophon-search"
    description = "Search entities: words, key:value, prefixes with *."
    more = "WORD"
    aliases = CatalogCommand.aliases | {
        "type": "Search.type",
        "namespace": "Search.namespace",
        "tag": "Search.tag",
        "term": "Search.term",
        "domain": "Search.domain",
        "owner": "Search.owner",
        "limit": "Search.limit",
    }

    flags = CatalogCommand.flags | {"removed": ({"Search": {"removed": True}}, "Also what was softly deleted.")}

    type = Unicode("", config=True, help="Of this entity type alone.")
    namespace = Unicode("", config=True, help="Of this namespace alone.")
    tag = Unicode("", config=True, help="With this tag: a key, a URN or a name.")
    term = Unicode("", config=True, help="With this glossary term: a key, a URN or a name.")
    domain = Unicode("", config=True, help="In this domain: a key, a URN or a name.")
    owner = Unicode("", config=True, help="With this owner: a key, a URN or a name.")
    removed = Bool(False, config=True, help="Also what was softly deleted.")
    limit = Int(20, min=1, max=500, config=True, help="How many at most.")

    def work(self) -> int:
        """Search."""
        told = {name: getattr(self, name) for name in ("type", "namespace", "tag", "term", "domain", "owner")}
        filters = {name: value for name, value in told.items() if value}
        with self.source() as source:
            found = source.search(" ".join(self.extra_args), filters, self.limit, removed=self.removed)
        identity = self.asked.identity()
        rows = [(called(one, identity), one.type, one.namespace, one.tags, one.description) for one in found.lines]
        shown = table(rows, "Name", "Type", "Namespace", "Tags", "Description")
        text = f"{shown}\n{len(rows)} of {found.total}" if rows else "Nothing was found."
        self.answer({"total": found.total, "hits": [asdict(one) for one in found.lines]}, text)
        return FINE
