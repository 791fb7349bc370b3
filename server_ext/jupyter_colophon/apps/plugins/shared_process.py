"""A limited process that runs plugins of a namespace, without credentials."""

import json
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.artifacts.plugin_names import PluginOfArtifact
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import MalformedBody, PluginFailed, TooLarge
from jupyter_colophon.system import plugin_process
from jupyter_colophon.system.limited_process import LimitedProcess, LimitedProcessError, ProcessLimits

#: How many processes of plugins a server has at once.
PROCESSES_MAX: Final = 8
_free_processes: Final = threading.BoundedSemaphore(PROCESSES_MAX)


class SharedProcess:
    """The process of one or more plugins. It starts with the first call, and again after a call that ended it."""

    def __init__(self, limits: ProcessLimits, deadline: float) -> None:
        self._limits, self._deadline = limits, deadline
        self._plugins: list[Mapping[str, Any]] = []
        #: The plugins that the current process has created.
        self._created: set[int] = set()
        self._slot: _LimitedSlot | None = None
        self._lock = threading.Lock()

    def add_plugin(self, found: PluginOfArtifact, content: bytes, properties: Mapping[str, Any]) -> int:
        """Add a plugin, and return the number by which it is called."""
        module, _, class_name = found.plugin.value.partition(":")
        self._plugins.append(
            {
                "name": found.name,
                "folder": found.artifact.sha256,
                "file": found.artifact.file_name,
                "content": content,
                "module": module,
                "class": class_name,
                "properties": dict(properties),
            }
        )
        return len(self._plugins) - 1

    def call(self, number: int, method: str, argument: Any, timeout_s: float | None) -> Any:
        """Call a method of a plugin, and return its result. Raises PluginFailed."""
        deadline = self._deadline if timeout_s is None else min(self._deadline, time.monotonic() + timeout_s)
        name = self._plugins[number]["name"]
        with self._lock:
            if time.monotonic() >= deadline:
                raise PluginFailed(name, "the time limit of the call has ended")
            try:
                slot = self._slot = self._slot or _LimitedSlot.open(self._limits, self._deadline)
                if number not in self._created:
                    self._create(slot, number, deadline)
                message = {"number": number, "method": method, "argument": argument}
                return _exchange(slot, name, message, deadline)
            except LimitedProcessError as error:
                self._end_process()
                raise PluginFailed(name, str(error)) from None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._deadline = 0.0
            self._end_process()

    def _create(self, slot: "_LimitedSlot", number: int, deadline: float) -> None:
        plugin = self._plugins[number]
        folder = slot.process.folder / plugin["folder"]
        path = folder / plugin["file"]
        if not path.exists():
            folder.mkdir(exist_ok=True)
            path.write_bytes(plugin["content"])
        members = {member: plugin[member] for member in ("module", "class", "properties")}
        _exchange(slot, plugin["name"], {"number": number, "create": {"file": str(path), **members}}, deadline)
        self._created.add(number)

    def _end_process(self) -> None:
        slot, self._slot = self._slot, None
        self._created.clear()
        if slot is not None:
            slot.close()


def _exchange(slot: "_LimitedSlot", name: str, message: Mapping[str, Any], deadline: float) -> Any:
    """Return the result of a message. Raises PluginFailed, LimitedProcessError."""
    try:
        sent = json.dumps(message, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise PluginFailed(name, f"the argument is not JSON ({error})") from None
    try:
        answer = parse_json(slot.process.exchange(sent, deadline))
    except (MalformedBody, TooLarge) as error:
        raise PluginFailed(name, f"it returned a value that cannot be read ({error.detail})") from None
    match answer:
        case {"result": result}:
            return result
        case {"error": str() as reason}:
            raise PluginFailed(name, reason)
    raise LimitedProcessError("its process sent something else than an answer")


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
