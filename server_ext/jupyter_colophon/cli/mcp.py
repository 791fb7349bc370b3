"""`jupyter colophon mcp`: an MCP server over standard input and output, started by an assistant."""

import getpass
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from jupyter_colophon.cli.catalog.client import open_local_services
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.cli.servers import create_server_address
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidConfiguration

# Slow to load, and not needed for `--help`.
if TYPE_CHECKING:
    from jupyter_colophon.client.caller import Caller
    from jupyter_colophon.settings import Settings

#: Longer than the server's own read deadline, by default 20 s.
_TIMEOUT_S: Final = 60.0


class McpCommand(CliCommand):
    """Serve an assistant until it exits."""

    description = (
        "Serve an assistant by the Model Context Protocol over standard input and output (docs/mcp.md)."
        " The assistant can read the catalog; with c.Colophon.mcp_access = 'write', it can also tag and describe entities."
    )
    examples = ("", "--url=http://localhost:8888/")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the option `--url`."""
        parser.add_argument(
            "--url",
            default="",
            help="Serve the catalog of this server (token in COLOPHON_TOKEN). Default: COLOPHON_URL, else the store.",
        )

    def run(self) -> int:
        """Serve until standard input ends."""
        if find_spec("mcp") is None:
            raise InvalidConfiguration("the MCP SDK is not installed: pip install jupyter-colophon[mcp]")
        if self.settings.mcp_access == "off":
            raise InvalidConfiguration("the MCP server is disabled: set c.Colophon.mcp_access")
        from jupyter_colophon.mcp_server.access import find_read_only_reason
        from jupyter_colophon.mcp_server.toolbox import Toolbox
        from jupyter_colophon.mcp_server.transports import serve_stdio

        principal = Principal(getpass.getuser())
        with _open_caller(self.args.url or os.environ.get("COLOPHON_URL", ""), self.settings, principal) as caller:
            serve_stdio(Toolbox(caller, find_read_only_reason(self.settings.mcp_access, principal)))
        return EXIT_OK


@contextmanager
def _open_caller(url: str, settings: "Settings", principal: Principal) -> Iterator["Caller"]:
    """Open the catalog of a server, or the store of the settings. Raises InvalidConfiguration, NotFound, StorageError."""
    if url:
        with closing(Transport(create_server_address(url), timeout_s=_TIMEOUT_S)) as transport:
            yield transport
        return
    from jupyter_colophon.operations.in_process import InProcessCaller
    from jupyter_colophon.operations.native.api import NATIVE

    with open_local_services(settings) as services:
        yield InProcessCaller(services, principal, NATIVE)
