"""A plugin of a namespace in a process of its own, with limits and without credentials."""

import json
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps.plugins import plugin_process
from jupyter_colophon.core.artifacts.plugin_names import PluginOfArtifact
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import MalformedBody, PluginFailed, TooLarge
from jupyter_colophon.system.limited_process import LimitedProcess, LimitedProcessError, ProcessLimits

#: How many processes of plugins a server has at once.
PROCESSES_MAX: Final = 8
_free_processes: Final = threading.BoundedSemaphore(PROCESSES_MAX)


class PluginInstance:
    """A plugin with its properties. Its process starts with the first call, and again after a call that ended it."""

    def __init__(
        self,
        found: PluginOfArtifact,
        content: bytes,
        properties: Mapping[str, Any],
        limits: ProcessLimits,
        deadline: float,
    ) -> None:
        self.name = found.name
        self._found, self._content, self._properties = found, content, properties
        self._limits, self._deadline = limits, deadline
        self._process: _LimitedSlot | None = None
        self._lock = threading.Lock()

    def call(self, method: str, argument: Any = None, *, timeout_s: float | None = None) -> Any:
        """Call a public method of the plugin with a JSON value, and return the JSON value that it returns.

        The call ends after `timeout_s`, at the latest with the call of the handler. Raises PluginFailed if the plugin
        raises an error, takes too long, breaks a limit, or returns anything else; that concerns only this call.
        """
        deadline = self._deadline if timeout_s is None else min(self._deadline, time.monotonic() + timeout_s)
        with self._lock:
            if time.monotonic() >= deadline:
                raise self._create_failure("the time limit of the call has ended")
            try:
                if self._process is None:
                    self._process = self._start(deadline)
                return self._exchange(self._process, {"method": method, "argument": argument}, deadline)
            except LimitedProcessError as error:
                self._end_process()
                raise self._create_failure(str(error)) from None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._deadline = 0.0
            self._end_process()

    def _start(self, deadline: float) -> "_LimitedSlot":
        artifact = self._found.artifact
        slot = _LimitedSlot.open(self._limits, self._deadline)
        try:
            path = slot.process.folder / artifact.file_name
            path.write_bytes(self._content)
            module, _, class_name = self._found.plugin.value.partition(":")
            created = {"file": str(path), "module": module, "class": class_name, "properties": dict(self._properties)}
            self._exchange(slot, created, deadline)
        except BaseException:
            slot.close()
            raise
        return slot

    def _exchange(self, slot: "_LimitedSlot", message: Mapping[str, Any], deadline: float) -> Any:
        """Return the result of a message. Raises PluginFailed, LimitedProcessError."""
        try:
            sent = json.dumps(message, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise self._create_failure(f"the argument is not JSON ({error})") from None
        try:
            answer = parse_json(slot.process.exchange(sent, deadline))
        except (MalformedBody, TooLarge) as error:
            raise self._create_failure(f"it returned a value that cannot be read ({error.detail})") from None
        match answer:
            case {"result": result}:
                return result
            case {"error": str() as reason}:
                raise self._create_failure(reason)
        raise LimitedProcessError("its process sent something else than an answer")

    def _end_process(self) -> None:
        slot, self._process = self._process, None
        if slot is not None:
            slot.close()

    def _create_failure(self, reason: str) -> PluginFailed:
        return PluginFailed(self.name, reason)


class _LimitedSlot:
    """One of the processes that a server may have. It is killed at the deadline, also if the handler hangs."""

    def __init__(self, process: LimitedProcess, deadline: float) -> None:
        self.process = process
        self._lock, self._is_free = threading.Lock(), False
        self._timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._stop_and_free)
        self._timer.name, self._timer.daemon = "colophon-plugin-limit", True
        self._timer.start()

    @classmethod
    def open(cls, limits: ProcessLimits, deadline: float) -> "_LimitedSlot":
        """Start a process. Raises LimitedProcessError."""
        if not _free_processes.acquire(blocking=False):
            raise LimitedProcessError(f"{PROCESSES_MAX} plugins are running in this server: try again later")
        try:
            return cls(LimitedProcess.start(plugin_process.__name__, limits), deadline)
        except OSError as error:
            _free_processes.release()
            raise LimitedProcessError(f"no process could be started ({error.strerror})") from error

    def close(self) -> None:
        """Kill the process, and remove its folder."""
        self._timer.cancel()
        self._stop_and_free()
        self.process.close()

    def _stop_and_free(self) -> None:
        self.process.stop()
        with self._lock:
            if self._is_free:
                return
            self._is_free = True
        _free_processes.release()
