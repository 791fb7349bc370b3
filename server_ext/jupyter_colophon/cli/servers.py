"""The server that a command connects to."""

import os

from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.client.transport import ServerAddress
from jupyter_colophon.core.errors import InvalidConfiguration


def add_server_url_option(parser: CommandParser) -> None:
    """Declare the option `--url`."""
    parser.add_argument("--url", default="", help="The server (token in COLOPHON_TOKEN). Default: COLOPHON_URL.")


def require_server_address(url: str) -> ServerAddress:
    """Return the server of `--url`, else of COLOPHON_URL. Raises InvalidConfiguration."""
    chosen = url or os.environ.get("COLOPHON_URL", "")
    if not chosen:
        raise InvalidConfiguration("no server given: use --url=, or set COLOPHON_URL")
    return create_server_address(chosen)


def create_server_address(url: str, token: str | None = None) -> ServerAddress:
    """Return the server at a URL, by default with the token in COLOPHON_TOKEN. Raises InvalidConfiguration."""
    try:
        return ServerAddress(url, os.environ.get("COLOPHON_TOKEN", "") if token is None else token)
    except ValueError as error:
        raise InvalidConfiguration(f"--url: {error}") from None
