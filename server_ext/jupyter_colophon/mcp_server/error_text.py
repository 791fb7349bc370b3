"""What an assistant reads of an error."""

import logging

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import MetadataError

_logger = logging.getLogger("jupyter_colophon.mcp")


def error_text(error: Exception) -> str:
    """Return what went wrong; a fault of the server is logged, and only named."""
    if isinstance(error, ClientError):
        return str(error)
    if not isinstance(error, MetadataError):
        _logger.error("an MCP request failed", exc_info=error)
        return "the server failed to answer: its log says why"
    places = [f"{one.pointer or 'the value'}: {one.message}" for one in error.problems]
    return f"{error.detail} ({'; '.join(places)})" if places else error.detail
