"""Fields that were made of fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import Window


@dataclass(frozen=True, slots=True)
class FieldQuestion:
    """The fields of data in a window of time; `field` is "" for all of them."""

    urn: Urn
    window: Window
    field: str = ""
    incoming: bool = True
    outgoing: bool = True


@dataclass(frozen=True, slots=True)
class FieldEdge:
    """A field made of another one by a program, whose newest run in the window began at `start` (ms)."""

    source: str
    source_field: str
    target: str
    target_field: str
    program: str
    transformation: str
    start: int


@dataclass(frozen=True, slots=True)
class Ends:
    """Data at an end of field lineage: its namespace and the fields of its schema."""

    urn: str
    namespace: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldLineage:
    """What the fields of data are made of, and what is made of them; `ends` are all data and programs named."""

    incoming: Sequence[FieldEdge]
    outgoing: Sequence[FieldEdge]
    ends: dict[str, Ends]
    truncated: bool
