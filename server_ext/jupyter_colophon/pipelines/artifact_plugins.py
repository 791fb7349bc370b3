"""Plugins of the artifacts of a namespace (docs/how-to/share-plugins.md).

Servers know only what they declare. The process of a run imports them, from a file that only this process has on its
Python path.
"""

import atexit
import base64
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from shutil import rmtree
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
from jupyter_colophon.pipelines.plugin import Plugin
from jupyter_colophon.pipelines.plugin_registry import PluginRegistry, load_plugins, require_plugin_class

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

Document = Mapping[str, Any]
#: How many artifacts are read at once.
_PAGE: Final = 100


def add_declared_plugins(
    registry: PluginRegistry, artifacts: Iterable[Artifact], document: Document | None = None
) -> PluginRegistry:
    """Add the plugins that artifacts declare: the newest ones, and those that a pipeline names. They cannot run."""
    artifacts = list(artifacts)
    found = {(item.plugin.type, item.name): item for item in list_newest_plugins(artifacts, "pipeline")}
    found |= _find_named_plugins(artifacts, document or {})
    return registry.add_plugins({key: _create_declared_class(item) for key, item in found.items()})


def has_artifact_plugins(document: Document) -> bool:
    """Return whether a pipeline names plugins of artifacts."""
    return bool(_list_names(document))


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
    named = _find_named_plugins(list_artifacts(catalog, get_namespace(document)), document)
    return load_plugins().add_plugins({key: _import_plugin(catalog, item) for key, item in named.items()})


def _list_names(document: Document) -> set[tuple[str, str]]:
    """Return type and name of the plugins of artifacts that the stages of a pipeline name."""
    metadata = document.get("metadata")
    stages = metadata.get("stages") if isinstance(metadata, Mapping) else None
    return {
        (stage["type"], stage["plugin"])
        for stage in (stages if isinstance(stages, list) else ())
        if isinstance(stage, Mapping)
        and isinstance(stage.get("type"), str)
        and isinstance(stage.get("plugin"), str)
        and "/" in stage["plugin"]
    }


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


def _import_plugin(catalog: "Operations", found: PluginOfArtifact) -> type[Plugin]:
    """Return the class of a plugin, imported from its artifact. Raises PluginFailed."""
    artifact = found.artifact
    module, _, class_name = found.plugin.value.partition(":")
    path = _get_folder() / f"{artifact.key.module}-{artifact.version}-{artifact.sha256[:12]}.zip"
    if not path.exists():
        answer = catalog.read_artifact_content(artifact.namespace, artifact.name, artifact.version)
        _write_zip(path, artifact, base64.b64decode(answer["content"]))
    _remove_other_versions(found, module.partition(".")[0], path)
    if str(path) not in sys.path:
        sys.path.insert(0, str(path))
        invalidate_caches()
    try:
        plugin = require_plugin_class(_add_declared_texts(getattr(import_module(module), class_name), found))
    except Exception as error:
        raise PluginFailed(found.name, f"it cannot be imported: {type(error).__name__} ({error})") from error
    plugin.artifact_file = str(path)
    return plugin


def _add_declared_texts(plugin: Any, found: PluginOfArtifact) -> Any:
    """Add the texts that the class may leave out, as they are declared."""
    for name in ("title", "description"):
        if not hasattr(plugin, name):
            setattr(plugin, name, getattr(found.plugin, name))
    return plugin


def _write_zip(path: Path, artifact: Artifact, content: bytes) -> None:
    """Write the file that Python, and executors of Spark, import an artifact from: a wheel is one."""
    if artifact.kind == "wheel":
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(artifact.file_name, content)


def _remove_other_versions(found: PluginOfArtifact, package: str, path: Path) -> None:
    """Forget a package that was imported from another version. Raises PluginFailed if it is not one of an artifact."""
    module = sys.modules.get(package)
    if module is None:
        return
    origin = str(getattr(module.__spec__, "origin", "") or "")
    if origin.startswith(f"{path}{'/'}"):
        return
    if not origin.startswith(str(_get_folder())):
        raise PluginFailed(found.name, f"its module {package} has the name of one that this process has imported")
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    sys.path[:] = [entry for entry in sys.path if not origin.startswith(f"{entry}/") or not entry.endswith(".zip")]


@cache
def _get_folder() -> Path:
    """Return a folder for the artifacts of this process, which ends with it."""
    folder = Path(tempfile.mkdtemp(prefix="colophon-artifacts-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder
