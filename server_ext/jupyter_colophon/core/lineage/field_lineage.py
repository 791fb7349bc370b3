"""Lineage between fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import TimeWindow


@dataclass(frozen=True, slots=True)
class FieldLineageRequest:
    """A query for the lineage of a dataset's fields in a time window; `field` is "" for all of them."""

    urn: Urn
    window: TimeWindow
    field: str = ""
    incoming: bool = True
    outgoing: bool = True


@dataclass(frozen=True, slots=True)
class FieldEdge:
    """A field derived from another one by a program, whose newest run in the window began at `start` (ms)."""

    source: str
    source_field: str
    target: str
    target_field: str
    program: str
    transformation: str
    start: int


@dataclass(frozen=True, slots=True)
class FieldLineageEnd:
    """A dataset in field lineage: its namespace and the fields of its schema."""

    urn: str
    namespace: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldLineage:
    """The sources of a dataset's fields and the fields derived from them; `ends` are all datasets and programs in the
    edges.
    """

    incoming: Sequence[FieldEdge]
    outgoing: Sequence[FieldEdge]
    ends: dict[str, FieldLineageEnd]
    truncated: bool
