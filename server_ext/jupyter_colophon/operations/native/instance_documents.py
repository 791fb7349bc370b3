"""Render instances and schemaspaces as documents of `schemas/api`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.documents import patch
from jupyter_colophon.core.documents.codec import to_api_documents
from jupyter_colophon.core.errors import InvalidQuery, PatchFailed
from jupyter_colophon.core.identity.names import make_instance_urn as instance_urn
from jupyter_colophon.core.instances.instance import DOCUMENT_KEYS, Instance
from jupyter_colophon.core.instances.instance_query import InstanceOutcome, InstancePage, RemovalResult
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.operations.request import Document

# Loaded by the first request about a schemaspace.
if TYPE_CHECKING:
    from jupyter_colophon.service.schemaspaces.space import LoadedSchemaspace, MigrationResult
    from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry

#: The outcomes of an imported instance, in the order of `instance-import.json`.
_OUTCOMES = ("created", "updated", "unchanged", "conflict", "invalid", "failed")

#: Maximum length of the problem in a row of a list.
_PROBLEM_CHARS = 300
#: The most operations that a JSON Patch of an instance may have.
_PATCH_OPERATIONS_MAX = 2_000


def parse_instance_edit(body: Mapping[str, Any]) -> Document:
    """Parse `instance-edit.json`: the members of `extra` become top-level members, as in Elyra's documents."""
    extra = {key: value for key, value in body.get("extra", {}).items() if key not in (*DOCUMENT_KEYS, "name")}
    return extra | {key: value for key, value in body.items() if key != "extra"}


def parse_instance_merge_patch(body: Mapping[str, Any]) -> Document:
    """Parse a merge patch of an instance. Raises InvalidQuery for members that cannot be changed."""
    if unknown := set(body) - {*DOCUMENT_KEYS, "name", "extra"}:
        raise InvalidQuery("is not a member of an instance that can be changed", sorted(unknown)[0])
    return parse_instance_edit({**body, "extra": body.get("extra") or {}})


def apply_json_patch_to_instance(document: Mapping[str, Any], operations: object) -> Document:
    """Apply a JSON Patch to an instance's document, with paths as in `instance-edit.json`.

    Raises PatchFailed, TooLarge, and InvalidQuery for members that cannot be changed.
    """
    metadata = document.get("metadata")
    extra = {key: value for key, value in document.items() if key not in DOCUMENT_KEYS}
    members = {key: document[key] for key in DOCUMENT_KEYS if key in document}
    editable = members | {"metadata": metadata if isinstance(metadata, Mapping) else {}, "extra": extra}
    changed = patch.apply_json_patch(editable, operations, operations_max=_PATCH_OPERATIONS_MAX)
    if not isinstance(changed, dict) or not isinstance(changed.setdefault("extra", {}), dict):
        raise PatchFailed("an instance is an object, and so is its member `extra`")
    return parse_instance_merge_patch(changed)


def render_instance(value: Instance) -> Document:
    """Return `instance.json`."""
    return {
        "name": value.name,
        "display_name": value.display_name,
        "schema_name": value.schema_name,
        "metadata": dict(value.metadata),
        "extra": dict(value.extra),
        "valid": not value.reason,
        "reason": value.reason,
        "problems": to_api_documents(value.problems),
        "resource": value.resource,
        **_render_stored_state(value),
    }


def render_instance_page(value: InstancePage) -> Document:
    """Return `instances.json`."""
    return {
        "instances": [_render_instance_summary(instance) for instance in value.instances],
        "total": value.total,
        "tags": _render_name_counts(value.tags),
        "schemas": _render_name_counts(value.schemas),
        "cursor": value.cursor,
    }


def render_removal_result(space_: str, value: RemovalResult) -> Document:
    """Return `instance-delete-result.json`."""
    urn = str(instance_urn(space_, value.name))
    return {"name": value.name, "urn": urn, "version": value.version, "sharedInstanceVisible": value.uncovered}


def render_import_result(outcomes: Sequence[InstanceOutcome], *, dry_run: bool) -> Document:
    """Return `instance-import.json`."""
    counts = {kind: sum(outcome.kind == kind for outcome in outcomes) for kind in _OUTCOMES}
    return {"dryRun": dry_run, "results": to_api_documents(outcomes), "counts": counts}


def render_schemaspaces(value: "SchemaspaceRegistry") -> Document:
    """Return `schemaspaces.json`."""
    return {
        "schemaspaces": [render_schemaspace(space) for space in value.list_spaces()],
        "problems": to_api_documents(value.list_loading_problems()),
    }


def render_schemaspace(value: "LoadedSchemaspace") -> Document:
    """Return one schemaspace of `schemaspaces.json`; deprecated schemas are last."""
    schemas = [_render_schema_summary(schema, deprecated=False) for schema in value.schemas.values()]
    schemas += [
        _render_schema_summary(deprecated_schema, deprecated=True)
        for deprecated_schema in value.deprecated_schemas.values()
    ]
    return {
        "name": value.key,
        "id": value.id,
        "display_name": value.display_name,
        "description": value.description,
        "deprecated": value.deprecated,
        "schemas": schemas,
    }


def render_migration_result(value: "MigrationResult") -> Document:
    """Return `migration.json`."""
    return {
        "dryRun": value.dry_run,
        "migrated": list(value.migrated),
        "failed": [{"schema": schema, "reason": reason} for schema, reason in value.failed],
        "withoutDryRun": list(value.untold),
    }


def _render_instance_summary(value: Instance) -> Document:
    metadata = value.metadata
    tags, description, language = metadata.get("tags"), metadata.get("description"), metadata.get("language")
    return {
        "name": value.name,
        "display_name": value.display_name,
        "schema_name": value.schema_name,
        "tags": [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
        "description": description if isinstance(description, str) else "",
        "language": language if isinstance(language, str) else None,
        "valid": not value.reason,
        "reason": value.reason,
        "problem": value.problems[0].message[:_PROBLEM_CHARS] if value.reason and value.problems else "",
        **_render_stored_state(value),
    }


def _render_stored_state(value: Instance) -> Document:
    return {
        "version": value.version,
        "time": format_ms_as_iso_time(value.time) if value.time else None,
        "deletable": value.is_removable,
        "urn": str(instance_urn(value.space.lower(), value.name)),
    }


def _render_name_counts(pairs: Sequence[tuple[str, int]]) -> list[Document]:
    return [{"name": name, "count": count} for name, count in pairs]


def _render_schema_summary(schema: Mapping[str, Any], *, deprecated: bool) -> Document:
    name, hints = str(schema.get("name", "")), schema.get("uihints")
    return {
        "name": name,
        "title": str(schema.get("title") or schema.get("display_name") or name),
        "deprecated": deprecated,
        "uihints": dict(hints) if isinstance(hints, Mapping) else {},
    }
