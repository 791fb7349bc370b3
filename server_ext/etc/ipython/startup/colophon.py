"""Loads `%metadata` in kernels that a server with Jupyter Colophon started, and does nothing anywhere else.

IPython runs this file at the start of every shell of this environment, in the user's namespace: it leaves no name behind.
"""


def _load_colophon() -> None:
    import os

    if not os.environ.get("COLOPHON_URL"):
        return
    try:
        from IPython import get_ipython

        get_ipython().extension_manager.load_extension("jupyter_colophon")
    except Exception as fault:  # noqa: BLE001  a kernel starts, whatever happens to us
        import sys

        sys.stderr.write(f"Colophon could not be loaded ({type(fault).__name__}): nothing is recorded here.\n")


_load_colophon()
del _load_colophon
