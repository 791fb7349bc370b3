"""Plugins of the artifacts of a namespace (docs/how-to/share-plugins.md).

Servers know only what they declare. The process of a run imports them, from a file that only this process has on its
Python path.
"""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.core.artifacts.artifact import Artifact
from jupyter_colophon.core.artifacts.plugin_names import (
    PluginOfArtifact,
    find_plugin_of_artifacts,
    list_newest_plugins,
)
from jupyter_colophon.core.documents.codec import from_api_document
from jupyter_colophon.core.errors import PluginFailed
from jupyter_colophon.pipelines.artifact_code import ArtifactCode, ClassesOfArtifacts
from jupyter_colophon.pipelines.plugin import Plugin
from jupyter_colophon.pipelines.plugin_registry import PluginRegistry, load_plugins, require_plugin_class
from jupyter_colophon.pipelines.plugins import wrangle
from jupyter_colophon.wrangling.declared_directive import declare_directive
from jupyter_colophon.wrangling.directive import Directive

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

Document = Mapping[str, Any]
#: Returns the code of an artifact.
ReadCode = Callable[[Artifact], ArtifactCode]
#: How many artifacts are read at once.
_PAGE: Final = 100
#: The plugins whose property `directives` names directives of artifacts, by type and name.
_RECIPE_PLUGINS: Final = {(plugin.type, plugin.name): plugin for plugin in wrangle.PLUGINS}


def add_declared_plugins(
    registry: PluginRegistry, artifacts: Iterable[Artifact], document: Document | None = None
) -> PluginRegistry:
    """Add the plugins that artifacts declare: the newest ones, and those that a pipeline names. They cannot run."""
    artifacts = list(artifacts)
    found = {(item.plugin.type, item.name): item for item in list_newest_plugins(artifacts, "pipeline")}
    found |= _find_named_plugins(artifacts, document or {})
    plugins = {key: _create_declared_class(item) for key, item in found.items()}
    if directives := _find_named_directives(artifacts, document or {}):
        declared = {
            name: declare_directive(name, item.plugin.description, item.plugin.schema)
            for name, item in directives.items()
        }
        plugins |= _create_recipe_plugins(declared)
    return registry.add_plugins(plugins)


def has_artifact_plugins(document: Document) -> bool:
    """Return whether a pipeline names plugins or directives of artifacts."""
    return bool(_list_names(document) or _list_directives(document))


def get_namespace(document: Document) -> str:
    """Return the namespace of a pipeline, which may be invalid; empty if it has none."""
    metadata = document.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    return namespace if isinstance(namespace, str) else ""


def list_artifacts(catalog: "Operations", namespace: str) -> list[Artifact]:
    """Return the artifacts of a namespace; none if it does not exist. Raises RequestFailed, ServerUnavailable."""
    try:
        pages = read_pages(lambda cursor: catalog.list_artifacts(namespace, cursor=cursor, limit=_PAGE), "artifacts")
        return [from_api_document(document, Artifact) for document in pages]
    except RequestFailed as refusal:
        if refusal.is_absence:
            return []
        raise


def load_plugins_with_declared(catalog: "Operations", document: Document) -> PluginRegistry:
    """Return the plugins of this process, and what those of artifacts declare that a pipeline names."""
    if not has_artifact_plugins(document):
        return load_plugins()
    return add_declared_plugins(load_plugins(), list_artifacts(catalog, get_namespace(document)), document)


def load_plugins_for_run(catalog: "Operations", document: Document) -> PluginRegistry:
    """Return the plugins of this process, and those of artifacts that a pipeline names, whose code is imported.

    Raises PluginFailed for one that cannot be imported, and what the catalog raises.
    """
    if not has_artifact_plugins(document):
        return load_plugins()
    artifacts = list_artifacts(catalog, get_namespace(document))
    return load_named_plugins(artifacts, document, lambda artifact: read_code(catalog, artifact))


def load_named_plugins(artifacts: Iterable[Artifact], document: Document, read: ReadCode) -> PluginRegistry:
    """Return the plugins of this process, and those of artifacts that a pipeline names. Raises PluginFailed."""
    artifacts = list(artifacts)
    named = _find_named_plugins(artifacts, document)
    plugins = {key: _import_plugin(read(item.artifact), item) for key, item in named.items()}
    if directives := _find_named_directives(artifacts, document):
        plugins |= _create_recipe_plugins(find_classes(directives, read))
    return load_plugins().add_plugins(plugins)


def find_classes(found: Mapping[str, PluginOfArtifact], read: ReadCode) -> ClassesOfArtifacts:
    """Return the classes of plugins by name, which are imported when they are used."""
    codes = {item.artifact.sha256: read(item.artifact) for item in found.values()}
    return ClassesOfArtifacts({name: (codes[item.artifact.sha256], item.plugin.value) for name, item in found.items()})


def read_code(catalog: "Operations", artifact: Artifact) -> ArtifactCode:
    """Return the code of an artifact. Raises PluginFailed for a content with another digest, and what the catalog raises."""
    answer = catalog.read_artifact_content(artifact.namespace, artifact.name, artifact.version)
    content = base64.b64decode(answer["content"])
    return ArtifactCode(f"{artifact.name}/{artifact.version}", artifact.file_name, artifact.sha256, content)


def find_directives(artifacts: Iterable[Artifact], names: Iterable[str]) -> dict[str, PluginOfArtifact]:
    """Return the directives with these names, `artifact/name` or `artifact/version/name`, as far as they exist."""
    artifacts = list(artifacts)
    found = {name: find_plugin_of_artifacts(artifacts, "application", name, "directive") for name in names}
    return {name: item for name, item in found.items() if item is not None}


def _list_names(document: Document) -> set[tuple[str, str]]:
    """Return type and name of the plugins of artifacts that the stages of a pipeline name."""
    return {(stage["type"], stage["plugin"]) for stage in _iterate_stages(document) if "/" in stage["plugin"]}


def _list_directives(document: Document) -> set[str]:
    """Return the names of the directives of artifacts that the stages of a pipeline have."""
    names: set[str] = set()
    for stage in _iterate_stages(document):
        properties = stage.get("properties")
        if (stage["type"], stage["plugin"]) in _RECIPE_PLUGINS and isinstance(properties, Mapping):
            listed = properties.get("directives")
            names.update(name for name in (listed if isinstance(listed, list) else ()) if isinstance(name, str))
    return names


def _iterate_stages(document: Document) -> Iterator[Document]:
    """Yield the stages of a pipeline, which may be invalid, that have a type and a plugin."""
    metadata = document.get("metadata")
    stages = metadata.get("stages") if isinstance(metadata, Mapping) else None
    for stage in stages if isinstance(stages, list) else ():
        if isinstance(stage, Mapping) and isinstance(stage.get("type"), str) and isinstance(stage.get("plugin"), str):
            yield stage


def _find_named_directives(artifacts: Iterable[Artifact], document: Document) -> dict[str, PluginOfArtifact]:
    return find_directives(artifacts, _list_directives(document))


def _find_named_plugins(artifacts: Iterable[Artifact], document: Document) -> dict[tuple[str, str], PluginOfArtifact]:
    artifacts = list(artifacts)
    found = {key: find_plugin_of_artifacts(artifacts, "pipeline", key[1], key[0]) for key in _list_names(document)}
    return {key: item for key, item in found.items() if item is not None}


def _create_recipe_plugins(directives: Mapping[str, type[Directive]]) -> dict[tuple[str, str], type[Plugin]]:
    """Return the plugins with a recipe, with directives of artifacts."""
    return {key: plugin.create_class(directives) for key, plugin in _RECIPE_PLUGINS.items()}


def _create_declared_class(found: PluginOfArtifact) -> type[Plugin]:
    """Return a class with what a plugin declares."""
    plugin = found.plugin
    members = {
        "type": plugin.type,
        "name": plugin.name,
        "title": plugin.title,
        "description": plugin.description,
        "properties": plugin.schema["properties"],
        "required": tuple(plugin.schema["required"]),
        "arguments": plugin.arguments,
        "takes": plugin.inputs,
    }
    return type("DeclaredPlugin", (Plugin,), members)


def _import_plugin(code: ArtifactCode, found: PluginOfArtifact) -> type[Plugin]:
    """Return the class of a plugin, imported from its artifact. Raises PluginFailed."""
    try:
        plugin = require_plugin_class(_add_declared_texts(code.import_class(found.plugin.value), found))
    except (TypeError, ValueError) as error:
        raise PluginFailed(found.name, f"it cannot be imported: {type(error).__name__} ({error})") from error
    plugin.artifact_file = str(code.write_file())
    return plugin


def _add_declared_texts(plugin: Any, found: PluginOfArtifact) -> Any:
    """Add the texts that the class may leave out, as they are declared."""
    for name in ("title", "description"):
        if not hasattr(plugin, name):
            setattr(plugin, name, getattr(found.plugin, name))
    return plugin
