"""Callbacks for every Spark session that a program creates, without changes to the program.

`SparkSession.Builder.getOrCreate` and `SparkSession.newSession` are wrapped when the module that defines them is imported, or
immediately if it is imported already. Errors here do not affect `import pyspark`.
"""

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import sys
import weakref
from collections.abc import Callable, Sequence
from enum import StrEnum
from types import ModuleType
from typing import Any

log = logging.getLogger("jupyter_colophon.spark")


class SessionKind(StrEnum):
    """Whether a session runs beside this process and can be captured, or behind Spark Connect, where only the cluster can."""

    CLASSIC = "classic"
    CONNECT = "connect"


Callback = Callable[[Any, SessionKind], None]

MODULES = {
    "pyspark.sql.session": SessionKind.CLASSIC,
    "pyspark.sql.connect.session": SessionKind.CONNECT,
}

_announced: dict[Callback, weakref.WeakSet[Any]] = {}
"""The callbacks, with the sessions that each has received."""


def on_session(callback: Callback) -> Callable[[], None]:
    """Call `callback` once with every Spark session and its kind: the running one now, others when they are created.

    Exceptions of the callback are logged. Return a function that removes it.
    """
    _announced[callback] = weakref.WeakSet()
    _install_import_hook()

    def end() -> None:
        _announced.pop(callback, None)
        if not _announced:
            # Wrapped functions stay wrapped, without an effect.
            sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]

    return end


def _install_import_hook() -> None:
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for name in MODULES:
        module = sys.modules.get(name)
        if module is not None:
            _wrap_session_factories(module)
            _announce_running_session(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Find the modules to wrap with the other finders, and wrap them when they are loaded."""

    def __init__(self) -> None:
        self._busy: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in MODULES or fullname in self._busy:
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
    """Load a module with its original loader, then wrap it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._inner.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        _wrap_session_factories(module)


def _wrap_session_factories(module: ModuleType) -> None:
    """Wrap the module's functions that create sessions. May be called repeatedly."""
    kind = MODULES[module.__name__]
    session = getattr(module, "SparkSession", None)
    for owner, name in ((getattr(session, "Builder", None), "getOrCreate"), (session, "newSession")):
        original = getattr(owner, name, None)
        if original is not None and not hasattr(original, "colophon"):
            setattr(owner, name, _wrap_factory(original, kind))


def _announce_running_session(module: ModuleType) -> None:
    """Announce the session that was created before the hook was installed."""
    running = getattr(getattr(module, "SparkSession", None), "_instantiatedSession", None)
    if running is not None and running.sparkContext._jsc is not None:
        _announce_session_once(running, MODULES[module.__name__])


def _wrap_factory(original: Callable[..., Any], kind: SessionKind) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        session = original(self, *args, **kwargs)
        # A classic builder may return a session of Connect, which was already announced.
        if MODULES.get(type(session).__module__, kind) is kind:
            _announce_session_once(session, kind)
        return session

    call.colophon = True  # type: ignore[attr-defined]  # Marks wrapped functions.
    return call


def _announce_session_once(session: Any, kind: SessionKind) -> None:
    for callback, sessions in tuple(_announced.items()):
        if session in sessions:
            continue
        sessions.add(session)
        try:
            callback(session, kind)
        except Exception as error:  # noqa: BLE001 - an error here must not prevent the session
            log.warning("This Spark session will not be recorded (%s).", type(error).__name__)
