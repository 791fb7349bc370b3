"""Requests to the owners of an entity or a column (aspect `request`)."""

from dataclasses import dataclass
from typing import Final, Literal

from jupyter_colophon.core.documents.members import Time

REQUEST: Final = "request"
#: The relationship of a request to what it is about.
ABOUT: Final = "IsAbout"
KINDS: Final = ("describe", "read", "check", "other")
STATES: Final = ("open", "answered", "declined")
RequestKind = Literal["describe", "read", "check", "other"]
RequestState = Literal["open", "answered", "declined"]


@dataclass(frozen=True, slots=True)
class Person:
    """A user, a team, or an owner that is only a text; `name` is the display name."""

    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class RequestComment:
    """A comment on a request."""

    author: Person
    time: Time
    text: str


@dataclass(frozen=True, slots=True)
class OwnerRequest:
    """A request with its comments, the oldest first."""

    urn: str
    about: str
    kind: RequestKind
    text: str
    author: Person
    assignees: tuple[Person, ...]
    state: RequestState
    created: Time
    updated: Time
    comments: tuple[RequestComment, ...]


@dataclass(frozen=True, slots=True)
class RequestSelection:
    """Which requests to list: `assigned` to the caller or the caller's teams, `asked` by the caller, or all.

    An empty `about` or `state` selects any.
    """

    list: str = ""
    about: str = ""
    state: str = ""
    limit: int = 50
    cursor: str = ""
