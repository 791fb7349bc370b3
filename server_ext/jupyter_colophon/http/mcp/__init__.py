"""The MCP server over HTTP, and its tools in `jupyter-server-mcp`."""
