"""Check the artifacts of dbt before anything is read from them: kind, version, and the lists that they must have."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.quality.imported import get_mapping_or_empty

_SCHEMA: Final = re.compile(r"https://schemas\.getdbt\.com/dbt/(?P<kind>[a-z-]{1,40})/v(?P<version>\d{1,4})\.json")
#: By the name of the file: the kind of artifact, the versions that are read, and the lists in it.
_FORMS: Final[Mapping[str, tuple[str, range, tuple[tuple[str, type], ...]]]] = {
    "manifest.json": ("manifest", range(10, 13), (("nodes", dict), ("sources", dict))),
    "catalog.json": ("catalog", range(1, 2), (("nodes", dict), ("sources", dict))),
    "run_results.json": ("run-results", range(4, 7), (("results", list),)),
}
#: Commands that build or test something. Others, such as `docs generate`, replace the results by those of compiling.
_EXECUTING: Final = frozenset({"build", "run", "test", "seed", "snapshot", "retry", "clone", "run-operation"})


class UnreadableArtifact(ValueError):
    """A document is not the artifact that its file should have."""


@dataclass(frozen=True, slots=True)
class DbtArtifacts:
    """The artifacts of a project; those that dbt has not written are None."""

    manifest: Mapping[str, Any]
    catalog: Mapping[str, Any] | None
    run_results: Mapping[str, Any] | None

    @property
    def project(self) -> str:
        """Return the name of the project."""
        return get_text(self.manifest["metadata"].get("project_name"))

    @property
    def adapter(self) -> str:
        """Return the name of the adapter, such as `postgres`."""
        return get_text(self.manifest["metadata"].get("adapter_type")).lower()


def require_artifact(file_name: str, document: Any) -> Mapping[str, Any]:
    """Return an artifact of dbt. Raises UnreadableArtifact."""
    kind, versions, members = _FORMS[file_name]
    metadata = get_mapping_or_empty(get_mapping_or_empty(document).get("metadata"))
    match = _SCHEMA.fullmatch(get_text(metadata.get("dbt_schema_version")))
    if match is None or match["kind"] != kind:
        raise UnreadableArtifact(
            f"is not dbt's {file_name}: `metadata.dbt_schema_version` does not name the kind {kind}"
        )
    if int(match["version"]) not in versions:
        expected = f"{versions[0]} to {versions[-1]}" if len(versions) > 1 else str(versions[0])
        raise UnreadableArtifact(f"has version {match['version']} of dbt's format; expected {expected}")
    for name, type_ in members:
        if not isinstance(document.get(name), type_):
            raise UnreadableArtifact(f"is incomplete: `{name}` is missing")
    if kind == "manifest" and not get_text(metadata.get("project_name")):
        # Before dbt 1.7, the manifest only has the names of the projects of its nodes.
        document = {**document, "metadata": {**metadata, "project_name": _find_project(document)}}
    checked: Mapping[str, Any] = document
    return checked


def has_executed(run_results: Mapping[str, Any]) -> bool:
    """Return whether the results are of a command that builds or tests."""
    return get_text(get_mapping_or_empty(run_results.get("args")).get("which")) in _EXECUTING


def get_list(value: Any) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def get_text(value: Any) -> str:
    """Return a text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


def _find_project(manifest: Mapping[str, Any]) -> str:
    """Return the project that most nodes are from. Raises UnreadableArtifact."""
    names = [get_text(get_mapping_or_empty(node).get("package_name")) for node in manifest["nodes"].values()]
    found = max(filter(None, names), key=names.count, default="")
    if not found:
        raise UnreadableArtifact("names no project: `metadata.project_name` is missing")
    return found
