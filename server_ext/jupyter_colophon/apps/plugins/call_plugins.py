"""The plugins that one call of a handler uses; their processes end with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from jupyter_colophon.apps.plugins.plugin_instance import PluginInstance
from jupyter_colophon.core.artifacts.plugin_names import PluginOfArtifact
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import BadRequest
from jupyter_colophon.system.limited_process import ProcessLimits


@dataclass(slots=True)
class CallPlugins:
    """Creates plugins, and closes them at the end of the call."""

    _instances: list[PluginInstance] = field(default_factory=list)
    _is_closed: bool = False
    _lock: Lock = field(default_factory=Lock)

    def create_instance(
        self,
        found: PluginOfArtifact,
        content: bytes,
        properties: Mapping[str, Any],
        limits: ProcessLimits,
        deadline: float,
    ) -> PluginInstance:
        """Return a plugin with these properties. Raises BadRequest if they do not match its schema."""
        if problems := Schema(found.plugin.schema).find_all_problems(dict(properties)):
            raise BadRequest(f"the properties of the plugin {found.name} are not valid", problems)
        instance = PluginInstance(found, content, properties, limits, deadline)
        with self._lock:
            if self._is_closed:
                raise RuntimeError("a plugin can only be created in a call of a handler")
            self._instances.append(instance)
        return instance

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._is_closed = True
            instances, self._instances = self._instances, []
        for instance in instances:
            instance.close()
