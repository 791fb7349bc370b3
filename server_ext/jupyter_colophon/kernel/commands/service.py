"""`%metadata use connect health status`: which server, which namespace, and how it is."""

import getpass
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.api import current_connection
from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.core.display_text import count_of
from jupyter_colophon.kernel.commands.command import Command

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import Companion


def _use_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("namespace", metavar="NAMESPACE", nargs="?")
    parser.add_argument("--clear", action="store_true")


def _connect_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL")


def _no_arguments(_: ArgumentParser) -> None:
    """It takes none."""


def _use(_: "Companion", asked: Namespace) -> Result:
    return current_connection.present.verbs().use("" if asked.clear else asked.namespace)


def _connect(_: "Companion", asked: Namespace) -> Result:
    return current_connection.connect(asked.url, current_connection.token_for(asked.url) or _asked_token())


def _asked_token() -> str:
    """Asks the person: a token in a cell would be kept in the notebook, its history and its runs."""
    try:
        return getpass.getpass("Token: ")
    except (EOFError, NotImplementedError):
        msg = "a token is needed, and nobody can be asked for it here: set COLOPHON_TOKEN"
        raise ValueError(msg) from None


def _health(companion: "Companion", _: Namespace) -> Result:
    verbs = current_connection.present.verbs()
    facts = {
        "server": current_connection.present.server.url,
        "notebook": companion.settings.notebook,
        "namespace": verbs.namespace or "none in use",
        "capture": companion.captures.state,
        "waiting": str(companion.settle(0, 0.1)) or "nothing",
    }
    if companion.recorder is not None and companion.recorder.refused:
        facts["refused"] = count_of(companion.recorder.refused, "report")
    found = verbs.health()
    return Result(found.kind, {**found.document, "kernel": facts}, found.columns, found.rows)


_HEALTH = "%metadata health                    is the catalog there, and does it record this notebook (also: status)"

COMMANDS = (
    Command(
        "use",
        """\
%metadata use [NAMESPACE]           names without a dot are of this namespace from now on; without a word: which one it is
                                    [--clear]: of none again""",
        _use_arguments,
        _use,
        at_once=True,
    ),
    Command("health", _HEALTH, _no_arguments, _health, at_once=True),
    Command("status", _HEALTH, _no_arguments, _health, at_once=True),
    Command(
        "connect",
        "%metadata connect URL               use this server (asks for the token, or takes COLOPHON_TOKEN)",
        _connect_arguments,
        _connect,
        at_once=True,
    ),
)
