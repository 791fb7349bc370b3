"""The server of the shared service: Jupyter's, with its identity providers and settings, and none of its routes."""

import signal
import socket
from collections.abc import Mapping
from typing import Any, Final

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.filemanager import AsyncFileContentsManager
from tornado.netutil import bind_sockets
from traitlets import Float
from traitlets.config import Config

from jupyter_colophon.http.service.draining import DrainingServer
from jupyter_colophon.http.service.worker import WorkerChannel
from jupyter_colophon.http.state import SETTING, ServerState

#: The module with the service's extension, the only one that is loaded.
_EXTENSION: Final = "jupyter_colophon.http.service"
#: How long requests in progress may take after the signal to stop.
DRAIN_SECONDS: Final = 30.0
#: How long idle connections are kept if no other process serves their clients: what they have sent by now is answered.
_LAST_REQUESTS_SECONDS: Final = 1.0


class NoContents(AsyncFileContentsManager):
    """The contents manager that Jupyter's server requires; no route reads it."""

    def get_extra_handlers(self) -> list[Any]:
        """Return the handlers of files: none."""
        return []


class ServiceServer(ServerApp):
    """Serves the catalog, and nothing else: no contents, kernels, terminals or pages."""

    default_services = ()  # type: ignore[assignment]  # Jupyter's own type is a tuple of thirteen names
    #: The connection to the process that started this one as one of several workers.
    channel: WorkerChannel | None = None
    idle_connection_seconds = Float(
        15.0,
        min=0.0,
        max=DRAIN_SECONDS,
        config=True,
        help="Number of seconds for which a process that is replaced keeps idle connections: the next request of a "
        "connection is answered with `Connection: close`. Clients that pause for longer between two requests may have "
        "to repeat one.",
    )

    def init_configurables(self) -> None:
        """Use no contents, in whatever configuration Jupyter servers of this machine share."""
        self.contents_manager_class = NoContents
        super().init_configurables()

    def init_server_extensions(self) -> None:
        """Load the extension of the service alone."""
        self.jpserver_extensions = {_EXTENSION: True}
        super().init_server_extensions()

    def init_httpserver(self) -> None:
        """Create the HTTP server; its sockets are bound here, or by the process that started this one."""
        self._http_server = DrainingServer(
            self.web_app,
            ssl_options=self.ssl_options,
            xheaders=self.trust_xheaders,
            max_body_size=self.max_body_size,
            max_buffer_size=self.max_buffer_size,
        )
        sockets = self.channel.sockets if self.channel is not None else self._bind_sockets()
        self.io_loop.add_callback(self._listen, sockets)

    def stop(self, from_signal: bool = False) -> None:
        """Stop; a server that is replaced, and is to stop now, keeps idle connections no longer."""
        self._set_idle_seconds(_LAST_REQUESTS_SECONDS)
        if not self._stopping:
            super().stop(from_signal)

    def running_server_info(self, kernel_count: bool = True) -> str:
        """Return the line that is logged at the start."""
        return f"The catalog is served at {self.display_url}"

    def write_server_info_file(self) -> None:
        """Do nothing: clients look in these files for servers with kernels."""

    def write_browser_open_files(self) -> None:
        """Do nothing: there is no page to open."""

    def _bind_sockets(self) -> list[socket.socket]:
        try:
            sockets = bind_sockets(self.port, self.ip)
        except OSError as error:
            self.log.critical("cannot listen on port %d of %s: %s", self.port, self.ip, error.strerror)
            self.exit(1)
        self.port = sockets[0].getsockname()[1]
        return sockets

    def _listen(self, sockets: list[socket.socket]) -> None:
        self.http_server.add_sockets(sockets)
        if self.channel is not None:
            self.channel.report_ready_and_stop_with_parent(self.stop, self._stop_as_replaced)

    def _stop_as_replaced(self) -> None:
        """Stop; another process accepts connections, so clients can be asked to connect again."""
        self.stop()
        self._set_idle_seconds(self.idle_connection_seconds)

    def _set_idle_seconds(self, seconds: float) -> None:
        server: Any = self._http_server
        server.idle_seconds = seconds

    async def _cleanup(self) -> None:
        """Answer the requests in progress before the catalog is closed."""
        state: ServerState = self.web_app.settings[SETTING]
        state.change_hub.stop_all()
        server: Any = self.http_server
        await server.answer_requests_and_close(DRAIN_SECONDS)
        await super()._cleanup()


def run_service(arguments: list[str], settings: Mapping[str, Any], *, is_hub: bool) -> None:
    """Serve until SIGTERM or SIGINT, with arguments of Jupyter's server, and settings of the catalog by name.

    With `is_hub`, users are those of JupyterHub.
    """
    server = ServiceServer.instance(config=_build_config(settings, is_hub=is_hub))
    server.channel = WorkerChannel.from_environ()
    server.initialize(arguments, find_extensions=False)
    # As JupyterHub does: Jupyter's own handler asks on the terminal.
    signal.signal(signal.SIGINT, server._signal_stop)
    server.start()


def _build_config(settings: Mapping[str, Any], *, is_hub: bool) -> Config:
    config = Config()
    config.Colophon.update(settings)
    config.ServerApp.open_browser = False
    config.ServerApp.allow_unauthenticated_access = False
    if is_hub:
        from jupyter_colophon.http.service.hub_identity import HubIdentityProvider

        config.ServerApp.identity_provider_class = HubIdentityProvider
        # The hub's proxy passes the public host on. A page cannot use the service: it needs a token in a header.
        config.ServerApp.allow_remote_access = True
        config.ServerApp.trust_xheaders = True
    return config
