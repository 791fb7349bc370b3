"""Jupyter Colophon: who made the data, from what, and when.

This module has only Jupyter's entry points.
"""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from jupyter_colophon.http.app import Colophon

    return [{"module": "jupyter_colophon", "app": Colophon}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "_labextension", "dest": "jupyter-colophon"}]


def load_ipython_extension(ipython: Any) -> None:
    """Load the magics and start capturing reads and writes of Spark (`%load_ext jupyter_colophon`)."""
    from jupyter_colophon.kernel import load_extension

    load_extension(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """Stop the capture and remove the listeners from Spark (`%unload_ext jupyter_colophon`)."""
    from jupyter_colophon.kernel import unload_extension

    unload_extension(ipython)
