"""`jupyter colophon can`: whether a user may do something, and why."""

from typing import Final, get_args

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.core.access import Permission

#: Other words for permissions.
_WORDS: Final = {"write": "annotate"}


class CanCommand(CatalogCommand):
    """Print whether a user has a permission on an entity, and the rule that decides."""

    description = (
        "Print whether a user has a permission on an entity, and the rule that decides. Exits with 1 if not. Only"
        " admins may ask for other users."
    )
    examples = ("ada read sales.orders", "ada write sales.orders --group=analysts")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the user, the permission and the entity."""
        super().add_arguments(parser)
        parser.add_argument("user", help="The name of the user.")
        parser.add_argument(
            "permission", choices=[*_WORDS, *get_args(Permission)], help="The permission; write is annotate."
        )
        parser.add_argument("entity", help=ENTITY_HELP)
        parser.add_argument(
            "--group", action="append", default=[], help="A group of the user, besides those of the settings."
        )

    def run(self) -> int:
        """Print the answer."""
        permission = _WORDS.get(self.args.permission, self.args.permission)
        urn = self.resolve_urn(self.args.entity)
        with self.connect_to_catalog() as client:
            answer = client.read_access(
                urn=urn, permission=permission, user=self.args.user, groups=",".join(self.args.group) or None
            )
        self.print_result(answer, f"{'yes' if answer['allowed'] else 'no'}: {answer['reason']}")
        return EXIT_OK if answer["allowed"] else EXIT_FAILED
