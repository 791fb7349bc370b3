"""The plugins there are: ours, and those that packages register by entry points of the group `jupyter_colophon.pipeline_plugins`."""

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
#: The modules of ours; each has a tuple `PLUGINS`.
_OURS = (
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
    """Plugins by type and name; `problems` says of each entry point that is none why, in a sentence."""

    known: Mapping[tuple[str, str], type[Plugin]]
    problems: Mapping[str, str] = field(default_factory=dict)

    def get(self, type_: str, name: str) -> type[Plugin] | None:
        """The plugin of this type that is called so."""
        return self.known.get((type_, name))

    def names(self, type_: str) -> list[str]:
        """What the plugins of a type are called."""
        return sorted(name for kind, name in self.known if kind == type_)

    def all(self) -> list[type[Plugin]]:
        """All, by type and name."""
        return [self.known[key] for key in sorted(self.known)]


@cache
def installed() -> Plugins:
    """The plugins of this process. One that does not load, or has no schema, harms no other."""
    known: dict[tuple[str, str], type[Plugin]] = {(one.type, one.name): one for one in _ours()}
    problems: dict[str, str] = {}
    for found in entry_points(group=GROUP):
        try:
            one = _plugin(found.load())
        except Exception as error:  # noqa: BLE001  a package's code may do anything
            problems[found.name] = f"{found.value} is no plugin: {_words(error)}"
            continue
        if (one.type, one.name) in known:
            problems[found.name] = f"{found.value}: there is a {one.type} {one.name} already"
        else:
            known[one.type, one.name] = one
    return Plugins(known, problems)


def _ours() -> Iterable[type[Plugin]]:
    for name in _OURS:
        yield from import_module(f"jupyter_colophon.pipelines.plugins.{name}").PLUGINS


def _plugin(found: Any) -> type[Plugin]:
    if not (isinstance(found, type) and issubclass(found, Plugin)):
        msg = "it is no subclass of Plugin"
        raise TypeError(msg)
    if getattr(found, "type", None) not in get_args(StageType) or not isinstance(getattr(found, "name", None), str):
        msg = "it has no type or no name"
        raise TypeError(msg)
    Schema(found.schema()).compiled()
    return found


def _words(error: Exception) -> str:
    return f"{type(error).__name__} ({error})"
