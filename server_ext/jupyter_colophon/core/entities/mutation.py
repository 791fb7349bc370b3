"""A change of one entity's metadata in a batch, and what it found and left."""

from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.entities.annotation import Change
from jupyter_colophon.core.identity.names import Urn

#: Properties and tags by scope.
State = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is done to one entity, by scope; `drops` also takes away what folds into a scope from other aspects."""

    urn: Urn
    changes: dict[str, Change]
    drops: bool = False


@dataclass(frozen=True, slots=True)
class Mutated:
    """What a mutation found and left."""

    urn: Urn
    before: State
    after: State
