"""Read a project of dbt from its target folder and its profile."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

from jupyter_colophon.cli.ingest.json_files import read_json_file
from jupyter_colophon.core.dbt.artifacts import (
    DbtArtifacts,
    UnreadableArtifact,
    get_text,
    has_executed,
    require_artifact,
)
from jupyter_colophon.core.dbt.connections import DbtConnection, UnknownConnection, find_connection, make_connection
from jupyter_colophon.core.dbt.nodes import read_nodes
from jupyter_colophon.core.dbt.profiles import render_template, select_target
from jupyter_colophon.core.dbt.tables import DbtEntity, name_entities
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.quality.imported import get_mapping_or_empty

_PROFILES: Final = "profiles.yml"
_HINT: Final = "; give the connection with --connection, such as postgres://db:5432"


@dataclass(frozen=True, slots=True)
class DbtOptions:
    """Where the artifacts are, and which target of a profile is meant; empty or None for the default."""

    target_dir: Path
    catalog: Path | None
    run_results: Path | None
    connection: str
    profiles_dir: Path | None
    profile: str
    target: str
    job_namespace: str


@dataclass(frozen=True, slots=True)
class DbtProject:
    """A project with its entities. `notes` explain what is left out."""

    artifacts: DbtArtifacts
    entities: Mapping[str, DbtEntity]
    job_namespace: str
    notes: list[str] = field(default_factory=list)


def read_dbt_project(options: DbtOptions, identity: IdentityRules) -> DbtProject:
    """Read the artifacts, and name what is in them. Raises InvalidConfiguration, InvalidName."""
    notes: list[str] = []
    folder = options.target_dir
    manifest = _read_artifact(folder / "manifest.json", "manifest.json")
    catalog = _read_optional(options.catalog, folder / "catalog.json", "catalog.json")
    results = _read_optional(options.run_results, folder / "run_results.json", "run_results.json")
    artifacts = DbtArtifacts(manifest, catalog, results)
    if catalog is None:
        notes.append("catalog.json was not found: columns have no types (run `dbt docs generate --no-compile`)")
    if results is None:
        notes.append("run_results.json was not found: runs and results of tests are left out")
    elif not has_executed(results):
        notes.append(
            "run_results.json is of a command that builds nothing: runs and results of tests are left out (after"
            " `dbt build`, run `dbt docs generate --no-compile`, which keeps its results)"
        )
        artifacts = DbtArtifacts(manifest, catalog, None)
    args = get_mapping_or_empty((results or {}).get("args"))
    connection = _find_connection(options, artifacts.adapter, args)
    nodes = read_nodes(artifacts)
    entities = name_entities(nodes, connection, identity, options.job_namespace)
    if ephemeral := len(nodes) - len(entities):
        notes.append(f"ephemeral models have no table, and lineage leads through them: {ephemeral}")
    return DbtProject(artifacts, entities, options.job_namespace, notes)


def _read_optional(given: Path | None, usual: Path, file_name: str) -> Mapping[str, Any] | None:
    """Return an artifact from the file that was given, or from the usual one if it exists."""
    file = given or usual
    return _read_artifact(file, file_name) if given or file.exists() else None


def _read_artifact(file: Path, file_name: str) -> Mapping[str, Any]:
    document = read_json_file(file)
    try:
        return require_artifact(file_name, document)
    except UnreadableArtifact as error:
        raise InvalidConfiguration(f"{file} {error}") from None


def _find_connection(options: DbtOptions, adapter: str, args: Mapping[str, Any]) -> DbtConnection:
    """Return where the tables are: as given, else by the target of the profile. Raises InvalidConfiguration."""
    if options.connection:
        return make_connection(adapter, options.connection)
    folder = _find_project_folder(options, args)
    profiles = _find_profiles(options, args, folder)
    profile = options.profile or get_text(args.get("profile")) or _read_profile_name(folder)
    target = options.target or get_text(args.get("target"))
    render = partial(render_template, environment=os.environ)
    try:
        name, settings = select_target(profiles.read_text("utf-8"), profile, target, os.environ)
    except UnknownConnection as error:
        raise InvalidConfiguration(f"{profiles} {error}{_HINT}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfiguration(f"{profiles} is unreadable ({_explain(error)}){_HINT}") from None
    if settings.get("type") != adapter:
        raise InvalidConfiguration(
            f"{profiles}: the target {name!r} is of type {settings.get('type')}, the manifest of {adapter};"
            " choose the target with --target"
        )
    try:
        return find_connection(adapter, settings, str(folder), render)
    except UnknownConnection as error:
        raise InvalidConfiguration(f"{profiles}: the target {name!r} {error}{_HINT}") from None


def _find_project_folder(options: DbtOptions, args: Mapping[str, Any]) -> Path:
    """Return the folder with `dbt_project.yml`: above the target folder, or that of the last run on this machine."""
    above = options.target_dir.absolute().parent
    recorded = get_text(args.get("project_dir"))
    if not (above / "dbt_project.yml").exists() and recorded and Path(recorded).is_dir():
        return Path(recorded)
    return above


def _find_profiles(options: DbtOptions, args: Mapping[str, Any], folder: Path) -> Path:
    """Return the file with the profiles. Raises InvalidConfiguration if it is nowhere."""
    if options.profiles_dir:
        return options.profiles_dir / _PROFILES
    named = (os.environ.get("DBT_PROFILES_DIR"), str(folder), get_text(args.get("profiles_dir")))
    places = [Path(place) for place in named if place] + [Path.home() / ".dbt"]
    for place in places:
        if (place / _PROFILES).exists():
            return place / _PROFILES
    searched = ", ".join(dict.fromkeys(map(str, places)))
    raise InvalidConfiguration(
        f"the artifacts of dbt do not name the server or the file of the tables, and {_PROFILES} was not found in"
        f" {searched}{_HINT}"
    )


def _read_profile_name(folder: Path) -> str:
    """Return the profile that a project names; empty if it is unknown."""
    try:
        document = yaml.safe_load((folder / "dbt_project.yml").read_text("utf-8"))  # type: ignore[no-untyped-call]  # it has no types
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        return ""
    name = get_text(get_mapping_or_empty(document).get("profile"))
    try:
        return render_template(name, os.environ)
    except UnknownConnection:
        return ""


def _explain(error: Exception) -> str:
    return getattr(error, "strerror", None) or "not UTF-8"
