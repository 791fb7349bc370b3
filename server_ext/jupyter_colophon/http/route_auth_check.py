"""The check of a route table before it is served: no handler method of ours without authentication and authorisation (spec SEC-1).

jupyter_server's `authorized`, used without arguments, keeps the action and the resource of its first request for
the life of the process: so both must have been given, on the concrete method.
"""

from collections.abc import Iterable, Iterator
from inspect import getclosurevars, unwrap
from typing import Any

from tornado.websocket import WebSocketHandler

#: The coarse resource that Jupyter's authorizers are asked about.
RESOURCE = "colophon"
_METHODS = ("get", "head", "post", "put", "patch", "delete")


class UnguardedHandler(RuntimeError):
    """A handler method that anybody could call."""


def check(routes: Iterable[tuple[str, type]], resource: str) -> None:
    """Raise UnguardedHandler for the first method that is not guarded."""
    for pattern, handler in routes:
        for name in _METHODS:
            method = getattr(handler, name)
            if unwrap(method).__qualname__.startswith("RequestHandler."):
                continue
            _check_method(f"{handler.__name__}.{name} ({pattern})", handler, method, name, resource)


def _check_method(shown: str, handler: type, method: Any, name: str, resource: str) -> None:
    if name not in vars(handler):
        raise UnguardedHandler(f"{shown} is inherited: an authorised method belongs to the handler that is routed")
    layers = list(_layers(method))
    names = [layer.__code__.co_qualname for layer in layers]
    if issubclass(handler, WebSocketHandler):
        if any(name.startswith("ws_authenticated.") for name in names):
            return
        raise UnguardedHandler(f"{shown} lacks @ws_authenticated")
    given = [given for layer in layers if (given := _authorized_with(layer))]
    authenticated = any(name.startswith("authenticated.") for name in names)
    if not authenticated or not any(action and what == resource for action, what in given):
        raise UnguardedHandler(f'{shown} lacks @authenticated or @authorized("…", resource="{resource}")')


def _layers(method: Any) -> Iterator[Any]:
    """The function and everything that it wraps, outermost first."""
    while method is not None:
        yield method
        method = getattr(method, "__wrapped__", None)


def _authorized_with(layer: Any) -> tuple[str | None, str | None] | None:
    if not layer.__code__.co_qualname.startswith("authorized."):
        return None
    known = getclosurevars(layer).nonlocals
    return known.get("action"), known.get("resource")
