"""A schemaspace with its schemas, and the results of loading and validation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from jupyter_colophon.core.documents.members import HIDDEN, Member
from jupyter_colophon.core.errors import Problem

#: The names by which Elyra's clients know why an instance is not valid (spec INST-8).
Reason = Literal["ValidationError", "SchemaNotFoundError", "ValueError"]


@dataclass(slots=True)
class LoadedSchemaspace:
    """A registered schemaspace. `name` and `id` keep their case, and are looked up case-insensitively.

    `object` is what the package registered, of Elyra's class or ours; only Elyra's attributes are used. A Space is shared
    and must not be changed by readers.
    """

    name: str
    id: str
    display_name: str
    description: str
    deprecated: bool
    object: Any
    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    deprecated_schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name in lower case, as used for lookups, folders and URNs."""
        return self.name.lower()

    def find_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return a schema by its name, deprecated or not."""
        return self.schemas.get(name) or self.deprecated_schemas.get(name)


@dataclass(frozen=True, slots=True)
class LoadingProblem:
    """A registration that did not load, for health, `doctor` and the log."""

    kind: Literal["schemaspace", "schemas provider", "schema"]
    #: The entry point's name, and for a schema `entry point/schema`.
    name: Annotated[str, Member("source")]
    #: The entry point's value, `module:attribute`.
    value: Annotated[str, HIDDEN]
    distribution: str
    version: str
    reason: str
    #: Whether it timed out; it is added when it finishes.
    late: Annotated[bool, Member("timedOut")] = False


@dataclass(frozen=True, slots=True)
class ValidationFailure:
    """Why a document is not a valid instance; pointers are into the document (`/metadata/code`)."""

    reason: Reason
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """The result of migrating a schemaspace's instances.

    `migrated` are the names of migrated instances, or in a dry run those to migrate; `failed` pairs a schema with the error
    of its provider; `untold` are schemas whose provider does not support a dry run.
    """

    space: str
    migrated: tuple[str, ...]
    failed: tuple[tuple[str, str], ...] = ()
    untold: tuple[str, ...] = ()
    dry_run: bool = False
