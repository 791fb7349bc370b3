"""The IPython extension: `%metadata`, and the lineage capture of cells. A client of the server."""

from jupyter_colophon.kernel.loading import load_extension, unload_extension

__all__ = ["load_extension", "unload_extension"]
