"""Store the metadata of an entity at its first access by a run; later edits do not change the copy (spec LINEAGE-17)."""

from collections.abc import Mapping

from jupyter_colophon.core.documents.codec import to_stored_form
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.entities.descriptors_of import list_entity_descriptors
from jupyter_colophon.core.entities.metadata_scopes import USER_ASPECT, build_scoped_metadata, build_user_metadata
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import EntitySnapshot, ScopeSnapshot
from jupyter_colophon.core.model.system_filter import TAGS_KEY
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import Row

#: What is stored of an entity without metadata, as most are when a run creates them.
_EMPTY = encode_canonical_json(to_stored_form(ScopeSnapshot()))


def store_missing_snapshots(
    commit: CommitBuilder, run: str, entities: Mapping[Urn, EntitySnapshot | None], include_system_metadata: bool
) -> None:
    """Store the metadata of those of these entities of which this run has no copy, or those that the caller passes."""
    table = commit.tx.get_table("snapshots")
    stored = {row["entity"] for row in table.read_many([(run, str(entity)) for entity in entities], ("entity",))}
    missing = [(entity, snapshot) for entity, snapshot in entities.items() if str(entity) not in stored]
    table.upsert_many(
        [_build_snapshot_row(commit, run, entity, passed, include_system_metadata) for entity, passed in missing]
    )


def _build_snapshot_row(
    commit: CommitBuilder, run: str, entity: Urn, snapshot: EntitySnapshot | None, include_system_metadata: bool
) -> Row:
    """Return the row of an entity's metadata, or of those that the caller passes, as this run's copy."""
    entity_snapshot = snapshot or _build_entity_snapshot(commit, entity, include_system_metadata)
    machines = (
        None
        if entity_snapshot.system is None
        else encode_canonical_json(to_stored_form(_add_attached_metadata(commit, entity, entity_snapshot.system)))
    )
    return {
        "run": run,
        "entity": str(entity),
        "time": commit.now,
        "user_metadata": _EMPTY
        if entity_snapshot.user == ScopeSnapshot()
        else encode_canonical_json(to_stored_form(entity_snapshot.user)),
        "system_metadata": machines,
    }


def _build_entity_snapshot(commit: CommitBuilder, entity: Urn, include_system_metadata: bool) -> EntitySnapshot:
    present = (
        aspects.read_present_aspects(commit.tx, commit.registry, entity.type, str(entity))
        if include_system_metadata
        else commit.list_aspects_before(entity, "USER")
    )
    if not present and not include_system_metadata:
        return EntitySnapshot()
    described = {name: aspect for name, aspect in present.items() if name != USER_ASPECT}
    kind = commit.registry.get_type(entity.type)
    descriptors = (item for item in list_entity_descriptors(kind, described) if not item.column)
    if not include_system_metadata:
        user = build_user_metadata(present, descriptors)
        return EntitySnapshot(ScopeSnapshot(user.properties, user.tags))
    scopes = build_scoped_metadata(None, present, descriptors)
    return EntitySnapshot(
        ScopeSnapshot(scopes.user.properties, scopes.user.tags),
        ScopeSnapshot(scopes.system.properties, scopes.system.tags),
    )


def _add_attached_metadata(commit: CommitBuilder, entity: Urn, system: ScopeSnapshot) -> ScopeSnapshot:
    """Return the attached metadata, which the caller may extend."""
    space = commit.get_entity_row(entity)["namespace"]
    tags = system.tags if commit.facts.includes_key(TAGS_KEY, entity, space) else ()
    return ScopeSnapshot(commit.facts.filter_properties(system.properties, entity, space), tags)
