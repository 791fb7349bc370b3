"""The MCP server (Model Context Protocol): tools, resources and a prompt for assistants, made from the operations.

Only `protocol_server` and `transports` import the SDK (the extra `mcp`); they are loaded with the first MCP request.
"""
