"""Principals, permissions and resources. Services check read access before anything else."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, Protocol

#: The four scopes of a token (spec MODEL-6). Deleting an entity needs `admin`.
Action = Literal["read", "annotate", "emit", "admin"]
ALL_ACTIONS: frozenset[Action] = frozenset({"read", "annotate", "emit", "admin"})
KERNEL_ACTIONS: frozenset[Action] = frozenset({"read", "annotate", "emit"})

#: What policies grant: `annotate` is USER metadata, `emit` is machine-made metadata, runs and lineage, `govern` is tags,
#: glossary terms, domains and owners, `edit` is instances of schemaspaces.
Permission = Literal["read", "annotate", "emit", "edit", "govern", "delete", "admin"]
#: The scope that a token needs for each permission.
SCOPE_OF_PERMISSION: Final[Mapping[Permission, Action]] = MappingProxyType(
    {
        "read": "read",
        "annotate": "annotate",
        "emit": "emit",
        "edit": "admin",
        "govern": "emit",
        "delete": "admin",
        "admin": "admin",
    }
)


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: a user, the kernel or service account whose token was used, if any, and what that token permits.

    `namespaces` are the only ones that the token gives access to, None for all. `groups` are those that the identity provider names. An `internal` principal is this program itself, and policies
    do not apply to it. `token` is the id of the service token that was used, if any.
    """

    user: str
    via: str | None = None
    scopes: frozenset[Action] = ALL_ACTIONS
    groups: frozenset[str] = frozenset()
    internal: bool = False
    namespaces: frozenset[str] | None = None
    token: str | None = None

    def is_permitted_by_token(self, action: Action, namespace: str) -> bool:
        """Return whether the token permits an action in a namespace, whatever an authorizer decides."""
        return action in self.scopes and (self.namespaces is None or namespace in self.namespaces)

    def has_all_rights_of_token(self, other: "Principal") -> bool:
        """Return whether this principal's token permits everything that another's does."""
        if not other.scopes <= self.scopes:
            return False
        return self.namespaces is None or (other.namespaces is not None and other.namespaces <= self.namespaces)


#: The program itself.
INTERNAL: Final = Principal("colophon", internal=True)


@dataclass(frozen=True, slots=True)
class Resource:
    """What a permission is decided for: an entity, or an instance of a schemaspace. A column is decided as its dataset."""

    urn: str
    type: str
    namespace: str
    schemaspace: str = ""


class Authorizer(Protocol):
    """Decides on access to a namespace; called for every entity that a request names or a response would contain."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether the principal may perform this action in a namespace."""


class ScopeAuthorizer:
    """Authorizes a single user who owns everything, by the token's scopes and namespaces (spec SEC-3)."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether the principal's token permits the action; every namespace belongs to the user."""
        return principal.is_permitted_by_token(action, namespace)
