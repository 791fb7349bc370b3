"""Whether an assistant may write: by the setting, and by the scopes of its token (spec SEC-21)."""

from jupyter_colophon.core.access import Principal


def find_read_only_reason(mcp_access: str, principal: Principal) -> str:
    """Return why this principal may not write by the MCP server; empty where it may."""
    if mcp_access != "write":
        return "the MCP server is read-only (c.Colophon.mcp_access)"
    return "" if "annotate" in principal.scopes else "your token does not allow you to annotate"
