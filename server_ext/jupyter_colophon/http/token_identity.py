"""The server's identity provider, extended by tokens of our own."""

from collections.abc import Awaitable
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.identity import IdentityProvider, User

from jupyter_colophon.core.errors import AccessDenied
from jupyter_colophon.core.service_token import TOKEN_PREFIX
from jupyter_colophon.http.token_holder import TokenHolder, read_token_of_request

if TYPE_CHECKING:
    from jupyter_colophon.http.authenticated_request import AuthenticatedRequest


class TokenIdentityProvider:
    """The server's identity provider, extended by tokens of kernels and of programs; used by our handlers only."""

    def __init__(self, provider: IdentityProvider) -> None:
        self._inner = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get_user(self, handler: "AuthenticatedRequest") -> User | None:
        """Return the user of a token of our own, else the server's user.

        Raises InvalidServiceToken, AccessDenied, StorageError: a request with a service token has no other user.
        """
        handler.token_holder = await _find_token_holder(handler)
        if handler.token_holder is not None:
            return handler.token_holder.user
        user: User | Awaitable[User | None] | None = self._inner.get_user(handler)  # type: ignore[arg-type]  # a mixin of RequestHandlers
        return await user if isawaitable(user) else user

    def is_token_authenticated(self, handler: "AuthenticatedRequest") -> bool:
        """Return whether the request has a token, and so needs no XSRF cookie."""
        return handler.token_holder is not None or bool(self._inner.is_token_authenticated(handler))  # type: ignore[arg-type]

    def should_check_origin(self, handler: "AuthenticatedRequest") -> bool:
        """Return whether to check the origin: not for a request with a token."""
        return handler.token_holder is None and bool(self._inner.should_check_origin(handler))  # type: ignore[arg-type]


async def _find_token_holder(handler: "AuthenticatedRequest") -> TokenHolder | None:
    token, state = read_token_of_request(handler.request), handler.state
    if token is None:
        return None
    if token.startswith(TOKEN_PREFIX):
        if state.shared_catalog is not None:
            raise AccessDenied("use", "a service token on a server of notebooks: send it to the shared service itself")
        return await state.service_tokens.require_token_holder(token)
    return state.tokens.find_token_holder(token)
