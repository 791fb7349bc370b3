"""What `dataset` and `app` share: create, show, list, delete."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from traitlets import List, Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand, entity_document
from jupyter_colophon.cli.command import FINE, WRONG_USAGE
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.rendering.page import table_page

VERBS = ("list", "create", "show", "delete")


class EntityCommand(CatalogCommand):
    """A command on one kind of entity: its first word says what is done."""

    more = "list|create|show|delete [NAME]"
    verbs = VERBS
    aliases = CatalogCommand.aliases | {
        "namespace": "EntityCommand.namespace",
        "description": "EntityCommand.description_",
        "property": "EntityCommand.properties",
        "tag": "EntityCommand.tags",
    }
    #: The entity type, its word in sentences, and what its names are to those who complete them.
    type: str
    word: str
    subject: str

    namespace = Unicode("", config=True, help="Those of this namespace alone (list).")
    description_ = Unicode(None, allow_none=True, config=True, help="What it is (create).")
    properties = List(Unicode(), config=True, help="KEY=VALUE, what people say of it; more than once (create).")
    tags = List(Unicode(), config=True, help="A tag of people's; more than once (create).")

    def work(self) -> int:
        """Do what the first word says."""
        verb, *rest = self.extra_args
        if verb not in VERBS or len(rest) != (verb != "list"):
            wanted = f"list, create NAME, show NAME or delete NAME, not {' '.join(self.extra_args)!r}"
            return self.told(wanted, WRONG_USAGE)
        if verb == "list":
            return self._list()
        urn = self.meant(rest[0])
        if verb == "show":
            return self._show(urn)
        return self._create(rest[0], urn) if verb == "create" else self._delete(rest[0], urn)

    def meant(self, text: str) -> str:
        """The URN of what is called so. Raises InvalidName."""
        raise NotImplementedError

    def deployment(self) -> dict[str, Any]:
        """What the options say of it, as the members of `/v3`. Raises InvalidConfiguration, OSError."""
        told: dict[str, Any] = {} if self.description_ is None else {"description": self.description_}
        if self.properties or self.tags:
            told["metadata"] = {"properties": pairs("property", self.properties), "tags": list(self.tags)}
        return told

    def _create(self, name: str, urn: str) -> int:
        told = self.deployment()
        with self.source() as source:
            changed = source.deploy(urn, told)
        self.answer(
            {"urn": urn, "changed": changed}, f"{self.word} {name} {'is there' if changed else 'was so already'}."
        )
        return FINE

    def _delete(self, name: str, urn: str) -> int:
        with self.source() as source:
            source.delete(urn)
        self.answer({"urn": urn}, f"{self.word} {name} was deleted.")
        return FINE

    def _show(self, urn: str) -> int:
        with self.source() as source:
            found = source.show(urn)
        self.answer(asdict(found), self.page("show", entity_document(found)))
        return FINE

    def _list(self) -> int:
        with self.source() as source:
            found = source.listed(self.type, self.namespace)
        rows = [(one.name, one.namespace, one.urn) for one in found]
        columns = ("name", "namespace", "urn")
        entities = [dict(zip(columns, row, strict=True)) for row in rows]
        self.answer({"entities": entities}, str(table_page(rows, *columns)))
        return FINE


def pairs(option: str, texts: Sequence[str]) -> Mapping[str, str]:
    """`KEY=VALUE` of an option. Raises InvalidConfiguration."""
    wrong = next((text for text in texts if "=" not in text), None)
    if wrong is not None:
        raise InvalidConfiguration(f"--{option} is written KEY=VALUE, and {wrong!r} is not")
    return {key: value for key, _, value in (text.partition("=") for text in texts)}
