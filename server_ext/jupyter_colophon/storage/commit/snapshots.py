"""Store the metadata of an entity at its first access by a run; later edits do not change the copy (spec LINEAGE-17)."""

from jupyter_colophon.core.documents.codec import to_stored
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.entities.descriptors_of import describe_entity
from jupyter_colophon.core.entities.metadata_scopes import scoped
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Said, Snapshot
from jupyter_colophon.core.model.system_filter import TAGS_KEY
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.entities import aspects


def keep_snapshot(commit: Commit, run: str, entity: Urn, given: Snapshot | None, with_system: bool) -> None:
    """Store an entity's metadata, or those that the caller gives, unless this run has a copy."""
    table, urn = commit.tx.table("snapshots"), str(entity)
    if table.read((run, urn)) is not None:
        return
    taken = given or _taken(commit, entity, with_system)
    machines = None if taken.system is None else compact(to_stored(_attached(commit, entity, taken.system)))
    table.upsert(
        {
            "run": run,
            "entity": urn,
            "time": commit.now,
            "user_metadata": compact(to_stored(taken.user)),
            "system_metadata": machines,
        }
    )


def _taken(commit: Commit, entity: Urn, with_system: bool) -> Snapshot:
    present = aspects.present(commit.tx, commit.registry, entity.type, str(entity))
    kind = commit.registry.type(entity.type)
    found = scoped(None, present, (one for one in describe_entity(kind, present) if not one.column))
    user, system = (Said(one.properties, one.tags) for one in (found.user, found.system))
    return Snapshot(user, system if with_system else None)


def _attached(commit: Commit, entity: Urn, system: Said) -> Said:
    """What of it is attached: who records an access may say more."""
    space = commit.entity(entity)["namespace"]
    tags = system.tags if commit.facts.takes(TAGS_KEY, entity, space) else ()
    return Said(commit.facts.of_keys(system.properties, entity, space), tags)
