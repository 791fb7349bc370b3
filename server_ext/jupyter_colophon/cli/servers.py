"""The server that a command is for."""

import os

from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.client.transport import Server
from jupyter_colophon.core.errors import InvalidConfiguration


def add_server_url(parser: Parser) -> None:
    """Declare the server of a client's command."""
    parser.add_argument("--url", default="", help="The server (its token in COLOPHON_TOKEN). Default: COLOPHON_URL.")


def server_named(url: str) -> Server:
    """Return the server of `--url`, else of COLOPHON_URL. Raises InvalidConfiguration."""
    known = url or os.environ.get("COLOPHON_URL", "")
    if not known:
        raise InvalidConfiguration("which server? Say --url=, or set COLOPHON_URL")
    return server_at(known)


def server_at(url: str, token: str | None = None) -> Server:
    """Return the server at a URL, by default with the token in COLOPHON_TOKEN. Raises InvalidConfiguration."""
    try:
        return Server(url, os.environ.get("COLOPHON_TOKEN", "") if token is None else token)
    except ValueError as error:
        raise InvalidConfiguration(f"--url: {error}") from None
