"""A change of one entity's metadata in a batch, and its result."""

from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.entities.annotation import MetadataEdit
from jupyter_colophon.core.identity.names import Urn

#: Properties and tags by scope.
State = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Mutation:
    """The changes of one entity by scope; `drops` also removes metadata that other aspects contribute to a scope."""

    urn: Urn
    changes: dict[str, MetadataEdit]
    drops: bool = False


@dataclass(frozen=True, slots=True)
class MutationResult:
    """The metadata of an entity before and after a mutation."""

    urn: Urn
    before: State
    after: State
