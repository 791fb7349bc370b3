"""The impact of a column: what is derived from it, and what may use it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jupyter_colophon.core.documents.members import OMIT_DEFAULT
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import MAX_LEVELS
from jupyter_colophon.core.lineage.run import Transformation

#: Whether values of a column flow into another one (`data`), or only affect which values or rows it has (`control`).
Dependency = Literal["data", "control"]


@dataclass(frozen=True, slots=True)
class ColumnImpactRequest:
    """A query for the impact of a column of a dataset, by its plain path."""

    dataset: Urn
    column: str
    levels: int = MAX_LEVELS


@dataclass(frozen=True, slots=True)
class AffectedColumn:
    """A column that depends on the requested one, directly or through others.

    The dependency is `data` if all steps of a path to it are; transformation and program are those of the last step.
    The program is None if the lineage is declared without one.
    """

    urn: str
    dataset: str
    column: str
    namespace: str
    name: str
    level: int
    dependency: Dependency
    transformation: Transformation
    program: str | None


@dataclass(frozen=True, slots=True)
class PossibleUser:
    """Data or a program that uses a table of an affected column, without known columns."""

    urn: str
    type: str
    namespace: str
    name: str
    title: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class ColumnImpact:
    """The columns that depend on a column, the nearest first, and what may use it.

    With `truncated`, a limit was reached and the lists are incomplete.
    """

    columns: tuple[AffectedColumn, ...]
    may_use: tuple[PossibleUser, ...]
    truncated: bool
