"""An erasure: the replacement of a person's names by a pseudonym, and what it has changed so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from jupyter_colophon.core.documents.members import HIDDEN, Time

#: The step of an erasure that has ended.
FINISHED: Final = "finished"


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure of a person. `changed` counts the changed rows by place; `step` is the place that is erased next.

    The name of the person is known only until it is erased.
    """

    pseudonym: str
    requested_by: str
    started: Time
    step: str
    person: Annotated[str, HIDDEN] = ""
    finished: Time | None = None
    changed: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.step == FINISHED
