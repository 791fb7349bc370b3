"""Proposed changes of aspects, and their results."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from jupyter_colophon.core.documents.members import HIDDEN, OMIT_DEFAULT
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.system_metadata import SystemMetadata

#: The version of an aspect that does not exist.
ABSENT = -1

#: Begins `via` of changes that a steward applied for their author.
_REVIEWED: Final = "review:"

Operation = Literal["upsert", "create", "create-entity", "update", "patch", "delete", "annotate"]
#: Operations that create something: their conditions refer to the version of an absent aspect.
CREATING: Final = frozenset({"create", "create-entity"})
#: What must exist already: nothing (recorders create what they record), the namespace, or the entity (spec WRITE-7).
Needs = Literal["nothing", "namespace", "entity"]


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """Conditions on the aspect when the proposal is committed; all given conditions must hold.

    A version is compared as text; -1 is an absent aspect. Times are ms; an absent aspect was never modified.
    """

    version: int | str | None = None
    exists: bool = False
    unmodified_since: int | None = None
    modified_since: int | None = None

    def require_met(self, subject: str, version: int, time: int | None) -> None:
        """Raise ConditionFailed unless the present version and time (ms, None if absent) satisfy the conditions."""
        if self.version is not None and str(version) != str(self.version):
            expected = "that it does not exist" if str(self.version) == str(ABSENT) else f"version {self.version}"
            raise ConditionFailed(subject, expected, version)
        if self.exists and version == ABSENT:
            raise ConditionFailed(subject, "that it exists", version)
        if self.unmodified_since is not None and time is not None and time > self.unmodified_since:
            raise ConditionFailed(subject, "no change since the time given", version)
        if self.modified_since is not None and (time is None or time <= self.modified_since):
            raise ConditionFailed(subject, "a change since the time given", version)


#: No condition: one for all proposals, since a batch has hundreds.
UNCONDITIONAL: Final = WriteCondition()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change. Without an aspect, `delete` deletes the whole entity, and `create` creates its key aspect.

    `create` requires that the aspect is absent, `create-entity` that the entity did not exist before the batch,
    `update` that the aspect exists. With `if_absent` (DataHub's `If-None-Match: *`), an existing aspect is left
    unchanged without an error. The value of `patch` is a JSON Patch (a list), a patch in DataHub's format
    (core/datahub/patch_forms.py) or a merge patch; that of `annotate` is a MetadataEdit (core/entities/annotation.py).
    For `needs`, a contained entity (a field, a custom entity) exists if its parent does. With `united`, value and
    condition refer to the aspect as DataHub's clients read it (core/datahub/scope_union.py). An `implied` proposal is
    the platform's own: others can still create its aspect. `spelling` is the URN as a DataHub client sent it, if it
    differs from ours.
    """

    urn: Urn
    aspect: str | None
    operation: Operation
    value: Any = None
    condition: WriteCondition = UNCONDITIONAL
    run: str | None = None
    needs: Annotated[Needs, HIDDEN] = "nothing"
    if_absent: bool = False
    system: SystemMetadata | None = None
    united: Annotated[bool, OMIT_DEFAULT] = False
    implied: Annotated[bool, HIDDEN] = False
    spelling: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class ProposalResult:
    """The result of a proposal. `version` is -1 after a deletion; `seq` is None if nothing changed.

    `skipped` is true if a proposal with `if_absent` found an existing aspect.
    """

    urn: Urn
    aspect: str | None
    version: int
    seq: int | None
    skipped: bool = False

    @property
    def has_changed(self) -> bool:
        """Return whether the proposal added a change to the log."""
        return self.seq is not None


def format_reviewer(user: str) -> str:
    """Return `via` of a change that this user applied for its author."""
    return _REVIEWED + user
