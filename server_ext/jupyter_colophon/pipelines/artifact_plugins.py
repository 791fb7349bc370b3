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
from jupyter_colophon.pipelines.artifact_code import ArtifactCode
from jupyter_colophon.pipelines.pipeline_code import DIRECTIVE, NamedClass, PipelineCode
from jupyter_colophon.pipelines.plugin import Plugin
from jupyter_colophon.pipelines.plugin_registry import PluginRegistry, load_plugins
from jupyter_colophon.pipelines.plugins.wrangle import RECIPE_PLUGINS, create_recipe_plugins
from jupyter_colophon.wrangling.declared_directive import declare_directive

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

Document = Mapping[str, Any]
#: Returns the content of an artifact.
ReadContent = Callable[[Artifact], bytes]
#: How many artifacts are read at once.
_PAGE: Final = 100


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
        plugins |= create_recipe_plugins(declared)
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
    return read_pipeline_code(catalog, document).load_plugins()


def read_pipeline_code(catalog: "Operations", document: Document) -> PipelineCode:
    """Return the classes of artifacts that a pipeline names, as far as they exist. Raises what the catalog raises."""
    if not has_artifact_plugins(document):
        return PipelineCode()
    artifacts = list_artifacts(catalog, get_namespace(document))
    return find_pipeline_code(artifacts, document, lambda artifact: read_content(catalog, artifact))


def find_pipeline_code(artifacts: Iterable[Artifact], document: Document, read: ReadContent) -> PipelineCode:
    """Return the classes of artifacts that a pipeline names, as far as they exist."""
    artifacts = list(artifacts)
    found = {
        **_find_named_plugins(artifacts, document),
        **{(DIRECTIVE, name): item for name, item in _find_named_directives(artifacts, document).items()},
    }
    return create_pipeline_code(found, read)


def list_named_artifacts(artifacts: Iterable[Artifact], document: Document) -> list[Artifact]:
    """Return the artifacts that have the plugins and directives of a pipeline."""
    artifacts = list(artifacts)
    found = (*_find_named_plugins(artifacts, document).values(), *_find_named_directives(artifacts, document).values())
    return [*{item.artifact.urn: item.artifact for item in found}.values()]


def create_pipeline_code(found: Mapping[tuple[str, str], PluginOfArtifact], read: ReadContent) -> PipelineCode:
    """Return plugins, by their types and names in a pipeline, with their code. Raises PluginFailed for damaged content."""
    codes = {item.artifact.urn: _create_code(item.artifact, read) for item in found.values()}
    return PipelineCode(
        tuple(
            NamedClass(
                type_,
                name,
                codes[item.artifact.urn],
                item.plugin.value,
                item.plugin.title,
                item.plugin.description,
            )
            for (type_, name), item in found.items()
        )
    )


def read_content(catalog: "Operations", artifact: Artifact) -> bytes:
    """Return the content of an artifact. Raises what the catalog raises."""
    answer = catalog.read_artifact_content(artifact.namespace, artifact.name, artifact.version)
    return base64.b64decode(answer["content"])


def find_directives(artifacts: Iterable[Artifact], names: Iterable[str]) -> dict[str, PluginOfArtifact]:
    """Return the directives with these names, `artifact/name` or `artifact/version/name`, as far as they exist."""
    artifacts = list(artifacts)
    found = {name: find_plugin_of_artifacts(artifacts, "application", name, DIRECTIVE) for name in names}
    return {name: item for name, item in found.items() if item is not None}


def _list_names(document: Document) -> set[tuple[str, str]]:
    """Return type and name of the plugins of artifacts that the stages of a pipeline name."""
    return {(stage["type"], stage["plugin"]) for stage in _iterate_stages(document) if "/" in stage["plugin"]}


def _list_directives(document: Document) -> set[str]:
    """Return the names of the directives of artifacts that the stages of a pipeline have."""
    names: set[str] = set()
    for stage in _iterate_stages(document):
        properties = stage.get("properties")
        if (stage["type"], stage["plugin"]) in RECIPE_PLUGINS and isinstance(properties, Mapping):
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


def _create_code(artifact: Artifact, read: ReadContent) -> ArtifactCode:
    return ArtifactCode(f"{artifact.name}/{artifact.version}", artifact.file_name, artifact.sha256, read(artifact))
