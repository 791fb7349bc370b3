"""`jupyter colophon app list|create|show|delete`."""

import argparse
from collections import defaultdict
from typing import Any

from jupyter_colophon.cli.catalog.completers import complete_applications
from jupyter_colophon.cli.catalog.entity_command import EntityCommand, add_pairs_option
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.core.cdap.names import parse_v3_path
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX


class ApplicationCommand(EntityCommand):
    """List, deploy, show and delete applications."""

    description = "List, deploy, show and delete applications."
    entity_type = "dataFlow"
    label = "Application"
    name_help = "NAMESPACE.APPLICATION, or a URN."
    completer = complete_applications
    create_example = "shop.etl --program=flows/Load"

    @classmethod
    def add_entity_options(cls, parser: CommandParser) -> None:
        """Declare the options of `create`."""
        super().add_entity_options(parser)
        parser.add_argument(
            "--program",
            action="append",
            default=[],
            type=_parse_program,
            metavar="TYPE/PROGRAM",
            help="A program, such as flows/Load; may be repeated. Programs that are not given are deleted.",
        )
        parser.add_argument("--remove-all-programs", action="store_true", help="Delete all its programs.")
        parser.add_argument("--artifact", metavar="TEXT", help="The artifact that it was deployed from.")
        add_pairs_option(parser, "--plugin", "A plugin; may be repeated.", "NAME=WORDS")
        add_pairs_option(parser, "--schedule", "A schedule; may be repeated.", "NAME=WORDS")

    def resolve_entity(self, name: str) -> str:
        """Return the URN for `<namespace>.<application>` or a URN. Raises InvalidName."""
        if name.startswith(PREFIX):
            urn = Urn.parse(name)
            if urn.type != self.entity_type:
                raise InvalidName("application", name, f"it is the URN of a {urn.type}")
            return str(urn)
        namespace, dot, application = name.partition(".")
        if not dot:
            raise InvalidName("application", name, "write <namespace>.<application>, or a URN")
        return str(parse_v3_path(("namespaces", namespace, "apps", application), self.settings.build_identity()))

    def build_registration_document(self) -> dict[str, Any]:
        """Return the options as a document of the CDAP API."""
        members = super().build_registration_document()
        args = self.args
        if args.program or args.remove_all_programs:
            members["programs"] = _group_by_type(args.program)
        if args.artifact is not None:
            members["artifact"] = args.artifact
        for member, pairs in (("plugins", args.plugin), ("schedules", args.schedule)):
            if pairs:
                members[member] = dict(pairs)
        return members


def _parse_program(text: str) -> tuple[str, str]:
    type_, slash, name = text.partition("/")
    if not slash:
        raise argparse.ArgumentTypeError(f"must be TYPE/PROGRAM, not {text!r}")
    return type_, name


def _group_by_type(programs: list[tuple[str, str]]) -> dict[str, list[str]]:
    names_by_type: dict[str, list[str]] = defaultdict(list)
    for type_, name in programs:
        names_by_type[type_].append(name)
    return dict(names_by_type)
