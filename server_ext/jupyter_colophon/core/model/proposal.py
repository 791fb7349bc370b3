"""What a principal asks an aspect to become, and what came of it."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from jupyter_colophon.core.documents.members import HIDDEN, OMIT_DEFAULT
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.system_metadata import SystemMetadata

#: The version of an aspect that does not exist.
ABSENT = -1

Operation = Literal["upsert", "create", "create-entity", "update", "patch", "delete", "annotate"]
#: Those that make something new: for their conditions the version is that of what is absent.
CREATING: Final = frozenset({"create", "create-entity"})
#: What has to exist already: nothing (recorders meet what they record), the namespace, or the entity (spec WRITE-7).
Needs = Literal["nothing", "namespace", "entity"]


@dataclass(frozen=True, slots=True)
class Condition:
    """The conditions on the aspect when the proposal is committed; all that are given must hold.

    A version is compared as text; -1 is absent. Times are ms, and what is absent was never modified.
    """

    version: int | str | None = None
    exists: bool = False
    unmodified_since: int | None = None
    modified_since: int | None = None

    def check(self, subject: str, version: int, time: int | None) -> None:
        """Raise ConditionFailed unless the present version and time (ms, None when absent) meet it."""
        if self.version is not None and str(version) != str(self.version):
            expected = "that it does not exist" if str(self.version) == str(ABSENT) else f"version {self.version}"
            raise ConditionFailed(subject, expected, version)
        if self.exists and version == ABSENT:
            raise ConditionFailed(subject, "that it exists", version)
        if self.unmodified_since is not None and time is not None and time > self.unmodified_since:
            raise ConditionFailed(subject, "no change since the time given", version)
        if self.modified_since is not None and (time is None or time <= self.modified_since):
            raise ConditionFailed(subject, "a change since the time given", version)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One wish. Without an aspect, `delete` means the whole entity, and `create` its key aspect.

    `create` wants that the aspect is absent, `create-entity` that the entity was before the batch, `update` that the
    aspect is there. With `if_absent` (DataHub's `If-None-Match: *`), what is there already is left as it is, and that is
    no refusal. The value of `patch` is a JSON Patch (a list), DataHub's form of one (core/datahub/patch_forms.py) or a merge
    patch; that of `annotate` is a Change (core/entities/annotation.py). An entity that another one holds (a field, a custom entity)
    exists, for `needs`, with its holder. With `united`, value and condition are about the aspect as DataHub's clients read
    it (core/datahub/scope_union.py). An `implied` one is the platform's own: its aspect can still be created by others.
    `spelling` is the URN as a DataHub client sent it, where that is another text than ours.
    """

    urn: Urn
    aspect: str | None
    operation: Operation
    value: Any = None
    condition: Condition = Condition()
    run: str | None = None
    needs: Annotated[Needs, HIDDEN] = "nothing"
    if_absent: bool = False
    system: SystemMetadata | None = None
    united: Annotated[bool, OMIT_DEFAULT] = False
    implied: Annotated[bool, HIDDEN] = False
    spelling: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class Written:
    """What a proposal became. `version` is -1 after a deletion; `seq` is None when nothing changed.

    `skipped` is true if it was left out: it asked for something new (`if_absent`), and something was there.
    """

    urn: Urn
    aspect: str | None
    version: int
    seq: int | None
    skipped: bool = False

    @property
    def changed(self) -> bool:
        """Whether there is a change in the log."""
        return self.seq is not None
