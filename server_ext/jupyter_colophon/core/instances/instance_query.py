"""Queries for the instances of a schemaspace, and their results: pages, values in use, exports and imports."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from jupyter_colophon.core.documents.members import Member
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.instances.instance import Instance

#: The sort orders of a list; a `-` before one reverses it.
SORTS = ("display_name", "-display_name", "name", "-name", "schema_name", "-schema_name", "time", "-time")
#: The actual or expected outcome for one instance of an import.
OutcomeKind = Literal["created", "updated", "unchanged", "conflict", "invalid", "failed"]


@dataclass(frozen=True, slots=True)
class InstanceQuery:
    """The parameters of a list of instances.

    `text` is searched in name, display name, description and tags, ignoring case; `tags` are alternatives. `valid`
    selects valid or invalid instances, None both. `limit` is at least 1, `cursor` that of the previous page.
    """

    text: str = ""
    tags: tuple[str, ...] = ()
    schema: str = ""
    valid: bool | None = None
    sort: str = "display_name"
    limit: int = 50
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class InstancePage:
    """A page. Tags are counted without the tag filter, schemas without the schema filter; both are sorted by name."""

    instances: tuple[Instance, ...]
    total: int
    tags: tuple[tuple[str, int], ...]
    schemas: tuple[tuple[str, int], ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of instances at a path, and the number of instances with it."""

    value: str | int | float | bool
    count: int


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Values of instances at a path, the most frequent first; `truncated` if there are more."""

    values: tuple[ValueCount, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class RemovalResult:
    """A removed instance. `version` is its last version, which `restore` takes; None while the catalog is unavailable.

    `uncovered` is true if an instance with the same name in a shared or factory folder is visible now.
    """

    name: str
    version: int | None
    uncovered: bool


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """The instances to export: all valid ones, those with these names, or those of one schema."""

    names: tuple[str, ...] = ()
    schema: str = ""
    include_invalid: bool = False
    include_secrets: bool = False


@dataclass(frozen=True, slots=True)
class InstanceOutcome:
    """The actual or expected outcome for one instance of an import or a move."""

    name: str
    kind: Annotated[OutcomeKind, Member("outcome")]
    reason: str = ""
    problems: tuple[Problem, ...] = field(default=())
