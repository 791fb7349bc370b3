"""`%metadata use connect health status`: choose the server and the namespace, and show the status."""

import getpass
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.api import current_connection
from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.kernel.commands.command import MagicCommand

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


def _add_use_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("namespace", metavar="NAMESPACE", nargs="?")
    parser.add_argument("--clear", action="store_true")


def _add_connect_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL")


def _add_no_arguments(_: ArgumentParser) -> None:
    """Add no arguments."""


def _use_namespace(_: "KernelSession", args: Namespace) -> Result:
    return current_connection.current.get_api().use("" if args.clear else args.namespace)


def _connect_to_server(_: "KernelSession", args: Namespace) -> Result:
    return current_connection.connect(
        args.url, current_connection.find_environment_token(args.url) or _prompt_for_token()
    )


def _prompt_for_token() -> str:
    """Prompt for the token: in a cell it would be stored in the notebook, its history and its runs."""
    try:
        return getpass.getpass("Token: ")
    except (EOFError, NotImplementedError):
        msg = "a token is required, and it cannot be entered here: set COLOPHON_TOKEN"
        raise ValueError(msg) from None


def _read_health_and_kernel_status(session: "KernelSession", _: Namespace) -> Result:
    api = current_connection.current.get_api()
    facts = {
        "server": current_connection.current.server.url,
        "notebook": session.settings.notebook,
        "namespace": api.namespace or "no namespace is in use",
        "capture": session.captures.status_text,
        "libraries": ", ".join(session.libraries.installed_names) or "none that is captured is imported",
        "waiting": str(session.flush_pending(0, 0.1)) or "nothing",
    }
    if session.recorder is not None and session.recorder.refused_count:
        facts["refused"] = format_count_with_noun(session.recorder.refused_count, "report")
    health = api.health()
    return Result(health.kind, {**health.document, "kernel": facts}, health.columns, health.rows)


_HEALTH = "%metadata health                    status of the catalog and of the lineage capture of this notebook (also: status)"

COMMANDS = (
    MagicCommand(
        "use",
        """\
%metadata use [NAMESPACE]           use this namespace for names without a dot; without NAMESPACE: show the current one
                                    [--clear]: use none""",
        _add_use_arguments,
        _use_namespace,
        at_once=True,
    ),
    MagicCommand("health", _HEALTH, _add_no_arguments, _read_health_and_kernel_status, at_once=True),
    MagicCommand("status", _HEALTH, _add_no_arguments, _read_health_and_kernel_status, at_once=True),
    MagicCommand(
        "connect",
        "%metadata connect URL               use this server (prompts for the token, or uses COLOPHON_TOKEN)",
        _add_connect_arguments,
        _connect_to_server,
        at_once=True,
    ),
)
