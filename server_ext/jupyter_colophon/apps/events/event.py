"""What happens in the catalog, as listeners of applications receive it. Each event is a change of the change log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.entities.entity_kinds import get_entity_kind_of_row
from jupyter_colophon.core.model.registry import Registry, Scope
from jupyter_colophon.core.quality.results import QUALITY, find_turned_results

_NAMESPACE: Final = "namespace"


@dataclass(frozen=True, slots=True)
class CatalogEvent:
    """Something that happened to an entity. Events are numbered in their order, with gaps."""

    number: int
    #: In milliseconds since 1970.
    time_ms: int
    urn: str
    #: The kind of the entity: `dataset`, `stream`, `dataJob`, `namespace`, or that of a custom entity.
    kind: str
    namespace: str
    name: str
    #: The user who caused it.
    actor: str


@dataclass(frozen=True, slots=True)
class EntityCreated(CatalogEvent):
    """An entity was created. `renamed_from` is its former URN if it was renamed, else empty."""

    renamed_from: str = ""


@dataclass(frozen=True, slots=True)
class EntityDeleted(CatalogEvent):
    """An entity was deleted. `renamed_to` is its new URN if it was renamed, else empty."""

    renamed_to: str = ""


@dataclass(frozen=True, slots=True)
class NamespaceCreated(EntityCreated):
    """A namespace was created."""


@dataclass(frozen=True, slots=True)
class NamespaceDeleted(EntityDeleted):
    """A namespace was deleted: it is invisible, and its content is being deleted."""


@dataclass(frozen=True, slots=True)
class MetadataChanged(CatalogEvent):
    """An aspect of an entity changed. `previous` is None for a new value, `value` for a deleted one.

    Neither contains values of confidential columns.
    """

    aspect: str
    scope: Scope
    previous: Mapping[str, Any] | None
    value: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class QualityChanged(MetadataChanged):
    """Expectations of a dataset started to fail, or pass again: their ids."""

    started_to_fail: tuple[str, ...] = ()
    passing_again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramStatusChanged(CatalogEvent):
    """A run of a program, which is the entity, started or ended: `running`, `succeeded`, `failed` or `killed`."""

    run: str
    status: str


def create_event(change: Change, registry: Registry) -> CatalogEvent | None:
    """Return the event of a change; None for one that is a detail of another, or only a read."""
    about = (
        change.seq,
        change.time,
        change.urn,
        get_entity_kind_of_row(change.type, change.urn),
        change.namespace,
        change.name,
        change.actor,
    )
    value = change.value or {}
    if change.operation in ("run-start", "run-end"):
        status = "running" if change.operation == "run-start" else str(value.get("status", ""))
        return ProgramStatusChanged(*about, change.run or "", status)
    if change.aspect is None:
        if change.operation == "delete":
            return _get_class_of_deletion(change)(*about, str(value.get("renamedTo", "")))
        return EntityCreated(*about, str(value.get("renamedFrom", ""))) if change.operation == "rename" else None
    if change.aspect == registry.get_type_or_unregistered(change.type).key_aspect:
        # A deleted or renamed entity has a change without an aspect, too.
        return _get_class_of_creation(change)(*about) if change.operation == "create" else None
    changed = (*about, change.aspect, change.scope, change.previous, change.value)
    if change.aspect == QUALITY and any(turned := find_turned_results(change.previous, change.value)):
        return QualityChanged(*changed, *turned)
    return MetadataChanged(*changed)


def _get_class_of_creation(change: Change) -> type[EntityCreated]:
    return NamespaceCreated if change.type == _NAMESPACE else EntityCreated


def _get_class_of_deletion(change: Change) -> type[EntityDeleted]:
    return NamespaceDeleted if change.type == _NAMESPACE else EntityDeleted
