"""Who may do what. The gate itself is asked by the services, before anything else."""

from dataclasses import dataclass
from typing import Literal, Protocol

#: The four scopes of a token (spec MODEL-6). Deleting an entity needs `admin`.
Action = Literal["read", "annotate", "emit", "admin"]
ALL_ACTIONS: frozenset[Action] = frozenset({"read", "annotate", "emit", "admin"})
KERNEL_ACTIONS: frozenset[Action] = frozenset({"read", "annotate", "emit"})


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: a user, by which kernel's token if by one, with the scopes of that token."""

    user: str
    via: str | None = None
    scopes: frozenset[Action] = ALL_ACTIONS


class Authorizer(Protocol):
    """Decides for one namespace; asked for every entity that a request names or an answer would show."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether the principal may do this in a namespace."""


class ScopeAuthorizer:
    """One user, everything theirs: the token's scopes decide (spec SEC-3)."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether the principal's token has the scope; every namespace is the user's own."""
        return action in principal.scopes
