"""Find plugins of artifacts by name: `artifact/plugin`, in the version that was uploaded last, or `artifact/version/plugin`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jupyter_colophon.core.artifacts.artifact import Artifact, DeclaredPlugin, PluginUse


@dataclass(frozen=True, slots=True)
class PluginOfArtifact:
    """A plugin, and the artifact that has it."""

    artifact: Artifact
    plugin: DeclaredPlugin

    @property
    def name(self) -> str:
        """Return the name that refers to it in its namespace, in the newest version of its artifact."""
        return f"{self.artifact.name}/{self.plugin.name}"


def list_newest_plugins(artifacts: Iterable[Artifact], use: PluginUse) -> list[PluginOfArtifact]:
    """Return the plugins by type and name, each of the version of its artifact that was uploaded last."""
    newest = {(item.plugin.type, item.name): item for item in _iterate_plugins(artifacts, use)}
    return [newest[key] for key in sorted(newest)]


def find_plugin_of_artifacts(
    artifacts: Iterable[Artifact], use: PluginUse, name: str, type_: str = ""
) -> PluginOfArtifact | None:
    """Return the plugin with a name, of one type or of any; None if there is none."""
    if name.count("/") not in (1, 2):
        return None
    artifact, *version, plugin = name.split("/")
    found = None
    for item in _iterate_plugins(artifacts, use):
        if (
            (item.artifact.name, item.plugin.name) == (artifact, plugin)
            and version in ([], [item.artifact.version])
            and type_ in ("", item.plugin.type)
        ):
            found = item
    return found


def _iterate_plugins(artifacts: Iterable[Artifact], use: PluginUse) -> Iterator[PluginOfArtifact]:
    """Yield the plugins in the order of their upload."""
    for artifact in sorted(artifacts, key=lambda item: item.created):
        yield from (PluginOfArtifact(artifact, plugin) for plugin in artifact.plugins if plugin.use == use)
