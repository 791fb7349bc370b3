"""The catalog is tested on a real server; the transport brings strangers of its own."""

from support.servers import catalog, database, known, server

__all__ = ["catalog", "database", "known", "server"]
