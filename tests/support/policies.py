"""Authorization policies of a site, for the setting `policy`."""

from typing import ClassVar

from jupyter_colophon.core.access import Action, Principal


class HiddenAndReadOnlyNamespaces:
    """Hide one namespace from kernels and make another one read-only for them; the server's user may do everything."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether a principal may perform this action in a namespace."""
        if principal.via is None:
            return True
        return namespace != "secret" and (action == "read" or namespace != "shown")


class KafkaDeniedInHr:
    """Deny the principal `kafka` writing into the namespace `hr`."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether a principal may perform this action in a namespace."""
        return action == "read" or (principal.user, namespace) != ("kafka", "hr")


class ClosedNamespaces:
    """Deny writing into namespaces that were closed."""

    closed: ClassVar[set[str]] = set()

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether a principal may perform this action in a namespace."""
        return action == "read" or namespace not in self.closed


class FailingPolicy:
    """Raise an error for the namespace `secret`."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Raise an error for the namespace `secret`."""
        if namespace == "secret":
            raise ValueError("what a policy looked into")
        return True


class NotAPolicy:
    """Not a policy."""


class AnnotateOrEmitByNamespace:
    """Let kernels only annotate in the namespace `people`, and only emit in the namespace `machines`."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether a principal may perform this action in a namespace."""
        withheld = {"people": "emit", "machines": "annotate"}
        return principal.via is None or withheld.get(namespace) != action
