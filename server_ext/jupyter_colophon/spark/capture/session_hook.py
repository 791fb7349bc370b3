"""Callbacks for every Spark session that a program creates, without changes to the program.

`SparkSession.Builder.getOrCreate` and `SparkSession.newSession` are wrapped when the module that defines them is imported, or
immediately if it is imported already. Errors here do not affect `import pyspark`.
"""

import functools
import logging
import weakref
from collections.abc import Callable
from enum import StrEnum
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.import_hook import call_after_import

log = logging.getLogger("jupyter_colophon.spark")


class SessionKind(StrEnum):
    """Whether a session runs beside this process with a JVM to listen to, or behind Spark Connect."""

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
    ends = [call_after_import(name, _announce_sessions) for name in MODULES]

    def end() -> None:
        # Wrapped functions stay wrapped, without an effect.
        _announced.pop(callback, None)
        for end_of_module in ends:
            end_of_module()

    return end


def _announce_sessions(module: ModuleType) -> None:
    _wrap_session_factories(module)
    _announce_running_session(module)


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
