"""Queries and results of sorted lists of entities."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from jupyter_colophon.core.entities.entity import EntitySummary

Sort = Literal["", "entity-name", "creation-time"]
#: The position of an entity in a sorted list: its folded name or its creation time, and its URN.
ListPosition = tuple[str, str] | tuple[int, str]


@dataclass(frozen=True, slots=True)
class EntityListRequest:
    """A query for a sorted list.

    `kinds` are kinds of entity (core/entities/entity_kinds.py); no kinds, namespaces or scope means all. `without` are
    excluded namespaces. Entities whose name begins with `_` are found only with `hidden`; custom entities only by their
    kind or with `custom`. `after` is a position in the sorted list and replaces `offset`; `places` is the number of
    positions of further pages to return. With `as_of` (in ms), the list is that of this time.
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
    after: ListPosition | None = None
    places: int = 0
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class EntityListPage:
    """A page of a sorted list; `total` counts the entities that the principal may see, `truncated` is true if there are
    more.

    `offset` is the number of entities before the page, `cursor_positions` are the end positions of this page and of the following
    ones except the last. `order` has the position of each entity of the page by its URN.
    """

    entities: tuple[EntitySummary, ...]
    total: int
    truncated: bool
    offset: int = 0
    cursor_positions: tuple[ListPosition, ...] = ()
    order: Mapping[str, ListPosition] = field(default_factory=dict)

    def truncate(self, count: int) -> "EntityListPage":
        """Return the first `count` of these entities, with the position at which to continue."""
        last = self.order[self.entities[count - 1].urn]
        return replace(self, entities=self.entities[:count], truncated=True, cursor_positions=(last,))
