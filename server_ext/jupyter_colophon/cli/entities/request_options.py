"""The options that select requests, and the changes that wait for review, which are requests too."""

from typing import Final

from jupyter_colophon.cli.catalog.command import ENTITY_HELP
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.parser import CommandParser, build_choice_type, set_completer

_LISTS: Final = ("assigned", "asked")


def add_list_option(parser: CommandParser, verb: str) -> None:
    """Add the option `--list`; `verb` is what a user did with their own requests, in the past tense."""
    parser.add_argument(
        "--list",
        choices=_LISTS,
        type=build_choice_type(_LISTS),
        default="",
        help=f"Only those that are assigned to you or your teams, or that you {verb}.",
    )


def add_about_option(parser: CommandParser) -> None:
    """Add the option `--about`."""
    about = parser.add_argument(
        "--about", default="", metavar="ENTITY", help=f"Only those about this entity or its columns. {ENTITY_HELP}"
    )
    set_completer(about, complete_datasets)
