"""What may be read: the one question that every reader asks before it shows anything (security.md B4)."""

from dataclasses import dataclass

from jupyter_colophon.core.access import Authorizer, Principal
from jupyter_colophon.core.errors import Absent
from jupyter_colophon.core.names import Identity, Urn


@dataclass(frozen=True, slots=True)
class Gate:
    """Answers for one catalog. What may not be read is not there."""

    authorizer: Authorizer
    identity: Identity

    def may_read(self, principal: Principal, namespace: str) -> bool:
        """Whether a namespace's entities may be shown."""
        return self.authorizer.may(principal, "read", namespace)

    def require(self, principal: Principal, urn: Urn, kind: str = "entity") -> None:
        """Raise Absent for an entity that may not be read."""
        if not self.may_read(principal, self.identity.namespace_of(urn)):
            raise Absent(kind, str(urn))
