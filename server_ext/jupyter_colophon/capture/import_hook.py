"""Call a function when a module is imported, without importing it.

Libraries are captured from the moment that a program imports them. An error of the function never affects the import.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import logging
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

log = logging.getLogger("jupyter_colophon.capture")

Callback = Callable[[ModuleType], None]

_callbacks: dict[str, list[Callback]] = {}
"""What is called after the import of a module, by its full name."""


def call_after_import(name: str, callback: Callback) -> Callable[[], None]:
    """Call `callback` with the module `name`: now if it is imported already, otherwise once it is. Return a function that ends this."""
    _callbacks.setdefault(name, []).append(callback)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    module = sys.modules.get(name)
    # A module that is being imported right now was found before: call it too, as soon as its loader is done.
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        _call_safely(callback, module)

    def end() -> None:
        callbacks = _callbacks.get(name, [])
        if callback in callbacks:
            callbacks.remove(callback)
        if not callbacks:
            _callbacks.pop(name, None)
        if not _callbacks:
            sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]

    return end


class _Finder(importlib.abc.MetaPathFinder):
    """Find the awaited modules with the other finders, and call their functions when they are loaded."""

    def __init__(self) -> None:
        self._busy: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _callbacks or fullname in self._busy:
            return None
        self._busy.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._busy.discard(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    """Load a module with its original loader, then call what waits for it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._inner.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        for callback in tuple(_callbacks.get(module.__name__, ())):
            _call_safely(callback, module)


def _call_safely(callback: Callback, module: ModuleType) -> None:
    try:
        callback(module)
    except Exception as error:  # noqa: BLE001  an error here must not break `import`
        log.warning("Data accesses by %s will not be recorded (%s).", module.__name__, type(error).__name__)
