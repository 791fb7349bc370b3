"""Users of JupyterHub: their token, which the hub knows, determines their name, scopes and groups.

For the catalog, only tokens in the Authorization header count; cookies open the pages about the account (pages.py).
"""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from jupyter_server.auth.identity import IdentityProvider, User
from jupyterhub.services.auth import HubAuth, HubOAuth
from tornado.web import HTTPError, RequestHandler
from traitlets import Instance, Int, default

from jupyter_colophon.core.access import ALL_ACTIONS, Action
from jupyter_colophon.http.catalog_user import CatalogUser
from jupyter_colophon.hub import ADMIN_SCOPE, READ_SCOPE, WRITE_SCOPE

#: Access that the hub revokes ends within twice the time for which an answer of the hub is used: an open connection is
#: checked at this interval, and the answer may be as old.
_CACHE_SECONDS: Final = 30
#: How long the hub may take to answer: less than clients of the catalog wait, so that they learn the reason.
_CHECK_SECONDS: Final = 5.0
#: The name under which the product itself writes.
_PRODUCT: Final = "colophon"
_SCOPES: Final[Mapping[str, frozenset[Action]]] = {
    READ_SCOPE: frozenset({"read"}),
    WRITE_SCOPE: frozenset({"read", "annotate", "emit"}),
    ADMIN_SCOPE: ALL_ACTIONS,
}
_logger = logging.getLogger("jupyter_colophon.http")


class HubUser(CatalogUser):
    """A user or a service of the hub."""

    def __init__(self, model: Mapping[str, Any], token: str) -> None:
        granted = (scopes for name, scopes in _SCOPES.items() if name in model["scopes"])
        super().__init__(_find_name(model), frozenset().union(*granted), model.get("groups") or ())
        self.token = token

    def is_same_access(self, other: User | None) -> bool:
        """Return whether another user has the same name, scopes and groups."""
        return isinstance(other, HubUser) and other.principal == self.principal


class HubIdentityProvider(IdentityProvider):
    """Identifies users by their hub token. Without `access:services` for this service, a token is worth nothing."""

    cache_seconds = Int(
        _CACHE_SECONDS,
        min=1,
        max=_CACHE_SECONDS,
        config=True,
        help="Number of seconds for which an answer of the hub about a token is used.",
    )
    hub_auth = Instance(HubAuth)

    @default("hub_auth")
    def _default_hub_auth(self) -> HubAuth:
        return HubAuth(parent=self, cache_max_age=self.cache_seconds)

    @default("token")
    def _token_default(self) -> str:
        # No token of the server's own.
        self.token_generated = False
        return ""

    @property
    def auth_enabled(self) -> bool:
        """Whether requests are authenticated: always."""
        return True

    @property
    def login_available(self) -> bool:
        """Whether Jupyter's own page for signing in is there: no."""
        return False

    def get_handlers(self) -> list[tuple[Any, ...]]:  # type: ignore[override]  # Jupyter's own type has no arguments
        """Return the handlers of the pages; none if the hub does not know this service as a client of OAuth."""
        if not all(os.environ.get(name) for name in ("JUPYTERHUB_CLIENT_ID", "JUPYTERHUB_API_TOKEN")):
            return []
        from jupyter_colophon.http.service.pages import list_page_handlers

        return [*list_page_handlers(self, HubOAuth(parent=self, cache_max_age=self.cache_seconds))]

    def validate_security(self, app: Any, ssl_options: Any = None) -> None:
        """Do nothing: Jupyter's warnings are about tokens and passwords of the server."""

    async def get_user(self, handler: RequestHandler) -> User | None:  # type: ignore[override]  # Jupyter awaits it
        """Return the user of the token in a request; None without a valid one. Raises HTTPError 503 without the hub."""
        match = self.auth_header_pat.fullmatch(handler.request.headers.get("Authorization", ""))
        return await self.find_user_of_token(match[2].strip()) if match else None

    def is_token_authenticated(self, handler: RequestHandler) -> bool:
        """Return whether a request has a token: every authenticated one."""
        return True

    def should_check_origin(self, handler: RequestHandler) -> bool:
        """Return whether the origin matters: not for a token in a header, which no page can send for a user."""
        return False

    def call_when_access_ends(self, user: HubUser, on_end: Callable[[], None]) -> Callable[[], None]:
        """Call `on_end` when the token is revoked, or its user's scopes or groups change; return a function that stops."""
        task = asyncio.ensure_future(self._wait_until_access_ends(user, on_end))
        return lambda: _cancel(task)

    async def _wait_until_access_ends(self, user: HubUser, on_end: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(self.cache_seconds)
            try:
                found = await self.find_user_of_token(user.token)
            except HTTPError:
                # Without the hub, it is unknown whether the token is still valid.
                found = None
            if not user.is_same_access(found):
                on_end()
                return

    async def find_user_of_token(self, token: str) -> HubUser | None:
        """Return the user of a token; None without access to this service. Raises HTTPError 503 without the hub."""
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                model = await self.hub_auth.user_for_token(token, sync=False)
        except (HTTPError, TimeoutError) as error:
            message = "JupyterHub cannot check the token now: try again later"
            raise HTTPError(HTTPStatus.SERVICE_UNAVAILABLE, message) from error
        if model is None or not self.hub_auth.check_scopes(self.hub_auth.access_scopes, model):
            return None
        if model["name"] == _PRODUCT and model.get("kind", "user") == "user":
            _logger.error("the hub's user %s has no access: changes of the product itself have this name", _PRODUCT)
            return None
        return HubUser(model, token)


def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()


def _find_name(model: Mapping[str, Any]) -> str:
    """Return the name of a user, or of a service of the hub, which cannot be that of a user."""
    name = str(model["name"])
    return name if model.get("kind", "user") == "user" else f"hub-service:{name}"
