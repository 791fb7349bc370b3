"""`%metadata proposals`: review changes that wait to be applied."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, get_args

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.core.model.owner_request import Decision
from jupyter_colophon.kernel.commands.command import MagicCommand

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("proposal", metavar="ID", nargs="?")
    parser.add_argument("decision", metavar="|".join(get_args(Decision)), nargs="?", choices=get_args(Decision))
    parser.add_argument("comment", metavar="COMMENT", nargs="*")
    parser.add_argument("--list", choices=("assigned", "asked"), default="assigned")


def _show_or_decide_proposals(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().proposals(args.proposal, args.decision, " ".join(args.comment), list=args.list)


COMMANDS = (
    MagicCommand(
        "proposals",
        """\
%metadata proposals [ID]            changes that wait for you, or one with its differences   [--list assigned|asked]
                                    after ID: apply|reject|withdraw|rebase [COMMENT…]""",
        _add_arguments,
        _show_or_decide_proposals,
    ),
)
