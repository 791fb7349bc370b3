"""The kernel side is tested on a real server."""

from support.servers import catalog, database, kernel, server

__all__ = ["catalog", "database", "kernel", "server"]
