"""An identity provider whose users have tokens that the configuration names: a shared service of many users without a hub."""

from collections.abc import Callable

from jupyter_colophon.core.access import ALL_ACTIONS
from jupyter_colophon.http.catalog_user import CatalogUser
from jupyter_server.auth.identity import IdentityProvider, User
from tornado.web import RequestHandler
from traitlets import Dict, Unicode


class NamedTokens(IdentityProvider):
    """Accepts tokens in the Authorization header only, as the provider of the hub does."""

    users = Dict(Unicode(), config=True, help="The name of the user of each token, and groups, separated by colons.")

    @property
    def auth_enabled(self) -> bool:
        """Whether requests are authenticated: always."""
        return True

    def get_handlers(self) -> list[tuple[str, object]]:
        """Return the handlers for signing in and out: none."""
        return []

    def get_user(self, handler: RequestHandler) -> User | None:  # type: ignore[override]  # as Jupyter calls it
        """Return the user of the token in a request."""
        match = self.auth_header_pat.fullmatch(handler.request.headers.get("Authorization", ""))
        name, *groups = self.users.get(match[2].strip() if match else "", "").split(":")
        return CatalogUser(name, ALL_ACTIONS, groups) if name else None

    def is_token_authenticated(self, handler: RequestHandler) -> bool:
        """Return whether a request has a token: every authenticated one."""
        return True

    def should_check_origin(self, handler: RequestHandler) -> bool:
        """Return whether the origin matters: not for a token in a header."""
        return False

    def call_when_access_ends(self, user: CatalogUser, on_end: Callable[[], None]) -> Callable[[], None]:
        """Do nothing: no token is revoked."""
        return lambda: None
