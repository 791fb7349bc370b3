"""A committed change, ordered by `seq` and attributed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from jupyter_colophon.core.documents.members import OMIT_DEFAULT, Member, Time
from jupyter_colophon.core.model.registry import Scope
from jupyter_colophon.core.model.system_metadata import SystemMetadata

ChangeOperation = Literal["create", "update", "delete", "rename", "run-start", "run-end", "access"]


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the change log. `aspect` is None for an entity's deletion, for runs and for accesses."""

    seq: int
    time: Time
    urn: str
    type: str
    namespace: str
    name: str
    aspect: str | None
    operation: ChangeOperation
    version: int
    scope: Scope
    actor: str
    via: str | None
    run: str | None
    previous: Mapping[str, Any] | None
    value: Mapping[str, Any] | None
    #: The system metadata of this value and of the previous one.
    system: Annotated[SystemMetadata | None, Member("systemMetadata", omit_default=True)] = None
    previous_system: Annotated[SystemMetadata | None, Member("previousSystemMetadata", omit_default=True)] = None
    #: The id of the service token by which the request was authenticated.
    token: Annotated[str | None, OMIT_DEFAULT] = None
