"""The registry of plugins: built-in ones, and those of packages (entry points `jupyter_colophon.pipeline_plugins`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, get_args

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.pipelines.document import StageType
from jupyter_colophon.pipelines.plugin import Plugin
from jupyter_colophon.system.entry_points import find_entry_points

GROUP = "jupyter_colophon.pipeline_plugins"
#: The modules of built-in plugins; each has a tuple `PLUGINS`.
_BUILT_IN = (
    "files",
    "tables",
    "jdbc",
    "streams",
    "kafka",
    "catalog",
    "columns",
    "rows",
    "joining",
    "code",
    "mask",
    "wrangle",
    "metadata",
    "notify",
)


@dataclass(frozen=True, slots=True)
class PluginRegistry:
    """Plugins by type and name; `problems` has one sentence for each entry point that failed to load."""

    known: Mapping[tuple[str, str], type[Plugin]]
    problems: Mapping[str, str] = field(default_factory=dict)

    def get_plugin(self, type_: str, name: str) -> type[Plugin] | None:
        """Return the plugin with this type and name, or None."""
        return self.known.get((type_, name))

    def add_plugins(self, plugins: Mapping[tuple[str, str], type[Plugin]]) -> "PluginRegistry":
        """Return a registry with more plugins, by type and name."""
        return PluginRegistry({**self.known, **plugins}, self.problems)

    def list_names(self, type_: str) -> list[str]:
        """Return the names of the plugins of a type."""
        return sorted(name for kind, name in self.known if kind == type_)

    def list_all(self) -> list[tuple[str, type[Plugin]]]:
        """Return all plugins with the names that stages use, ordered by type and name."""
        return [(key[1], self.known[key]) for key in sorted(self.known)]


@cache
def load_plugins() -> PluginRegistry:
    """Return the plugins of this process. A plugin that fails to load does not affect the others."""
    plugins: dict[tuple[str, str], type[Plugin]] = {(plugin.type, plugin.name): plugin for plugin in _load_built_in()}
    problems: dict[str, str] = {}
    for point in find_entry_points(GROUP):
        try:
            plugin = require_plugin_class(point.load())
        except Exception as error:  # noqa: BLE001  a package's code may do anything
            problems[point.name] = f"{point.value} is not a valid plugin: {_describe_error(error)}"
            continue
        if (plugin.type, plugin.name) in plugins:
            problems[point.name] = f"{point.value}: the {plugin.type} {plugin.name} already exists"
        else:
            plugins[plugin.type, plugin.name] = plugin
    return PluginRegistry(plugins, problems)


def _load_built_in() -> Iterable[type[Plugin]]:
    for name in _BUILT_IN:
        yield from import_module(f"jupyter_colophon.pipelines.plugins.{name}").PLUGINS


def require_plugin_class(plugin: Any) -> type[Plugin]:
    """Return a class that is a valid plugin. Raises TypeError, ValueError."""
    if not (isinstance(plugin, type) and issubclass(plugin, Plugin)):
        msg = "it is not a subclass of Plugin"
        raise TypeError(msg)
    if getattr(plugin, "type", None) not in get_args(StageType) or not isinstance(getattr(plugin, "name", None), str):
        msg = "it has no type or no name"
        raise TypeError(msg)
    Schema(plugin.get_schema()).compile_now()
    return plugin


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__} ({error})"
