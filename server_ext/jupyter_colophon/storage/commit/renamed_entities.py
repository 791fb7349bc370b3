"""Move the rows of an entity to a new name: versions, values, search rows, references and changes (decision 22).

Only `service/write_path.py` may import this module.
"""

from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX, canonicalize_urn
from jupyter_colophon.core.model.key_aspect import build_key_aspect
from jupyter_colophon.core.model.proposal import ABSENT
from jupyter_colophon.core.openlineage import described
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.lineage.renames import record_rename
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Range, Row


@dataclass(frozen=True, slots=True)
class EntityRename:
    """An entity to rename, its new name, and the new name of the entity that contains it, if one does."""

    old: Urn
    new: Urn
    parent: Urn | None = None


def replace_urn_and_field_urns(value: Any, old: str, new: str) -> Any:
    """Return a value with one URN replaced by another, also inside the URNs of fields."""
    if isinstance(value, dict):
        return {
            replace_urn_and_field_urns(name, old, new): replace_urn_and_field_urns(member, old, new)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [replace_urn_and_field_urns(item, old, new) for item in value]
    if not isinstance(value, str) or not value.startswith(PREFIX):
        return value
    if old in value:
        return value.replace(old, new)
    try:
        text = canonicalize_urn(value)
    except InvalidName:
        return value
    return text.replace(old, new) if old in text else value


def move_entity_rows(
    commit: CommitBuilder, move: EntityRename, entity: StoredEntity, names: tuple[str, str]
) -> tuple[StoredEntity, StoredEntity]:
    """Move an entity's row, versions and timeseries values; return it as it was, and under the new name.

    An entity that has the new name gets the versions after its own, and keeps the aspects that the moved one lacks.
    """
    left = {name: _build_deleted_aspect_row(commit, row) for name, row in entity.aspects.items()}
    _remove_derived_rows(commit, entity, left)
    replaced = _find_existing_entity(commit, move.new)
    kept: dict[str, Row] = {}
    if replaced is not None:
        _remove_derived_rows(commit, replaced, {name: row | {"value": None} for name, row in replaced.aspects.items()})
        kept = {name: row for name, row in replaced.aspects.items() if not _has_value(entity, name)}
    new_row = _build_renamed_row(commit, entity.entity, move.new)
    if replaced is not None and replaced.entity["created"] < new_row["created"]:
        new_row |= {name: replaced.entity[name] for name in ("created", "created_by")}
    moved = {
        name: _move_aspect_versions(commit, move, row, names)
        for name, row in entity.aspects.items()
        if name not in kept
    }
    _write_deleted_rows(commit, entity.entity, left)
    commit.tx.get_table("entities").upsert(new_row)
    if move.parent is not None:
        commit.tx.get_table("containment").upsert({"parent": str(move.parent), "urn": str(move.new)})
    commit.tx.get_table("aspects").upsert_many([*moved.values()])
    _move_timeseries(commit, str(move.old), str(move.new), names)
    return entity, StoredEntity(new_row, kept | moved)


def _find_existing_entity(commit: CommitBuilder, urn: Urn) -> StoredEntity | None:
    entity = sources_of_truth.find_stored_entity(commit.tx, str(urn))
    return None if entity is None or entity.entity["deleted"] else entity


def _has_value(entity: StoredEntity, aspect: str) -> bool:
    return aspect in entity.aspects and entity.aspects[aspect]["value"] is not None


def _build_renamed_row(commit: CommitBuilder, row: Row, new: Urn) -> Row:
    return row | {
        "urn": str(new),
        "namespace": commit.identity.get_namespace(new),
        "name": commit.identity.get_short_name(new),
        "platform": commit.identity.get_platform(new),
        "updated": commit.now,
        "updated_by": commit.principal.user,
        "spelling": None,
    }


def _move_aspect_versions(commit: CommitBuilder, move: EntityRename, row: Row, names: tuple[str, str]) -> Row:
    """Move the versions of an aspect to the new name, after the versions that it had before; return the aspect's new
    row.
    """
    table, urn, aspect = commit.tx.get_table("aspect_versions"), str(move.new), row["aspect"]
    existing = commit.tx.get_table("aspects").read((urn, aspect)) or {"version": 0, "floor": None}
    offset, floor = existing["version"], row["floor"]
    within = Range.prefix(str(move.old), aspect)
    rows = [
        version
        | {
            "urn": urn,
            "version": version["version"] + offset,
            "value": _replace_urns_in_value(commit, move, aspect, version["value"], names),
        }
        for version in table.scan(within)
    ]
    table.delete_range(within)
    table.upsert_many(rows)
    return row | {
        "urn": urn,
        "version": row["version"] + offset,
        "base": (row["base"] or 0) + offset,
        "floor": floor + offset if floor else existing["floor"],
        "value": _replace_urns_in_value(commit, move, aspect, row["value"], names),
    }


def _replace_urns_in_value(
    commit: CommitBuilder, move: EntityRename, aspect: str, value: str | None, names: tuple[str, str]
) -> str | None:
    """Return the value of an aspect for the new name."""
    if value is None:
        return None
    kind = commit.registry.get_type_or_unregistered(move.new.type)
    if aspect == kind.key_aspect:
        return encode_canonical_json(build_key_aspect(move.new, kind))
    return _replace_urn_in_text(value, names)


def _build_deleted_aspect_row(commit: CommitBuilder, row: Row) -> Row:
    """Return the row of an aspect under the old name: the next version number, without a value."""
    return row | {
        "version": row["version"] + 1,
        "base": row["version"] + 1,
        "value": None,
        "actor": commit.principal.user,
        "via": commit.principal.via,
        "time": commit.now,
        "system": None,
        "floor": row["version"],
        "implied": False,
    }


def _write_deleted_rows(commit: CommitBuilder, row: Row, left: dict[str, Row]) -> None:
    commit.tx.get_table("aspects").upsert_many([*left.values()])
    versions = [{name: version[name] for name in _OF_VERSION} for version in left.values()]
    commit.tx.get_table("aspect_versions").upsert_many(versions)
    deletion = {"deleted": True, "removed": None, "updated": commit.now, "updated_by": commit.principal.user}
    commit.tx.get_table("entities").upsert(row | deletion)


def _remove_derived_rows(commit: CommitBuilder, entity: StoredEntity, left: dict[str, Row]) -> None:
    """Remove the old name from search, relationships and lineage, while its history still exists."""
    tx, row = commit.tx, entity.entity
    tx.get_table(past_values.TABLE).delete_many(
        [*past_values.derive_past_value_rows(tx, commit.registry, row, entity.aspects)]
    )
    relationships.update_relationships(tx, commit.registry, row["urn"], row["type"], entity.aspects, left)
    assertions.delete_declared_lineage(tx, row, entity.aspects, commit.now)
    if not row["deleted"]:
        values = index.select_searchable_aspects(commit.registry.get_type_or_unregistered(row["type"]), entity.aspects)
        index.update_search_rows_and_counters(tx, [index.EntityChange(row | {"deleted": True}, values, {})])
        tx.get_table("entity_names").delete(tuple(sources_of_truth.build_name_row(row)[part] for part in _NAME_KEY))


def write_derived_rows(commit: CommitBuilder, entity: StoredEntity) -> None:
    """Add the new name to search, relationships and lineage."""
    tx, row = commit.tx, entity.entity
    tx.get_table(past_values.TABLE).upsert_many(
        [*past_values.derive_past_value_rows(tx, commit.registry, row, entity.aspects).values()]
    )
    tx.get_table(relationships.TABLE).upsert_many(
        [*relationships.derive_relationship_rows(commit.registry, row, entity.aspects).values()]
    )
    assertions.rewrite_declared_lineage(tx, row["urn"])
    if not row["deleted"]:
        values = index.select_searchable_aspects(commit.registry.get_type_or_unregistered(row["type"]), entity.aspects)
        words = sources_of_truth.collect_marked_search_words(commit.registry, row, entity.aspects)
        index.update_search_rows_and_counters(tx, [index.EntityChange(row, {}, values, words)])
        tx.get_table("entity_names").upsert(sources_of_truth.build_name_row(row))


def _move_timeseries(commit: CommitBuilder, old: str, new: str, names: tuple[str, str]) -> None:
    """Move timeseries values and the index of ingestion runs."""
    table, ingested = commit.tx.get_table("timeseries"), commit.tx.get_table("ingested")
    rows = [
        row | {"urn": new, "value": _replace_urn_in_text(row["value"], names)} for row in table.scan(Range.prefix(old))
    ]
    table.delete_range(Range.prefix(old))
    table.upsert_many(rows)
    written = list(ingested.scan_index("urn", old))
    ingested.delete_many([(row["run"], old, row["aspect"]) for row in written])
    ingested.upsert_many([row | {"urn": new} for row in written])


def _replace_urn_in_text(text: str, names: tuple[str, str]) -> str:
    """Return a stored value with the old name replaced by the new one."""
    if PREFIX not in text:
        return text
    before = parse_stored_json(text)
    after = replace_urn_and_field_urns(before, *names)
    return text if after == before else encode_canonical_json(after)


def log_deletions_and_new_values(commit: CommitBuilder, old: StoredEntity, new: StoredEntity, run: str | None) -> None:
    """Log the deletions under the old name and the new values under the new one."""
    before, after = old.entity, new.entity
    for name, row in sorted(new.aspects.items()):
        if row["value"] is not None and _has_value(old, name):
            scope, previous = commit.registry.get_aspect_or_unregistered(after["type"], name).scope, old.aspects[name]
            commit.append_to_change_log(
                before, name, "delete", ABSENT, scope, run, previous["value"], None, previous["system"]
            )
            commit.append_to_change_log(
                after, name, "rename", row["version"], scope, run, None, row["value"], None, row["system"]
            )
    if not before["deleted"]:
        where, whence = (
            encode_canonical_json({"renamedTo": after["urn"]}),
            encode_canonical_json({"renamedFrom": before["urn"]}),
        )
        commit.append_to_change_log(before, None, "delete", ABSENT, "USER", run, None, where)
        commit.append_to_change_log(after, None, "rename", 0, "USER", run, None, whence)
    record_rename(commit.tx, before["urn"], after["urn"], commit.get_newest_change_number(), commit.now)


def rename_in_referencing_aspect(
    commit: CommitBuilder, urn: Urn, aspect: str, run: str | None, names: tuple[str, str]
) -> None:
    """Write a new version of another entity's aspect, with the new name."""
    row = commit.get_aspect_row(urn, aspect)
    if row is None or row["value"] is None:
        return
    spec = commit.registry.get_aspect_or_unregistered(urn.type, aspect)
    before = parse_stored_json(row["value"])
    value = replace_urn_and_field_urns(before, *names)
    if value == before:
        return
    commit.write_aspect(
        urn, spec, value, run, codecs.parse_system_metadata(row["system"]), implied=bool(row.get("implied"))
    )


def move_openlineage_names_and_locations(commit: CommitBuilder, old: Urn, new: Urn) -> None:
    """Move the OpenLineage names and the locations of files to the new name."""
    table = commit.tx.get_table("openlineage_names")
    names = commit.get_aspect_value(new, described.ASPECT) or {"names": ()}
    keys = [(old.type, name["namespace"], name["name"]) for name in names["names"]]
    named = [*table.read_many(keys), *table.scan(Range.prefix("symlink"))]
    table.upsert_many([row | {"urn": str(new)} for row in named if row["urn"] == str(old)])
    parts = commit.tx.get_table("openlineage")
    rows = list(parts.scan(Range.prefix(str(old))))
    parts.delete_range(Range.prefix(str(old)))
    parts.upsert_many(
        [row | {"subject": str(new), "value": _replace_urn_in_text(row["value"], (str(old), str(new)))} for row in rows]
    )


_NAME_KEY = ("namespace", "type", "name", "urn")
_OF_VERSION = ("urn", "aspect", "version", "value", "actor", "via", "time", "system")
