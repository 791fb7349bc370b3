"""Entities and aspects as readers see them. Times are milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.datahub.system_metadata import SystemMetadata
from jupyter_colophon.core.registry import Scope


@dataclass(frozen=True, slots=True)
class Stamp:
    """When, and by whom."""

    time: int
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
    time: int
    system: SystemMetadata | None = None


@dataclass(frozen=True, slots=True)
class AspectVersion:
    """One version in an aspect's history; `diff` is the JSON Patch from the version before."""

    version: int
    value: Mapping[str, Any] | None
    actor: str
    via: str | None
    time: int
    diff: tuple[Mapping[str, Any], ...]
    system: SystemMetadata | None = None


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """An entity without its aspects."""

    urn: str
    type: str
    namespace: str
    name: str
    platform: str | None
    created: Stamp
    updated: Stamp


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity with its aspects."""

    summary: EntitySummary
    aspects: Mapping[str, Aspect]


@dataclass(frozen=True, slots=True)
class Listing:
    """Which entities to list."""

    namespace: str = ""
    type: str = ""
    prefix: str = ""
    limit: int = 50
    cursor: str = ""
