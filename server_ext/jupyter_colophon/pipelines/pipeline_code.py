"""The classes of artifacts that one pipeline names: plugins of its stages, and directives of its recipes.

A package for `spark-submit` contains them, each artifact in a file with the name of its digest.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from jupyter_colophon.core.errors import PluginFailed
from jupyter_colophon.pipelines.artifact_code import ArtifactCode, ClassesOfArtifacts
from jupyter_colophon.pipelines.plugin import Plugin
from jupyter_colophon.pipelines.plugin_registry import PluginRegistry, load_plugins, require_plugin_class
from jupyter_colophon.pipelines.plugins.wrangle import create_recipe_plugins

DIRECTIVE: Final = "directive"
#: The file of a package that lists the classes, and the suffix of those with artifacts.
LIST_FILE, CODE_SUFFIX = "artifacts.json", ".artifact"


@dataclass(frozen=True, slots=True)
class NamedClass:
    """A class of an artifact by the name that a pipeline uses. `type` is that of a stage, or `directive`."""

    type: str
    name: str
    code: ArtifactCode
    #: Its class, as `module:Class`.
    value: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class PipelineCode:
    """The classes that a pipeline names."""

    classes: tuple[NamedClass, ...] = ()

    def get_directives(self) -> ClassesOfArtifacts:
        """Return the directives by name, which are imported when they are used."""
        return ClassesOfArtifacts(
            {item.name: (item.code, item.value) for item in self.classes if item.type == DIRECTIVE}
        )

    def load_plugins(self) -> PluginRegistry:
        """Return the plugins of this process with these, whose code is imported. Raises PluginFailed."""
        plugins = {(item.type, item.name): _import_plugin(item) for item in self.classes if item.type != DIRECTIVE}
        if directives := self.get_directives():
            plugins |= create_recipe_plugins(directives)
        return load_plugins().add_plugins(plugins)

    def save(self, folder: Path) -> None:
        """Write the files into a folder. Raises OSError."""
        codes = {item.code.name: item.code for item in self.classes}
        for code in codes.values():
            (folder / f"{code.sha256}{CODE_SUFFIX}").write_bytes(code.content)
        document = {
            "artifacts": [
                {"name": name, "file_name": code.file_name, "sha256": code.sha256} for name, code in codes.items()
            ],
            "classes": [
                {
                    "type": item.type,
                    "name": item.name,
                    "artifact": item.code.name,
                    "value": item.value,
                    "title": item.title,
                    "description": item.description,
                }
                for item in self.classes
            ],
        }
        (folder / LIST_FILE).write_text(json.dumps(document, indent=2), "utf-8")

    @classmethod
    def read(cls, find_file: Callable[[str], Path]) -> Self:
        """Return what `save` has written; nothing if it has not. Raises OSError, PluginFailed for a changed artifact."""
        path = find_file(LIST_FILE)
        if not path.exists():
            return cls()
        document = json.loads(path.read_text("utf-8"))
        codes = {
            artifact["name"]: ArtifactCode(
                **artifact, content=find_file(f"{artifact['sha256']}{CODE_SUFFIX}").read_bytes()
            )
            for artifact in document["artifacts"]
        }
        return cls(tuple(_parse_class(item, codes[item["artifact"]]) for item in document["classes"]))


def _parse_class(document: dict[str, Any], code: ArtifactCode) -> NamedClass:
    members = {name: document[name] for name in ("type", "name", "value", "title", "description")}
    return NamedClass(code=code, **members)


def _import_plugin(item: NamedClass) -> type[Plugin]:
    """Return the class of a plugin. Raises PluginFailed."""
    plugin = item.code.import_class(item.value)
    # Its source may leave them out.
    for name in ("title", "description"):
        if not hasattr(plugin, name):
            setattr(plugin, name, getattr(item, name))
    try:
        plugin = require_plugin_class(plugin)
    except (TypeError, ValueError) as error:
        raise PluginFailed(item.name, f"it cannot be used: {type(error).__name__} ({error})") from error
    plugin.artifact_file = str(item.code.write_file())
    return plugin
