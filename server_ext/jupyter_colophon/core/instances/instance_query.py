"""What is asked of a schemaspace's instances, and what comes back: pages, values in use, exports and imports."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from jupyter_colophon.core.documents.members import Member
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.instances.instance import Instance

#: By what a list is put in order; `-` before it turns the order round.
SORTS = ("display_name", "-display_name", "name", "-name", "schema_name", "-schema_name", "time", "-time")
#: What came of one instance of an import, or what would.
OutcomeKind = Literal["created", "updated", "unchanged", "conflict", "invalid", "failed"]


@dataclass(frozen=True, slots=True)
class InstanceQuery:
    """Which instances of a schemaspace are listed.

    `text` is looked for, in any case, in name, display name, description and tags; `tags` are alternatives. `valid` is
    True or False for those alone, None for both. `limit` is at least 1, `cursor` that of the previous page.
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
    """A page. Tags are counted without the filter of tags, schemas without that of schemas; both are by name."""

    instances: tuple[Instance, ...]
    total: int
    tags: tuple[tuple[str, int], ...]
    schemas: tuple[tuple[str, int], ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value that instances have at a place, and how many of them."""

    value: str | int | float | bool
    count: int


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Values that instances have at a place, the most frequent first; `truncated` where there are more."""

    values: tuple[ValueCount, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """An instance that was removed. `version` is its last one, which `restore` takes; None while the catalog is away.

    `uncovered` says whether one of the same name shows now, from a shared or factory folder.
    """

    name: str
    version: int | None
    uncovered: bool


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """Which instances are exported: all valid ones, or those that are named, or of one schema."""

    names: tuple[str, ...] = ()
    schema: str = ""
    include_invalid: bool = False
    include_secrets: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one instance of an import or a move, or what would."""

    name: str
    kind: Annotated[OutcomeKind, Member("outcome")]
    reason: str = ""
    problems: tuple[Problem, ...] = field(default=())
