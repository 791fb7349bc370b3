"""Jupyter Colophon: who made the data, from what, and when. Jupyter's entry points, and nothing else."""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from jupyter_colophon.http.app import Colophon

    return [{"module": "jupyter_colophon", "app": Colophon}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "_labextension", "dest": "jupyter-colophon"}]


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext jupyter_colophon`: the magics, and capture of what Spark reads and writes."""
    from jupyter_colophon.kernel import load

    load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """`%unload_ext jupyter_colophon`: stop the capture, and take the listeners off Spark."""
    from jupyter_colophon.kernel import unload

    unload(ipython)
