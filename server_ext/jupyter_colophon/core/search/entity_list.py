"""Queries and results of sorted lists of entities."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from jupyter_colophon.core.entities.entity import EntitySummary

Sort = Literal["", "entity-name", "creation-time"]
#: Where an entity is in a sorted list: its folded name or the time of its creation, and its URN.
Place = tuple[str, str] | tuple[int, str]


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """What is looked for. `kinds` are kinds of entity (core/entities/entity_kinds.py); no kinds, namespaces or scope means all.

    `without` are namespaces that are left out.

    Names that begin with `_` are `hidden` ones; custom entities are found where their kind or `custom` is asked for.
    `after` is a place in the sorted list, and counts instead of `offset`; `places` is how many places to go on from are
    wanted. With `as_of` (in ms), what fitted then.
    """

    text: str
    kinds: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    scope: str = ""
    sort: Sort = ""
    descending: bool = False
    hidden: bool = False
    custom: bool = False
    offset: int = 0
    limit: int | None = None
    after: Place | None = None
    places: int = 0
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A part of what was found; `total` counts what the principal may see, `truncated` says that there is more.

    `offset` is how many come before it, `places` are the ends of this part and of those that follow, but the last.
    `order` has the place of each entity of this part by its URN.
    """

    entities: tuple[EntitySummary, ...]
    total: int
    truncated: bool
    offset: int = 0
    places: tuple[Place, ...] = ()
    order: Mapping[str, Place] = field(default_factory=dict)

    def cut(self, count: int) -> "Listed":
        """Return the first `count` of these entities, which are not all, with the place to go on from."""
        last = self.order[self.entities[count - 1].urn]
        return replace(self, entities=self.entities[:count], truncated=True, places=(last,))
