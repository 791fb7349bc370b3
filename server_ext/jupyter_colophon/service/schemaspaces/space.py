"""A schemaspace with its schemas, and what is told of loading and checking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from jupyter_colophon.core.documents.members import HIDDEN, Member
from jupyter_colophon.core.errors import Problem

#: The names by which Elyra's clients know why an instance is not valid (spec INST-8).
Reason = Literal["ValidationError", "SchemaNotFoundError", "ValueError"]


@dataclass(slots=True)
class Space:
    """One schemaspace as it was registered. `name` and `id` keep their case and are looked up without it.

    `object` is what the package registered, of Elyra's class or of ours; nothing is asked of it beyond Elyra's
    attributes. Who changes a Space changes it for all: read only.
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
        """The name as it is looked up, and as folders and URNs have it: in small letters."""
        return self.name.lower()

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """A schema by its name, a deprecated one as well."""
        return self.schemas.get(name) or self.deprecated_schemas.get(name)


@dataclass(frozen=True, slots=True)
class LoadingProblem:
    """What did not load, and whose it is: for health, `doctor` and the log."""

    kind: Literal["schemaspace", "schemas provider", "schema"]
    #: The entry point's name, and for a schema `entry point/schema`.
    name: Annotated[str, Member("source")]
    #: The entry point's value, `module:attribute`.
    value: Annotated[str, HIDDEN]
    distribution: str
    version: str
    reason: str
    #: It was not there in time. It is taken in when it comes.
    late: Annotated[bool, Member("timedOut")] = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a document is no valid instance; pointers are into the document (`/metadata/code`)."""

    reason: Reason
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """What came of asking a schemaspace's providers to migrate its instances.

    `migrated` are the names of instances that were migrated, or would be after a dry run; `failed` pairs a schema with
    what its provider raised; `untold` are schemas whose provider migrates and cannot say beforehand what.
    """

    space: str
    migrated: tuple[str, ...]
    failed: tuple[tuple[str, str], ...] = ()
    untold: tuple[str, ...] = ()
    dry_run: bool = False
