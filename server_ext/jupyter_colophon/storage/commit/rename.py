"""Rename a dataset: everything recorded of it is moved to the new name (decision 22).

The old name keeps a row that refers to the new one, and a version number for each aspect, so that versions continue if
it is created again. Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.cdap.names import make_v3_path
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.entities.containment import get_urn_prefix_of_children
from jupyter_colophon.core.errors import InvalidName, RenameConflict
from jupyter_colophon.core.identity.names import Urn, get_custom_key_pairs, make_custom_urn, make_field_urn
from jupyter_colophon.core.identity.urn import PREFIX, canonicalize_urn
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.key_aspect import build_key_aspect
from jupyter_colophon.core.model.proposal import ABSENT, ProposalResult
from jupyter_colophon.core.openlineage import described
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.renamed_runs import replace_dataset_in_runs, require_data_of_no_other_kernel
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_namespace_being_deleted
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error, is_left_by_rename, record_rename
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Range, Row

#: A rename is one transaction that blocks other writers, so more runs or references are refused.
RUNS_MOST = 2_000
REFERENCES_MOST = 1_000


@dataclass(frozen=True, slots=True)
class _EntityRename:
    """An entity to rename, and its new name."""

    old: Urn
    new: Urn


def rename_dataset_with_contents(commit: CommitBuilder, old: Urn, new: Urn, run: str | None) -> ProposalResult:
    """Rename a dataset with its fields and all entities that it contains. Raises NotFound, RenameConflict."""
    row = commit.tx.get_table("entities").read((str(old),))
    if row is None or row["deleted"] or is_namespace_being_deleted(commit.tx, row["namespace"]):
        raise build_not_found_or_renamed_error(commit.tx, str(old))
    moves = [*_list_renames_of_children(commit, old, new), _EntityRename(old, new)]
    _require_new_name_is_free(commit, new, moves)
    runs = [run_urn for _, run_urn in commit.tx.edges.list_runs_of_data(str(old), ALL_TIME, RUNS_MOST + 1, None)]
    if len(runs) > RUNS_MOST:
        raise RenameConflict(str(old), f"more than {RUNS_MOST:,} runs accessed it")
    require_data_of_no_other_kernel(commit, old, runs)
    references, names = _find_referencing_aspects(commit, old, moves, runs), (str(old), str(new))
    asserting = [
        entity
        for urn in {urn for urn, _ in references}
        if (entity := sources_of_truth.find_stored_entity(commit.tx, urn)) is not None
    ]
    for entity in asserting:
        assertions.delete_declared_lineage(commit.tx, entity.entity, entity.aspects, commit.now)
    moved = [_move_entity_rows(commit, move, entity, names) for move, entity in _read_entities_to_rename(commit, moves)]
    replace_dataset_in_runs(
        commit, [run_urn for run_urn in runs if declared_lineage.parse_version_mark(run_urn) is None], *names
    )
    for before, after in moved:
        _write_derived_rows(commit, after)
        _log_deletions_and_new_values(commit, before, after, run)
    seq = commit.get_newest_change_number()
    for entity in asserting:
        assertions.rewrite_declared_lineage(commit.tx, entity.entity["urn"])
    for urn, aspect in references:
        _rename_in_referencing_aspect(commit, Urn.parse(urn), aspect, run, names)
    _move_openlineage_names_and_locations(commit, old, new)
    return ProposalResult(new, None, 0, seq)


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


def _list_renames_of_children(commit: CommitBuilder, old: Urn, new: Urn) -> Iterator[_EntityRename]:
    """List the entities that the dataset contains, deleted ones included, since their history moves as well."""
    prefix = get_urn_prefix_of_children(old) or ""
    # "-" is the character after ",", so this range has exactly the URNs with the prefix.
    fields = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
    for row in list(commit.tx.get_table("entities").scan(fields)):
        if not is_left_by_rename(commit.tx, row):
            urn = Urn.parse(row["urn"])
            yield _EntityRename(urn, make_field_urn(new, urn.parts[1]))
    holdings = commit.tx.get_table("containment")
    name = make_v3_path(new, commit.identity).segments[3]
    for holding in [*holdings.scan(Range.prefix(str(old))), *holdings.scan(fields)]:
        row_of_child = commit.tx.get_table("entities").read((holding["urn"],))
        if row_of_child is not None and not is_left_by_rename(commit.tx, row_of_child):
            urn = Urn.parse(row_of_child["urn"])
            first, (word, _), *others = get_custom_key_pairs(urn)
            move = _EntityRename(urn, make_custom_urn(urn.parts[0], (first, (word, name), *others)))
            holder = holding["parent"].replace(str(old), str(new))
            holdings.upsert({"parent": holder, "urn": str(move.new)})
            yield move


def _require_new_name_is_free(commit: CommitBuilder, new: Urn, moves: list[_EntityRename]) -> None:
    """Raise RenameConflict if an entity has the new name, or is contained in it."""
    prefix = get_urn_prefix_of_children(new) or ""
    fields = commit.tx.get_table("entities").scan(Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False))
    named = commit.tx.get_table("entities").read_many([(str(move.new),) for move in moves])
    if any(not row["deleted"] for row in (*named, *fields)):
        raise RenameConflict(str(new), "the name is in use")


def _read_entities_to_rename(
    commit: CommitBuilder, moves: list[_EntityRename]
) -> list[tuple[_EntityRename, StoredEntity]]:
    return [
        (move, entity)
        for move in moves
        if (entity := sources_of_truth.find_stored_entity(commit.tx, str(move.old))) is not None
    ]


def _move_entity_rows(
    commit: CommitBuilder, move: _EntityRename, entity: StoredEntity, names: tuple[str, str]
) -> tuple[StoredEntity, StoredEntity]:
    """Move an entity's row, versions and timeseries values; return it as it was, and under the new name."""
    left = {name: _build_deleted_aspect_row(commit, row) for name, row in entity.aspects.items()}
    _remove_derived_rows(commit, entity, left)
    new_row = _build_renamed_row(commit, entity.entity, move.new)
    moved = {name: _move_aspect_versions(commit, move, row, names) for name, row in entity.aspects.items()}
    _write_deleted_rows(commit, entity.entity, left)
    commit.tx.get_table("entities").upsert(new_row)
    commit.tx.get_table("aspects").upsert_many([*moved.values()])
    _move_timeseries(commit, str(move.old), str(move.new), names)
    return entity, StoredEntity(new_row, moved)


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


def _move_aspect_versions(commit: CommitBuilder, move: _EntityRename, row: Row, names: tuple[str, str]) -> Row:
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
    commit: CommitBuilder, move: _EntityRename, aspect: str, value: str | None, names: tuple[str, str]
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


def _write_derived_rows(commit: CommitBuilder, entity: StoredEntity) -> None:
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


def _log_deletions_and_new_values(commit: CommitBuilder, old: StoredEntity, new: StoredEntity, run: str | None) -> None:
    """Log the deletions under the old name and the new values under the new one."""
    before, after = old.entity, new.entity
    for name, row in sorted(new.aspects.items()):
        if row["value"] is not None:
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


def _find_referencing_aspects(
    commit: CommitBuilder, old: Urn, moves: list[_EntityRename], runs: list[str]
) -> list[tuple[str, str]]:
    """Return the aspects of other entities that name the dataset or its content, as (URN, aspect). Raises
    RenameConflict.
    """
    prefix = get_urn_prefix_of_children(old) or ""
    table, ours = commit.tx.get_table(relationships.TABLE), {str(move.old) for move in moves}
    ranges = [Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False), *map(Range.prefix, sorted(ours))]
    references = {(row["urn"], row["aspect"]) for row in table.scan_ranges(ranges)}
    references |= {
        mark[:2] for reference in runs if (mark := declared_lineage.parse_version_mark(reference)) is not None
    }
    others = sorted(reference for reference in references if reference[0] not in ours)
    if len(others) > REFERENCES_MOST:
        raise RenameConflict(str(old), f"more than {REFERENCES_MOST:,} aspects refer to it")
    return others


def _rename_in_referencing_aspect(
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


def _move_openlineage_names_and_locations(commit: CommitBuilder, old: Urn, new: Urn) -> None:
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
