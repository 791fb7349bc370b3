"""Starts the capture of this process once it imports a library that is captured (`jupyter colophon run`).

Python imports this file at its start, because its folder is first in PYTHONPATH. It uses only modules that Python has loaded by
then, and no error in it reaches the program.
"""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


class _LibraryFinder:
    """Starts the capture before the first captured library is imported. It finds no module itself."""

    def __init__(self, names: list[str]) -> None:
        self._names = frozenset(names)

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in self._names or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        _start_capture()
        # The finders of the capture were added before the one that the import asks next.
        found = (finder.find_spec(name, path, target) for finder in tuple(sys.meta_path))
        return next((spec for spec in found if spec is not None), None)


def _start_capture() -> None:
    try:
        from jupyter_colophon.capture.commands.process_run import start_process_run

        start_process_run()
    except Exception:  # noqa: BLE001, S110  the program runs without capture, also where Colophon is not installed
        pass


def _watch_imports() -> None:
    names = os.environ.get("COLOPHON_RUN_LIBRARIES", "").split()
    # A kernel records its cells itself (kernel/loading.py).
    if not names or any(word.startswith("ipykernel") for word in sys.orig_argv):
        return
    if any(name in sys.modules for name in names):
        _start_capture()
    else:
        sys.meta_path.insert(0, _LibraryFinder(names))


def _run_next_sitecustomize() -> None:
    """Run the `sitecustomize` that Python would have imported otherwise."""
    own = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder) != own]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = ModuleType("sitecustomize")
        module.__spec__, module.__file__ = spec, spec.origin
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_watch_imports()
_run_next_sitecustomize()
