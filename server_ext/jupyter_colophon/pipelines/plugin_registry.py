"""The registry of plugins: built-in ones, and those of packages (entry points `jupyter_colophon.pipeline_plugins`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, get_args

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.pipelines.document import StageType
from jupyter_colophon.pipelines.plugin import Plugin

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
    "metadata",
    "notify",
)


@dataclass(frozen=True, slots=True)
class Plugins:
    """Plugins by type and name; `problems` has one sentence for each entry point that failed to load."""

    known: Mapping[tuple[str, str], type[Plugin]]
    problems: Mapping[str, str] = field(default_factory=dict)

    def get(self, type_: str, name: str) -> type[Plugin] | None:
        """Return the plugin with this type and name, or None."""
        return self.known.get((type_, name))

    def names(self, type_: str) -> list[str]:
        """Return the names of the plugins of a type."""
        return sorted(name for kind, name in self.known if kind == type_)

    def all(self) -> list[type[Plugin]]:
        """Return all plugins, ordered by type and name."""
        return [self.known[key] for key in sorted(self.known)]


@cache
def installed_plugins() -> Plugins:
    """Return the plugins of this process. A plugin that fails to load does not affect the others."""
    known: dict[tuple[str, str], type[Plugin]] = {(one.type, one.name): one for one in _built_in_plugins()}
    problems: dict[str, str] = {}
    for found in entry_points(group=GROUP):
        try:
            one = _plugin(found.load())
        except Exception as error:  # noqa: BLE001  a package's code may do anything
            problems[found.name] = f"{found.value} is not a valid plugin: {_describe_error(error)}"
            continue
        if (one.type, one.name) in known:
            problems[found.name] = f"{found.value}: the {one.type} {one.name} already exists"
        else:
            known[one.type, one.name] = one
    return Plugins(known, problems)


def _built_in_plugins() -> Iterable[type[Plugin]]:
    for name in _BUILT_IN:
        yield from import_module(f"jupyter_colophon.pipelines.plugins.{name}").PLUGINS


def _plugin(found: Any) -> type[Plugin]:
    if not (isinstance(found, type) and issubclass(found, Plugin)):
        msg = "it is not a subclass of Plugin"
        raise TypeError(msg)
    if getattr(found, "type", None) not in get_args(StageType) or not isinstance(getattr(found, "name", None), str):
        msg = "it has no type or no name"
        raise TypeError(msg)
    Schema(found.schema()).compiled()
    return found


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__} ({error})"
