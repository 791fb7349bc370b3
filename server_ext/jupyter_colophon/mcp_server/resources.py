"""The resources of the MCP server: entities, at `colophon://entity/{urn}`."""

from typing import Final
from urllib.parse import quote, unquote

from jupyter_colophon.core.errors import NotFound

PREFIX: Final = "colophon://entity/"
TEMPLATE: Final = f"{PREFIX}{{urn}}"
MIME_TYPE: Final = "application/json"


def format_uri(urn: str) -> str:
    """Return the URI of an entity's resource."""
    return PREFIX + quote(urn, safe="")


def parse_uri(uri: str) -> str:
    """Return the URN that a resource's URI names; a URN is its own URI. Raises NotFound."""
    if uri.startswith("urn:li:"):
        return uri
    if not uri.startswith(PREFIX):
        raise NotFound("resource", uri, f"resources are {TEMPLATE}")
    return unquote(uri.removeprefix(PREFIX))
