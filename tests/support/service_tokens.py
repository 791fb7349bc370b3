"""Service tokens of a test's server."""

from typing import Any


async def create_service_token(api: Any, name: str, *scopes: str, **rights: Any) -> dict[str, str]:
    """Create a token, by default one that reads; return the headers of its requests."""
    body = {"name": name, "scopes": list(scopes) or ["read"], **rights}
    issued = await api("POST", "service-tokens", body=body, answers="issued-service-token")
    assert issued.status == 201, issued.body
    return {"Authorization": f"Bearer {issued.body['token']}"}
