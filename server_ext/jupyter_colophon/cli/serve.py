"""`jupyter colophon serve`: serve a catalog that many users share, standalone or as a service of JupyterHub."""

import logging
import os
import re
import secrets
import signal
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.config import read_setting_options
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_integer_type
from jupyter_colophon.core.errors import InvalidConfiguration

#: The variables that JupyterHub sets in the environment of a service.
_PREFIX_VARIABLE: Final = "JUPYTERHUB_SERVICE_PREFIX"
_URL_VARIABLE: Final = "JUPYTERHUB_SERVICE_URL"
_REQUIRED_VARIABLES: Final = (_PREFIX_VARIABLE, _URL_VARIABLE, "JUPYTERHUB_API_URL", "JUPYTERHUB_SERVICE_NAME")
_DEFAULT_PORT: Final = 8890
_PROCESSES_MAX: Final = 64
#: The variables from which Jupyter reads the token of a server.
_TOKEN_VARIABLES: Final = frozenset({"JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE"})
#: An argument that sets a setting of the server.
_SERVER_SETTING: Final = re.compile(r"--[A-Z]\w*\.[a-z]\w*=.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service listens, and the base URL of its routes."""

    ip: str
    port: int
    base_url: str


class ServeCommand(CliCommand):
    """Serve until SIGTERM."""

    description = (
        "Serve a catalog that many users share, and nothing else, until SIGTERM or Ctrl+C."
        " Users have tokens or passwords as in a Jupyter server, or are those of JupyterHub (--hub)."
        " Jupyter's settings of servers apply: --ServerApp.SETTING=VALUE."
    )
    examples = ("--port=8890 --storage-provider=postgresql", "--hub --processes=4")
    takes_unknown = True

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the address, and how many processes serve it."""
        parser.add_argument("--ip", default="localhost", help="The address to listen on; default: localhost.")
        parser.add_argument(
            "--port",
            type=build_integer_type(0, 65_535),
            default=_DEFAULT_PORT,
            help=f"The port; default: {_DEFAULT_PORT}.",
        )
        parser.add_argument("--base-url", default="/", help="The path below which the service is; default: /.")
        parser.add_argument(
            "--hub",
            action="store_true",
            help=f"Run as a service of JupyterHub, which sets the address; the default where {_PREFIX_VARIABLE} is set.",
        )
        parser.add_argument(
            "--processes",
            type=build_integer_type(1, _PROCESSES_MAX),
            default=1,
            help="Number of processes; more than one need PostgreSQL to use several cores.",
        )
        parser.add_argument("--allow-root", action="store_true", help="Allow running as root.")
        parser.set_defaults(words=[])

    def run(self) -> int:
        """Serve until a signal. Raises InvalidConfiguration."""
        # A Jupyter server with an invalid setting starts and refuses requests; the service does not start.
        self.settings.choose_store()
        is_hub = self.args.hub or _PREFIX_VARIABLE in os.environ
        address = read_hub_address(os.environ) if is_hub else Address(self.args.ip, self.args.port, self.args.base_url)
        arguments = [*self._build_server_arguments(address)]
        from jupyter_colophon.http.service.worker import VARIABLE

        if self.args.processes == 1 or VARIABLE in os.environ:
            from jupyter_colophon.http.service.server import run_service

            run_service(arguments, read_setting_options(self.args), is_hub=is_hub)
            return EXIT_OK
        return self._run_processes(address, is_hub=is_hub)

    def _build_server_arguments(self, address: Address) -> Iterator[str]:
        """Yield the arguments of Jupyter's server. Raises InvalidConfiguration for an unknown word."""
        yield from (f"--ServerApp.ip={address.ip}", f"--ServerApp.port={address.port}")
        yield f"--ServerApp.base_url={address.base_url}"
        if config := getattr(self.args, "config", ""):
            yield f"--config={config}"
        if self.args.allow_root:
            yield "--allow-root"
        if self.is_debug:
            yield "--debug"
        for word in self.args.words:
            if _SERVER_SETTING.fullmatch(word) is None:
                raise InvalidConfiguration(f"unknown argument {word}: settings of the server are --Class.setting=VALUE")
            yield word

    def _run_processes(self, address: Address, *, is_hub: bool) -> int:
        if not hasattr(signal, "sigtimedwait"):
            raise InvalidConfiguration("--processes: this system supports one process only")
        from tornado.netutil import bind_sockets

        from jupyter_colophon.http.service.processes import WorkerProcesses

        sockets = bind_sockets(address.port, address.ip)
        url = f"http://{address.ip}:{sockets[0].getsockname()[1]}{address.base_url}"
        token = "" if is_hub or _TOKEN_VARIABLES & os.environ.keys() else secrets.token_hex(24)
        if token:
            # All workers accept the same token.
            os.environ["JUPYTER_TOKEN"] = token
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
        self.print_result(
            {"url": url, "token": token, "processes": self.args.processes},
            f"serving {url} with {self.args.processes} processes{f', token {token}' if token else ''}",
        )
        sys.stdout.flush()
        return WorkerProcesses(sys.argv[1:], sockets, self.args.processes).run()


def read_hub_address(environ: Mapping[str, str]) -> Address:
    """Return the address that JupyterHub gives to a service. Raises InvalidConfiguration."""
    if missing := [name for name in _REQUIRED_VARIABLES if not environ.get(name)]:
        raise InvalidConfiguration(f"--hub: JupyterHub sets {missing[0]} in the environment of a service with a url")
    parts = urlsplit(environ[_URL_VARIABLE])
    if parts.scheme != "http" or not parts.hostname:
        raise InvalidConfiguration(
            f"--hub: the url of the service in JupyterHub must be http://HOST:PORT ({_URL_VARIABLE})"
        )
    return Address(parts.hostname, parts.port or 80, environ[_PREFIX_VARIABLE])
