"""Connections of users whose rights an identity provider changes, as JupyterHub's can."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from jupyter_colophon.http.catalog_user import CatalogUser
from jupyter_server.auth.identity import IdentityProvider, User
from support.change_socket import open_change_socket
from support.events import open_event_stream
from tornado.web import RequestHandler

ADA = {"Authorization": "token of-ada"}
REASON = "the token was revoked, or the rights of its user changed"


class RevocableUsers(IdentityProvider):
    """Knows a token of `ada`, whose rights end when the test wants."""

    on_ends: ClassVar[list[Callable[[], None]]] = []

    def get_user(self, handler: RequestHandler) -> Any:
        """Return the user of a request."""
        if handler.request.headers.get("Authorization") == ADA["Authorization"]:
            return CatalogUser("ada", {"read"}, ())
        return super().get_user(handler)

    def is_token_authenticated(self, handler: RequestHandler) -> bool:
        """Return whether the request has a token."""
        return True

    def should_check_origin(self, handler: RequestHandler) -> bool:
        """Return whether to check the origin."""
        return False

    def call_when_access_ends(self, user: User, on_end: Callable[[], None]) -> Callable[[], None]:
        """Call `on_end` when the rights of the user end."""
        self.on_ends.append(on_end)
        return lambda: None


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    server = jp_server_config["ServerApp"] | {"identity_provider_class": RevocableUsers}
    yield {**jp_server_config, "ServerApp": server}
    RevocableUsers.on_ends.clear()


async def test_connections_end_with_the_rights_of_their_user(
    api: Any, sales: None, jp_http_port: int, jp_base_url: str
) -> None:
    root = f"{jp_base_url}colophon/api/changes"
    listener = await open_change_socket(f"ws://127.0.0.1:{jp_http_port}{root}/ws", ADA)
    stream = await open_event_stream(jp_http_port, f"{root}/stream", ADA)
    await stream.read_next()
    assert len(RevocableUsers.on_ends) == 2
    for on_end in RevocableUsers.on_ends:
        on_end()
    assert await listener.read_message() is None
    assert (listener.socket.close_code, listener.socket.close_reason) == (4403, REASON)
    assert (await stream.read_next())[1:] == ("end", {"reason": REASON})
    assert await stream.read_next() is None
