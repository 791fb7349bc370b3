"""What an assistant reads of an error."""

import logging

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import MetadataError

_logger = logging.getLogger("jupyter_colophon.mcp")


def format_and_log_error(error: Exception) -> str:
    """Return the message of an error; an internal error is logged, and only its type is returned."""
    if isinstance(error, ClientError):
        return str(error)
    if not isinstance(error, MetadataError):
        _logger.error("an MCP request failed", exc_info=error)
        return "the server failed to answer: see its log"
    places = [f"{problem.pointer or 'the value'}: {problem.message}" for problem in error.problems]
    return f"{error.detail} ({'; '.join(places)})" if places else error.detail
