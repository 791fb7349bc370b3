"""The connection of this process, used by the functions of `metadata` (docs/magic.md) and in a kernel by the magic.

It is given by COLOPHON_URL and COLOPHON_TOKEN until `connect` names another server.
"""

import inspect
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.api import MetadataAPI
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import NotConnected
from jupyter_colophon.client.programs.outbox_sender import send_program_changes_and_wait
from jupyter_colophon.client.programs.running import get_configured_server
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.transport import ServerAddress, Transport

#: How long a query outside a kernel waits for what programs of this process emitted.
SYNC_TIMEOUT_S = 2.0
_logger = logging.getLogger("jupyter_colophon.programs")
#: Shows the progress of a long operation.
ShowProgress = Callable[[str], None]


@contextmanager
def show_terminal_progress() -> Iterator[ShowProgress]:
    """Show progress as a line on a terminal; without a terminal, show nothing."""
    with ProgressLine(sys.stderr) as line:
        yield lambda what: line.show(what, 0)


def describe_program() -> dict[str, str]:
    """Return the source of checks outside a kernel."""
    return {"kind": "program", "name": Path(sys.argv[0]).name} if sys.argv[0] else {"kind": "program"}


class CurrentConnection:
    """The current connection. A kernel's session adds hooks: to follow a new server, and to send pending reports."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._api: MetadataAPI | None = None
        self._server: ServerAddress | None = None
        self._process = 0
        #: Called by `connect` with the new server instead of `use`.
        self.on_connect: Callable[[ServerAddress], None] | None = None
        #: Called before a query, to send what is pending: by default what programs of this process emitted.
        self.sync: Callable[[], object] = self.send_program_changes_and_wait
        #: Returns what runs, as the source of results of checks: in a kernel, the cell.
        self.describe_source: Callable[[], dict[str, str]] = describe_program
        #: Context of a long operation that reads data itself.
        self.show_progress: Callable[[], AbstractContextManager[ShowProgress]] = show_terminal_progress

    def get_api(self) -> MetadataAPI:
        """Return the API of the current connection. Raises NotConnected, ValueError if COLOPHON_URL is invalid."""
        with self._lock:
            # A forked child must not use its parent's connection.
            if self._api is None or self._process != os.getpid():
                namespace = self._api.namespace if self._api is not None else ""
                self._server = self._server if self._api is not None else get_configured_server()
                if self._server is None:
                    raise NotConnected
                self._api, self._process = MetadataAPI(Operations(Transport(self._server)), namespace), os.getpid()
            return self._api

    @property
    def server(self) -> ServerAddress:
        """Return the server of the current connection. Raises NotConnected, ValueError if COLOPHON_URL is invalid."""
        self.get_api()
        if self._server is None:
            raise NotConnected
        return self._server

    def send_program_changes_and_wait(self) -> None:
        """Send what programs of this process emitted, and log a warning if it is not applied in time."""
        if not send_program_changes_and_wait(self.server, self.get_api().catalog, SYNC_TIMEOUT_S):
            _logger.warning("some changes emitted by programs of this process have not been applied by the server yet")

    def use_server(self, server: ServerAddress | None) -> None:
        """Use another server from now on; None uses that of the environment."""
        with self._lock:
            if self._api is not None and self._process == os.getpid():
                self._api.catalog.close()
            self._server = server
            self._api = None if server is None else MetadataAPI(Operations(Transport(server)))
            self._process = os.getpid()


current = CurrentConnection()


def connect(url: str, token: str | None = None) -> Result:
    """Use this server from now on; return the user there (`Me`).

    The default token is COLOPHON_TOKEN if it belongs to this server. Raises ValueError without a token,
    ServerUnavailable, RequestFailed; the previous connection stays in use then.
    """
    server = ServerAddress(url, find_environment_token(url) if token is None else token)
    if not server.token:
        msg = "a token is required: pass one, or set COLOPHON_TOKEN"
        raise ValueError(msg)
    catalog = Operations(Transport(server))
    try:
        me = catalog.read_me()
    finally:
        catalog.close()
    (current.on_connect or current.use_server)(server)
    return Result("connect", {**me, "url": server.url}, ("url", "user"), [(server.url, me["user"]["username"])])


def find_environment_token(url: str) -> str:
    """Return the environment's token if it belongs to this URL; otherwise "", since no other server may see it."""
    token = os.environ.get("COLOPHON_TOKEN", "")
    own_url = os.environ.get("COLOPHON_URL", "")
    return token if not own_url or ServerAddress(own_url, token) == ServerAddress(url, token) else ""


def send_pending_and_get_api() -> MetadataAPI:
    """Return the API of the current connection after sending what is pending. Raises NotConnected."""
    api = current.get_api()
    current.sync()
    return api


def _wrap_api_method(name: str) -> Callable[..., Result]:
    """Return a method of the API as a function of the module `metadata`, with its docstring and parameters."""
    method = getattr(MetadataAPI, name)

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Result:
        api = current.get_api() if name in _AT_ONCE else send_pending_and_get_api()
        result: Result = getattr(api, name)(*args, **kwargs)
        return result

    _, *others = inspect.signature(method).parameters.values()
    call.__signature__ = inspect.Signature(others, return_annotation=Result)  # type: ignore[attr-defined]
    call.__qualname__ = name
    return call


#: Functions that do not depend on what is pending.
_AT_ONCE = {"use", "health"}

use, health = _wrap_api_method("use"), _wrap_api_method("health")
tag, untag, set, unset, propagate = map(_wrap_api_method, ("tag", "untag", "set", "unset", "propagate"))
show, search, keys, lineage = map(_wrap_api_method, ("show", "search", "keys", "lineage"))
history, diff, runs, export = map(_wrap_api_method, ("history", "diff", "runs", "export"))
proposals = _wrap_api_method("proposals")
