"""Requests to the owners of an entity or a column (aspect `request`)."""

from dataclasses import dataclass
from typing import Final, Literal

from jupyter_colophon.core.documents.members import Time
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE

REQUEST: Final = "request"
#: The relationship of a request to what it is about.
ABOUT: Final = "IsAbout"
#: Types that requests cannot be about.
NOT_REQUESTED: Final = frozenset({INSTANCE, REQUEST})
#: The kind of a request to apply a proposed change.
CHANGE: Final = "change"
#: What may be asked for; requests of the kind `change` are made for changes that wait for review.
KINDS: Final = ("describe", "read", "check", "other")
STATES: Final = ("open", "answered", "declined")
RequestKind = Literal["describe", "read", "check", "other", "change"]
RequestState = Literal["open", "answered", "declined"]
#: What can be decided on a proposed change.
Decision = Literal["apply", "reject", "withdraw", "rebase"]
#: What the states of requests of the kind `change` mean for the proposals.
PROPOSAL_STATES: Final = {"open": "waiting", "answered": "applied", "declined": "rejected"}


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
    #: The id of the proposal of a request of the kind `change`.
    proposal: str | None = None


@dataclass(frozen=True, slots=True)
class RequestSelection:
    """Which requests to list: `assigned` to the caller or the caller's teams, `asked` by the caller, or all.

    An empty `kind`, `about` or `state` selects any.
    """

    list: str = ""
    kind: str = ""
    about: str = ""
    state: str = ""
    limit: int = 50
    cursor: str = ""
