"""Principals and their permissions. Services check read access before anything else."""

from dataclasses import dataclass
from typing import Literal, Protocol

#: The four scopes of a token (spec MODEL-6). Deleting an entity needs `admin`.
Action = Literal["read", "annotate", "emit", "admin"]
ALL_ACTIONS: frozenset[Action] = frozenset({"read", "annotate", "emit", "admin"})
KERNEL_ACTIONS: frozenset[Action] = frozenset({"read", "annotate", "emit"})


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: a user, the kernel whose token was used, if any, and the scopes of that token."""

    user: str
    via: str | None = None
    scopes: frozenset[Action] = ALL_ACTIONS


class Authorizer(Protocol):
    """Decides on access to a namespace; called for every entity that a request names or a response would contain."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether the principal may perform this action in a namespace."""


class ScopeAuthorizer:
    """Authorizes a single user who owns everything, by the token's scopes (spec SEC-3)."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether the principal's token has the scope; every namespace belongs to the user."""
        return action in principal.scopes
