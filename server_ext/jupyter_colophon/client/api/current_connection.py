"""The connection of this process: the functions of `metadata` (docs/magic.md) use it, and in a kernel the magic does too.

It is that of COLOPHON_URL and COLOPHON_TOKEN, until `connect` names another.
"""

import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.api import Verbs
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import NotConnected
from jupyter_colophon.client.programs.running import known_server
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.client.transport import Server, Transport

#: Told how far a long work is.
Tell = Callable[[str], None]


@contextmanager
def at_terminal() -> Iterator[Tell]:
    """A work whose progress is a line on a terminal, and nothing where there is none."""
    with Line(sys.stderr) as line:
        yield lambda what: line.show(what, 0)


class Present:
    """What is connected now. A kernel's companion takes part: it follows a new server, and settles what cells did."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._verbs: Verbs | None = None
        self._server: Server | None = None
        self._process = 0
        #: Called with a server that somebody connects to, before it is used.
        self.follow: Callable[[Server], None] | None = None
        #: Called before any verb asks: what cells did so far should be known by then.
        self.settle: Callable[[], object] | None = None
        #: Around a long work that reads data by itself.
        self.working: Callable[[], AbstractContextManager[Tell]] = at_terminal

    def verbs(self) -> Verbs:
        """The verbs of the present connection. Raises NotConnected, ValueError where COLOPHON_URL is no URL."""
        with self._lock:
            # A child that was forked must not read from its parent's connection.
            if self._verbs is None or self._process != os.getpid():
                namespace = self._verbs.namespace if self._verbs is not None else ""
                self._server = self._server if self._verbs is not None else known_server()
                if self._server is None:
                    raise NotConnected
                self._verbs, self._process = Verbs(Operations(Transport(self._server)), namespace), os.getpid()
            return self._verbs

    @property
    def server(self) -> Server:
        """The server of the present connection. Raises NotConnected, ValueError where COLOPHON_URL is no URL."""
        self.verbs()
        if self._server is None:
            raise NotConnected
        return self._server

    def use(self, server: Server | None) -> None:
        """Another server from now on; None is that of the environment."""
        with self._lock:
            if self._verbs is not None and self._process == os.getpid():
                self._verbs.catalog.close()
            self._server = server
            self._verbs = None if server is None else Verbs(Operations(Transport(server)))
            self._process = os.getpid()


present = Present()


def connect(url: str, token: str | None = None) -> Result:
    """Uses this server from now on; answers who one is there (`Me`).

    The token is that of COLOPHON_TOKEN where it is meant for this server. Raises ValueError without one, ServerUnavailable, RequestFailed:
    the connection that was there stays then.
    """
    server = Server(url, token_for(url) if token is None else token)
    if not server.token:
        msg = "a token is needed: give one, or set COLOPHON_TOKEN"
        raise ValueError(msg)
    catalog = Operations(Transport(server))
    try:
        me = catalog.read_me()
    finally:
        catalog.close()
    (present.follow or present.use)(server)
    return Result("connect", {**me, "url": server.url}, ("url", "user"), [(server.url, me["user"]["username"])])


def token_for(url: str) -> str:
    """The environment's token where it is meant for this URL; empty elsewhere: no other server may see it."""
    token = os.environ.get("COLOPHON_TOKEN", "")
    meant = os.environ.get("COLOPHON_URL", "")
    return token if not meant or Server(meant, token) == Server(url, token) else ""


def settled_verbs() -> Verbs:
    """The verbs of the present connection, once what cells did so far is known. Raises NotConnected."""
    verbs = present.verbs()
    if present.settle is not None:
        present.settle()
    return verbs


def _verb(name: str) -> Callable[..., Result]:
    """The verb as a function of the module `metadata`, with its own words and parameters."""
    of = getattr(Verbs, name)

    @wraps(of)
    def call(*args: Any, **kwargs: Any) -> Result:
        verbs = present.verbs() if name in _AT_ONCE else settled_verbs()
        found: Result = getattr(verbs, name)(*args, **kwargs)
        return found

    _, *others = inspect.signature(of).parameters.values()
    call.__signature__ = inspect.Signature(others, return_annotation=Result)  # type: ignore[attr-defined]
    call.__qualname__ = name
    return call


#: Verbs that need nothing of what cells did.
_AT_ONCE = {"use", "health"}

use, health = _verb("use"), _verb("health")
tag, untag, set, unset, propagate = map(_verb, ("tag", "untag", "set", "unset", "propagate"))
show, search, keys, lineage = map(_verb, ("show", "search", "keys", "lineage"))
history, diff, runs, export = map(_verb, ("history", "diff", "runs", "export"))
