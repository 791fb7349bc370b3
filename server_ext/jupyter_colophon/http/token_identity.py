"""The server's identity provider, extended by tokens of our own."""

from collections.abc import Awaitable
from functools import cache
from hmac import compare_digest
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.identity import IdentityProvider, User

from jupyter_colophon.core.errors import AccessDenied
from jupyter_colophon.core.service_token import TOKEN_PREFIX
from jupyter_colophon.http.state import get_account_name, has_generated_user_names
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
        if _has_only_server_token(handler, self._inner):
            handler.has_server_token = True
            return _create_account_user()
        user: User | Awaitable[User | None] | None = self._inner.get_user(handler)  # type: ignore[arg-type]  # a mixin of RequestHandlers
        return await user if isawaitable(user) else user

    def is_token_authenticated(self, handler: "AuthenticatedRequest") -> bool:
        """Return whether the request has a token, and so needs no XSRF cookie."""
        return _has_checked_token(handler) or bool(self._inner.is_token_authenticated(handler))  # type: ignore[arg-type]

    def should_check_origin(self, handler: "AuthenticatedRequest") -> bool:
        """Return whether to check the origin: not for a request with a token."""
        return not _has_checked_token(handler) and bool(self._inner.should_check_origin(handler))  # type: ignore[arg-type]


async def _find_token_holder(handler: "AuthenticatedRequest") -> TokenHolder | None:
    token, state = read_token_of_request(handler.request), handler.state
    if token is None:
        return None
    if token.startswith(TOKEN_PREFIX):
        if state.shared_catalog is not None:
            raise AccessDenied("use", "a service token on a server of notebooks: send it to the shared service itself")
        return await state.service_tokens.require_token_holder(token)
    return state.tokens.find_token_holder(token)


def _has_only_server_token(handler: "AuthenticatedRequest", provider: IdentityProvider) -> bool:
    """Return whether the Authorization header has the server's token, and nothing else in the request names a user.

    For such a request Jupyter generates a user, whose name is not used (docs/decisions, 3), and signs a cookie for it.
    Both take longer than the rest of its authentication, and programs keep no cookies.
    """
    request = handler.request
    if (
        not (has_generated_user_names(provider) and provider.token)
        or "Cookie" in request.headers
        or "token" in request.arguments
    ):
        return False
    sent = read_token_of_request(request)
    return sent is not None and compare_digest(sent.encode(), provider.token.encode())


def _has_checked_token(handler: "AuthenticatedRequest") -> bool:
    return handler.token_holder is not None or handler.has_server_token


@cache
def _create_account_user() -> User:
    return User(get_account_name())
