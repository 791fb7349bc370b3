"""What is asked of a list of entities in an order of its own, and what is told (catalog.md 4.1 and 4.2)."""

from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.entity import EntitySummary

Sort = Literal["", "entity-name", "creation-time"]


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """What is looked for. `kinds` are entity types, or `stream`; no kinds, namespaces or scope means all.

    Names that begin with `_` are `hidden` ones; custom entities are found where their kind or `custom` is asked for.
    """

    text: str
    kinds: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    scope: str = ""
    sort: Sort = ""
    descending: bool = False
    hidden: bool = False
    custom: bool = False
    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A part of what was found; `total` counts what the principal may see, `truncated` says that there is more."""

    entities: tuple[EntitySummary, ...]
    total: int
    truncated: bool
