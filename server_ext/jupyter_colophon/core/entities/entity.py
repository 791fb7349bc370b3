"""Entities and aspects as readers see them. Times are milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from jupyter_colophon.core.documents.members import OMIT_DEFAULT, Member, Time
from jupyter_colophon.core.model.registry import Scope
from jupyter_colophon.core.model.system_metadata import SystemMetadata

#: The aspect by which clients mark an entity as removed; its metadata is kept.
STATUS: Final = "status"
#: The system metadata that the writer of a value sent, if any.
WriterMetadata = Annotated[SystemMetadata | None, Member("systemMetadata", omit_default=True)]


@dataclass(frozen=True, slots=True)
class AuditStamp:
    """The time and the actor of a change."""

    time: Time
    actor: str


@dataclass(frozen=True, slots=True)
class Aspect:
    """The present state of one aspect."""

    name: str
    scope: Scope
    version: int
    value: Mapping[str, Any]
    actor: str
    via: str | None
    time: Time
    system: WriterMetadata = None


@dataclass(frozen=True, slots=True)
class AspectVersion:
    """One version in an aspect's history; `diff` is the JSON Patch from the version before.

    `notebook` is the path of the notebook whose kernel wrote it, empty if that is not known.
    """

    version: int
    value: Mapping[str, Any] | None
    actor: str
    via: str | None
    time: Time
    diff: tuple[Mapping[str, Any], ...]
    system: WriterMetadata = None
    notebook: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """An entity without its aspects; one that is `removed` was softly deleted.

    `display_name` is the name by which people know it, empty if that is the name in its URN.
    """

    urn: str
    type: str
    namespace: str
    name: str
    platform: str | None
    created: AuditStamp
    updated: AuditStamp
    removed: Annotated[bool, OMIT_DEFAULT] = False
    display_name: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity with its aspects."""

    summary: EntitySummary
    aspects: Mapping[str, Aspect]


@dataclass(frozen=True, slots=True)
class EntityListing:
    """The parameters of a list of entities; softly deleted ones are included only with `removed`."""

    namespace: str = ""
    type: str = ""
    prefix: str = ""
    limit: int = 50
    cursor: str = ""
    removed: bool = False


def is_status_removed(status: object) -> bool:
    """Return whether a value of the aspect `status` marks its entity as removed."""
    return isinstance(status, Mapping) and bool(status.get("removed"))
