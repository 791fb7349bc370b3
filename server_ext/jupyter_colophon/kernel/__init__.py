"""What runs in a kernel: `%metadata`, and the record of which cell read and wrote what. A client of the server."""

from jupyter_colophon.kernel.loading import load, unload

__all__ = ["load", "unload"]
