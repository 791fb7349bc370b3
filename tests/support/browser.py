"""The requests of a browser that has signed in to a server."""

from typing import Any
from urllib.parse import quote


async def sign_in(server: Any, client: Any, base_url: str) -> str:
    """Return the cookies of a browser that signed in with the server's token."""
    token = quote(server.identity_provider.token)
    page = await client.fetch(f"{base_url}login")
    answer = await client.fetch(f"{base_url}api/me?token={token}")
    cookies = [*page.headers.get_list("Set-Cookie"), *answer.headers.get_list("Set-Cookie")]
    return "; ".join(cookie.split(";")[0] for cookie in cookies)
