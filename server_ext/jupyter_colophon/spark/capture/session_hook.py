"""Knowing of every Spark session that a program makes, without asking the program to do anything.

`SparkSession.Builder.getOrCreate` and `SparkSession.newSession` are wrapped when the module that defines them is imported, or at once
where that has happened. Whatever goes wrong here, `import pyspark` goes on as if we were not there.
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
    """Whether a session runs beside this process, so that it can be captured, or behind Spark Connect, where capture is the cluster's."""

    CLASSIC = "classic"
    CONNECT = "connect"


Callback = Callable[[Any, SessionKind], None]

MODULES = {
    "pyspark.sql.session": SessionKind.CLASSIC,
    "pyspark.sql.connect.session": SessionKind.CONNECT,
}

_told: dict[Callback, weakref.WeakSet[Any]] = {}
"""Who wants to know, and the sessions of which each was told."""


def on_session(callback: Callback) -> Callable[[], None]:
    """Have `callback` called once with every Spark session, and its kind: with the running one now, with others as they are made.

    What the callback raises is logged and goes no further. Gives a function that ends it.
    """
    _told[callback] = weakref.WeakSet()
    _install()

    def end() -> None:
        _told.pop(callback, None)
        if not _told:
            # Sessions that were wrapped stay so, and have nobody to announce themselves to.
            sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]

    return end


def _install() -> None:
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for name in MODULES:
        module = sys.modules.get(name)
        if module is not None:
            _wrap(module)
            _find_running(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the other finders find the modules we wait for, and wraps what they load."""

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
    """Loads a module as its own loader does, then wraps it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._inner.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        _wrap(module)


def _wrap(module: ModuleType) -> None:
    """Wrap the ways to a session that a module has. Again and again does no harm."""
    kind = MODULES[module.__name__]
    session = getattr(module, "SparkSession", None)
    for owner, name in ((getattr(session, "Builder", None), "getOrCreate"), (session, "newSession")):
        original = getattr(owner, name, None)
        if original is not None and not hasattr(original, "colophon"):
            setattr(owner, name, _announcing(original, kind))


def _find_running(module: ModuleType) -> None:
    """Announce the session that a program made before we were asked to look out."""
    running = getattr(getattr(module, "SparkSession", None), "_instantiatedSession", None)
    if running is not None and running.sparkContext._jsc is not None:
        _announce(running, MODULES[module.__name__])


def _announcing(original: Callable[..., Any], kind: SessionKind) -> Callable[..., Any]:
    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        session = original(self, *args, **kwargs)
        # A classic builder hands out sessions of Connect where it is told to, which have announced themselves.
        if MODULES.get(type(session).__module__, kind) is kind:
            _announce(session, kind)
        return session

    wrapper.colophon = True  # type: ignore[attr-defined]  # Our mark, so that nothing is wrapped twice.
    return wrapper


def _announce(session: Any, kind: SessionKind) -> None:
    for callback, sessions in tuple(_told.items()):
        if session in sessions:
            continue
        sessions.add(session)
        try:
            callback(session, kind)
        except Exception as error:  # noqa: BLE001 - a session must come into being whatever we make of it
            log.warning("This Spark session will not be recorded (%s).", type(error).__name__)
