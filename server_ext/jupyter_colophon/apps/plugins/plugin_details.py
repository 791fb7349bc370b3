"""What applications know of a plugin of a namespace."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from jupyter_colophon.core.artifacts.plugin_names import PluginOfArtifact


@dataclass(frozen=True, slots=True)
class PluginDetails:
    """A plugin of a namespace. `name` includes its artifact and version, `schema` is the JSON Schema of its properties."""

    namespace: str
    name: str
    type: str
    title: str
    description: str
    schema: Mapping[str, Any]

    @classmethod
    def from_artifact(cls, found: PluginOfArtifact) -> Self:
        """Return the details of a plugin of an artifact."""
        artifact, plugin = found.artifact, found.plugin
        name = f"{artifact.name}/{artifact.version}/{plugin.name}"
        return cls(artifact.namespace, name, plugin.type, plugin.title, plugin.description, plugin.schema)
