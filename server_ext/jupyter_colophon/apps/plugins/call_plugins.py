"""The plugins that one call of a handler uses; their processes end with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from jupyter_colophon.apps.plugins.plugin_instance import PluginInstance
from jupyter_colophon.apps.plugins.shared_process import SharedProcess
from jupyter_colophon.core.artifacts.plugin_names import PluginOfArtifact
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import BadRequest
from jupyter_colophon.system.limited_process import ProcessLimits


@dataclass(frozen=True, slots=True)
class RequestedPlugin:
    """A plugin that a handler asks for, the content of its artifact, and the properties."""

    found: PluginOfArtifact
    content: bytes
    properties: Mapping[str, Any]


@dataclass(slots=True)
class CallPlugins:
    """Creates plugins, and closes them at the end of the call."""

    _processes: list[SharedProcess] = field(default_factory=list)
    _is_closed: bool = False
    _lock: Lock = field(default_factory=Lock)

    def create_instances(
        self, requested: Sequence[RequestedPlugin], limits: ProcessLimits, deadline: float
    ) -> list[PluginInstance]:
        """Return plugins that share a process. Raises BadRequest if properties do not match the schema of a plugin."""
        for plugin in requested:
            if problems := Schema(plugin.found.plugin.schema).find_all_problems(dict(plugin.properties)):
                raise BadRequest(f"the properties of the plugin {plugin.found.name} are not valid", problems)
        process = SharedProcess(limits, deadline)
        with self._lock:
            if self._is_closed:
                raise RuntimeError("a plugin can only be created in a call of a handler")
            self._processes.append(process)
        return [
            PluginInstance(
                plugin.found.name, process, process.add_plugin(plugin.found, plugin.content, plugin.properties)
            )
            for plugin in requested
        ]

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._is_closed = True
            processes, self._processes = self._processes, []
        for process in processes:
            process.close()
