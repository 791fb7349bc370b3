"""A JupyterHub whose proxy and service run apart from it, as on Kubernetes: both, and single-user servers, outlive it."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
from support.hub import PROXY_COMMAND, PYTHON, Hub, find_free_port, stop_process

_PREFIX = "/services/colophon/"
_CONFIG = """
c.ConfigurableHTTPProxy.should_start = False
c.ConfigurableHTTPProxy.auth_token = %r
c.JupyterHub.cleanup_servers = False
"""


class HubApart:
    """The hub, its proxy and the service. `arguments` are those of `jupyter colophon serve`."""

    def __init__(
        self, folder: Path, groups: Mapping[str, list[str]], roles: Mapping[str, list[str]], arguments: Sequence[str]
    ) -> None:
        """`roles` are the groups that read, write or administer the catalog, by argument of `configure_service`."""
        self._url = f"http://127.0.0.1:{find_free_port()}"
        self.hub = Hub(folder, groups, {"url": self._url, "command": (), **roles})
        self.hub.more = _CONFIG % self.hub.token
        self._arguments = arguments
        self._proxy: subprocess.Popen[bytes] | None = None
        self._service: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL of the service itself, which needs no proxy."""
        return f"{self._url}{_PREFIX}"

    def start(self) -> None:
        """Start all."""
        self._start_proxy()
        self.hub.start()
        self._service = self.hub.start_process(
            [str(PYTHON), "-m", "jupyter_colophon.cli", "serve", "--hub", *self._arguments],
            JUPYTERHUB_SERVICE_NAME="colophon",
            JUPYTERHUB_SERVICE_PREFIX=_PREFIX,
            JUPYTERHUB_SERVICE_URL=self._url,
            JUPYTERHUB_API_URL=f"http://127.0.0.1:{self.hub.hub_port}/hub/api",
        )

    def stop(self) -> None:
        """Stop all."""
        self.hub.stop()
        for process in (self._proxy, self._service):
            if process is not None:
                stop_process(process)

    def connect(self, token: str) -> Operations:
        """Return the catalog of the service."""
        return Operations(Transport(ServerAddress(self.url, token)))

    def take_hub_away(self, way: str) -> None:
        """Stop the hub, kill it, kill it with its proxy, or let it answer no request."""
        process = self.hub.process
        assert process is not None
        if way == "hangs":
            process.send_signal(signal.SIGSTOP)
        elif way == "stopped":
            self.hub.stop()
        else:
            self.hub.process = None
            process.kill()
            process.wait()
        if way == "killed with its proxy":
            assert self._proxy is not None
            self._proxy.kill()
            self._proxy.wait()

    def bring_hub_back(self, way: str) -> None:
        """Undo `take_hub_away`, and wait until the hub answers."""
        if way == "hangs":
            assert self.hub.process is not None
            self.hub.process.send_signal(signal.SIGCONT)
        else:
            if way == "killed with its proxy":
                self._start_proxy()
            self.hub.start()

    def _start_proxy(self) -> None:
        ports = [f"--port={self.hub.port}", f"--api-port={self.hub.proxy_port}"]
        options = ["--ip=127.0.0.1", "--api-ip=127.0.0.1", *ports]
        options.append(f"--default-target=http://127.0.0.1:{self.hub.hub_port}")
        self._proxy = self.hub.start_process([*PROXY_COMMAND, *options], CONFIGPROXY_AUTH_TOKEN=self.hub.token)
