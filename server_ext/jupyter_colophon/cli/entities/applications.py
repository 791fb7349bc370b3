"""`jupyter colophon app list|create|show|delete`."""

import argparse
from collections import defaultdict
from typing import Any

from jupyter_colophon.cli.catalog.completers import complete_applications
from jupyter_colophon.cli.catalog.entity_command import EntityCommand, add_pairs
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX


class Applications(EntityCommand):
    """Deploys, shows, lists and deletes applications."""

    description = "List, deploy, show and delete applications."
    type, word, name_help, completer = (
        "dataFlow",
        "Application",
        "NAMESPACE.APPLICATION, or a URN.",
        complete_applications,
    )

    @classmethod
    def add_members(cls, parser: Parser) -> None:
        """Declare the options of an application that is created."""
        super().add_members(parser)
        parser.add_argument(
            "--program",
            action="append",
            default=[],
            type=_program,
            metavar="TYPE/PROGRAM",
            help="A program, such as flows/Load; may be repeated. Programs that are not named are deleted.",
        )
        parser.add_argument("--remove-all-programs", action="store_true", help="Delete all its programs.")
        parser.add_argument("--artifact", metavar="TEXT", help="What it was made of.")
        add_pairs(parser, "--plugin", "A plugin; may be repeated.", "NAME=WORDS")
        add_pairs(parser, "--schedule", "A schedule; may be repeated.", "NAME=WORDS")

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
        return str(from_v3(("namespaces", space, "apps", name), self.settings.identity()))

    def deployment(self) -> dict[str, Any]:
        """What the options say."""
        members = super().deployment()
        args = self.args
        if args.program or args.remove_all_programs:
            members["programs"] = _by_type(args.program)
        if args.artifact is not None:
            members["artifact"] = args.artifact
        for member, pairs in (("plugins", args.plugin), ("schedules", args.schedule)):
            if pairs:
                members[member] = dict(pairs)
        return members


def _program(text: str) -> tuple[str, str]:
    type_, slash, name = text.partition("/")
    if not slash:
        raise argparse.ArgumentTypeError(f"must be TYPE/PROGRAM, not {text!r}")
    return type_, name


def _by_type(programs: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for type_, name in programs:
        found[type_].append(name)
    return dict(found)
