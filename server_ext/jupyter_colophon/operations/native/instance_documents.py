"""Instances and schemaspaces as the documents of `schemas/api`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.documents import patch
from jupyter_colophon.core.documents.codec import to_documents
from jupyter_colophon.core.errors import InvalidQuery, PatchFailed
from jupyter_colophon.core.identity.names import instance as instance_urn
from jupyter_colophon.core.instances.instance import DOCUMENT_KEYS, Instance
from jupyter_colophon.core.instances.instance_query import InstancePage, Outcome, Removed
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.operations.native.documents import Document

# Loaded with the first request that asks for a schemaspace.
if TYPE_CHECKING:
    from jupyter_colophon.service.schemaspaces.space import Migration, Space
    from jupyter_colophon.service.schemaspaces.spaces import Spaces

#: What may come of an instance of an import, in the order of `instance-import.json`.
_OUTCOMES = ("created", "updated", "unchanged", "conflict", "invalid", "failed")

#: A row has room for so much of what is wrong with its instance.
_PROBLEM_CHARS = 300
#: The most operations that a JSON Patch of an instance may have.
_PATCH_OPERATIONS_MAX = 2_000


def edited(body: Mapping[str, Any]) -> Document:
    """What `instance-edit.json` asks an instance to be: the members of its class beside the rest, as Elyra has it."""
    extra = {key: value for key, value in body.get("extra", {}).items() if key not in (*DOCUMENT_KEYS, "name")}
    return extra | {key: value for key, value in body.items() if key != "extra"}


def merged(body: Mapping[str, Any]) -> Document:
    """A merge patch of an instance. Raises InvalidQuery for members that nobody can change."""
    if unknown := set(body) - {*DOCUMENT_KEYS, "name", "extra"}:
        raise InvalidQuery("an instance has no such member to change", sorted(unknown)[0])
    return edited({**body, "extra": body.get("extra") or {}})


def apply_json_patch(document: Mapping[str, Any], operations: object) -> Document:
    """Apply a JSON Patch to an instance's document, with paths as in `instance-edit.json`.

    Raises PatchFailed, TooLarge, and InvalidQuery for members that nobody can change.
    """
    metadata = document.get("metadata")
    extra = {key: value for key, value in document.items() if key not in DOCUMENT_KEYS}
    known = {key: document[key] for key in DOCUMENT_KEYS if key in document}
    editable = known | {"metadata": metadata if isinstance(metadata, Mapping) else {}, "extra": extra}
    changed = patch.apply_json_patch(editable, operations, operations_max=_PATCH_OPERATIONS_MAX)
    if not isinstance(changed, dict) or not isinstance(changed.setdefault("extra", {}), dict):
        raise PatchFailed("an instance is an object, and so is its member `extra`")
    return merged(changed)


def instance(value: Instance) -> Document:
    """`instance.json`."""
    return {
        "name": value.name,
        "display_name": value.display_name,
        "schema_name": value.schema_name,
        "metadata": dict(value.metadata),
        "extra": dict(value.extra),
        "valid": not value.reason,
        "reason": value.reason,
        "problems": to_documents(value.problems),
        "resource": value.resource,
        **_record(value),
    }


def page(value: InstancePage) -> Document:
    """`instances.json`."""
    return {
        "instances": [_summary(one) for one in value.instances],
        "total": value.total,
        "tags": _counted(value.tags),
        "schemas": _counted(value.schemas),
        "cursor": value.cursor,
    }


def removed(space_: str, value: Removed) -> Document:
    """`instance-delete-result.json`."""
    urn = str(instance_urn(space_, value.name))
    return {"name": value.name, "urn": urn, "version": value.version, "sharedInstanceVisible": value.uncovered}


def imported(outcomes: Sequence[Outcome], *, dry_run: bool) -> Document:
    """`instance-import.json`."""
    counts = {kind: sum(one.kind == kind for one in outcomes) for kind in _OUTCOMES}
    return {"dryRun": dry_run, "results": to_documents(outcomes), "counts": counts}


def schemaspaces(value: "Spaces") -> Document:
    """`schemaspaces.json`."""
    return {
        "schemaspaces": [space(one) for one in value.all()],
        "problems": to_documents(value.problems()),
    }


def space(value: "Space") -> Document:
    """One of `schemaspaces.json`; its deprecated schemas come last."""
    schemas = [_schema(one, deprecated=False) for one in value.schemas.values()]
    schemas += [_schema(one, deprecated=True) for one in value.deprecated_schemas.values()]
    return {
        "name": value.key,
        "id": value.id,
        "display_name": value.display_name,
        "description": value.description,
        "deprecated": value.deprecated,
        "schemas": schemas,
    }


def migration(value: "Migration") -> Document:
    """`migration.json`."""
    return {
        "dryRun": value.dry_run,
        "migrated": list(value.migrated),
        "failed": [{"schema": schema, "reason": reason} for schema, reason in value.failed],
        "withoutDryRun": list(value.untold),
    }


def _summary(value: Instance) -> Document:
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
        **_record(value),
    }


def _record(value: Instance) -> Document:
    return {
        "version": value.version,
        "time": format_time(value.time) if value.time else None,
        "deletable": value.own,
        "urn": str(instance_urn(value.space.lower(), value.name)),
    }


def _counted(pairs: Sequence[tuple[str, int]]) -> list[Document]:
    return [{"name": name, "count": count} for name, count in pairs]


def _schema(schema: Mapping[str, Any], *, deprecated: bool) -> Document:
    name, hints = str(schema.get("name", "")), schema.get("uihints")
    return {
        "name": name,
        "title": str(schema.get("title") or schema.get("display_name") or name),
        "deprecated": deprecated,
        "uihints": dict(hints) if isinstance(hints, Mapping) else {},
    }
