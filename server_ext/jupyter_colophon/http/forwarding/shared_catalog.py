"""The shared service that a single-user server uses: its address, and the token of the server's user."""

import os
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from jupyter_colophon.core.errors import AccessDenied, InvalidConfiguration
from jupyter_colophon.core.identity.user_namespace import make_user_namespace

#: The variable with the user's token; in a single-user server of JupyterHub, the server's own token is the default.
TOKEN_VARIABLE: Final = "COLOPHON_SERVICE_TOKEN"  # noqa: S105  the name of a variable
HUB_TOKEN_VARIABLE: Final = "JUPYTERHUB_API_TOKEN"  # noqa: S105
_HUB_USER_VARIABLE: Final = "JUPYTERHUB_USER"


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """A service: its base URL, which ends with a slash, and the token that is sent to it and never shown."""

    url: str
    token: str = field(repr=False)

    @classmethod
    def parse(cls, url: str, token: str) -> "ServiceAddress":
        """Return the address. Raises InvalidConfiguration; its message has no part of the URL, which may contain secrets."""
        parts = urlsplit(url)
        is_plain = not (parts.query or parts.fragment or parts.username or parts.password)
        if parts.scheme not in {"http", "https"} or not parts.hostname or not is_plain:
            raise InvalidConfiguration("c.Colophon.service_url: write http://host:port/path/ or https://host/path/")
        if not (token.isascii() and token.isprintable()):
            raise InvalidConfiguration("c.Colophon.service_url: the token contains invalid characters")
        return cls(url.rstrip("/") + "/", token)

    @property
    def parts(self) -> SplitResult:
        """The parts of the URL."""
        return urlsplit(self.url)


@dataclass(frozen=True, slots=True)
class SharedCatalog:
    """The service at a fixed URL, with the user in whose name this server sends; "" outside of a hub."""

    address: ServiceAddress
    user: str

    @classmethod
    def from_settings(cls, url: str) -> "SharedCatalog":
        """Return the service at a URL. Raises InvalidConfiguration."""
        token = os.environ.get(TOKEN_VARIABLE) or os.environ.get(HUB_TOKEN_VARIABLE, "")
        if not token:
            raise InvalidConfiguration(f"c.Colophon.service_url: set {TOKEN_VARIABLE} to your token of the service")
        address = ServiceAddress.parse(url, token)
        return cls(address, os.environ.get(_HUB_USER_VARIABLE, ""))

    @property
    def notebook_namespace(self) -> str:
        """The namespace of this user's notebooks; empty outside of a hub, where the setting determines it."""
        return make_user_namespace(self.user) if self.user else ""

    def require_owner(self, user: str) -> None:
        """Raise AccessDenied for a request of another user, whose changes would have the owner's name."""
        if self.user and user != self.user:
            raise AccessDenied("use", f"the shared catalog through the server of {self.user}: open your own server")
