"""Paths below our prefixes that no other route knows: 404, for those who may ask at all."""

from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar

from jupyter_server.auth.decorator import authorized
from tornado.web import RequestHandler, authenticated

from jupyter_colophon.core.errors import NotFound

H = TypeVar("H", bound=type[RequestHandler])
_ACTIONS: Final = {"get": "read", "post": "write", "put": "write", "patch": "write", "delete": "write"}


def refuse_unknown_paths(handler: H) -> H:
    """Give a handler class every method; each authenticates and authorises first, and then raises NotFound."""
    for method, action in _ACTIONS.items():
        guarded = authenticated(authorized(action, resource="colophon")(_absent()))
        setattr(handler, method, guarded)
    return handler


def _absent() -> Callable[..., NoReturn]:
    def raise_absent(handler: Any, *_: str) -> NoReturn:
        """Raise NotFound."""
        raise NotFound("path", handler.request.path)

    return raise_absent
