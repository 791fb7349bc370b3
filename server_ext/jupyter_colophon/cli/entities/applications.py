"""`jupyter colophon app list|create|show|delete`."""

from collections import defaultdict
from typing import Any

from traitlets import Bool, List, Unicode

from jupyter_colophon.cli.catalog.entity_command import EntityCommand, pairs
from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX


class Applications(EntityCommand):
    """Deploys, shows, lists and deletes applications."""

    name = "jupyter-colophon-app"
    description = "list: all applications; create NAME, show NAME, delete NAME: <namespace>.<application>, or a URN."
    aliases = EntityCommand.aliases | {
        "program": "Applications.programs",
        "artifact": "Applications.artifact",
        "plugin": "Applications.plugins",
        "schedule": "Applications.schedules",
    }
    flags = EntityCommand.flags | {
        "remove-all-programs": ({"Applications": {"remove_all_programs": True}}, "Remove all its programs (create).")
    }
    type, word, subject = "dataFlow", "Application", "APPLICATION"

    programs = List(
        Unicode(),
        config=True,
        help="<type>/<program>, such as flows/Load; more than once. Those that are not named are deleted (create).",
    )
    remove_all_programs = Bool(False, config=True, help="Remove all its programs (create).")
    artifact = Unicode(None, allow_none=True, config=True, help="What it was made of (create).")
    plugins = List(Unicode(), config=True, help="NAME=WORDS, a plugin; more than once (create).")
    schedules = List(Unicode(), config=True, help="NAME=WORDS, a schedule; more than once (create).")

    def meant(self, text: str) -> str:
        """`<namespace>.<application>`, or a URN."""
        if text.startswith(PREFIX):
            urn = Urn.parse(text)
            if urn.type != self.type:
                raise InvalidName("application", text, f"it is the URN of a {urn.type}")
            return str(urn)
        space, dot, name = text.partition(".")
        if not dot:
            raise InvalidName("application", text, "write <namespace>.<application>, or a URN")
        return str(from_v3(("namespaces", space, "apps", name), self.asked.identity()))

    def deployment(self) -> dict[str, Any]:
        """What the options say."""
        told = super().deployment()
        if self.programs or self.remove_all_programs:
            told["programs"] = _by_type(self.programs)
        if self.artifact is not None:
            told["artifact"] = self.artifact
        for member, said in (("plugin", self.plugins), ("schedule", self.schedules)):
            if said:
                told[f"{member}s"] = pairs(member, said)
        return told


def _by_type(texts: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        type_, slash, name = text.partition("/")
        if not slash:
            raise InvalidConfiguration(f"--program is written <type>/<program>, and {text!r} is not")
        found[type_].append(name)
    return dict(found)
