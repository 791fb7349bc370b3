"""`%metadata check DATASET [DATAFRAME]`: check data against expectations (docs/how-to/check-data-quality.md)."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.kernel.commands.command import MagicCommand
from jupyter_colophon.kernel.commands.edits import add_name_argument

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


def _add_check_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser, has_fields=False)
    parser.add_argument("variable", metavar="DATAFRAME", nargs="?")


def _check_data(session: "KernelSession", args: Namespace) -> Result:
    from jupyter_colophon.spark.quality.api import check

    return check(_find_data(session, args), args.name)


def _find_data(session: "KernelSession", args: Namespace) -> Any:
    """Return the DataFrame in the variable, or the table of Spark with the dataset's name."""
    if args.variable is None:
        from jupyter_colophon.spark.session import get_or_start_active_session

        return get_or_start_active_session().table(args.name)
    variables = session.get_user_variables()
    if args.variable not in variables:
        msg = f"check: there is no variable {args.variable}"
        raise ValueError(msg)
    return variables[args.variable]


COMMANDS = (
    MagicCommand(
        "check",
        """\
%metadata check NAME [DATAFRAME]    check a DataFrame, by default Spark's table of that name, against the expectations
                                    of a dataset, and record the results""",
        _add_check_arguments,
        _check_data,
        at_once=True,
    ),
)
