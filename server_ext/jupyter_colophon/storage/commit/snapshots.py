"""Store the metadata of an entity at its first access by a run; later edits do not change the copy (spec LINEAGE-17)."""

from jupyter_colophon.core.documents.codec import to_stored
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.entities.descriptors_of import describe_entity
from jupyter_colophon.core.entities.metadata_scopes import build_scoped_metadata
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import EntitySnapshot, ScopeSnapshot
from jupyter_colophon.core.model.system_filter import TAGS_KEY
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.entities import aspects


def keep_snapshot(commit: Commit, run: str, entity: Urn, snapshot: EntitySnapshot | None, with_system: bool) -> None:
    """Store an entity's metadata, or those that the caller passes, unless this run has a copy."""
    table, urn = commit.tx.get_table("snapshots"), str(entity)
    if table.read((run, urn)) is not None:
        return
    entity_snapshot = snapshot or _build_entity_snapshot(commit, entity, with_system)
    machines = (
        None
        if entity_snapshot.system is None
        else compact(to_stored(_collect_attached(commit, entity, entity_snapshot.system)))
    )
    table.upsert(
        {
            "run": run,
            "entity": urn,
            "time": commit.now,
            "user_metadata": compact(to_stored(entity_snapshot.user)),
            "system_metadata": machines,
        }
    )


def _build_entity_snapshot(commit: Commit, entity: Urn, with_system: bool) -> EntitySnapshot:
    present = aspects.read_present(commit.tx, commit.registry, entity.type, str(entity))
    kind = commit.registry.get_type(entity.type)
    scopes = build_scoped_metadata(None, present, (item for item in describe_entity(kind, present) if not item.column))
    user, system = (ScopeSnapshot(item.properties, item.tags) for item in (scopes.user, scopes.system))
    return EntitySnapshot(user, system if with_system else None)


def _collect_attached(commit: Commit, entity: Urn, system: ScopeSnapshot) -> ScopeSnapshot:
    """Return the attached metadata, which the caller may extend."""
    space = commit.get_entity_row(entity)["namespace"]
    tags = system.tags if commit.facts.includes_key(TAGS_KEY, entity, space) else ()
    return ScopeSnapshot(commit.facts.filter_properties(system.properties, entity, space), tags)
