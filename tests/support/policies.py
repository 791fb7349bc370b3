"""Policies of a site, for the setting `policy`."""

from typing import ClassVar

from jupyter_colophon.core.access import Action, Principal


class Namespaces:
    """Hides a namespace from kernels, and lets them write nothing into another one; the server's user may do all."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether somebody may do this in a namespace."""
        if principal.via is None:
            return True
        return namespace != "secret" and (action == "read" or namespace != "shown")


class Reviewed:
    """Lets the principal `kafka` write nothing into the namespace `hr`."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether somebody may do this in a namespace."""
        return action == "read" or (principal.user, namespace) != ("kafka", "hr")


class Closing:
    """Lets nobody write into namespaces that were closed."""

    closed: ClassVar[set[str]] = set()

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether somebody may do this in a namespace."""
        return action == "read" or namespace not in self.closed


class Failing:
    """Decides nothing about a namespace of that name."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Fail there."""
        if namespace == "secret":
            raise ValueError("what a policy looked into")
        return True


class Nothing:
    """No policy."""


class Divided:
    """Lets kernels only annotate in the namespace `people`, and only emit in the namespace `machines`."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether somebody may do this in a namespace."""
        withheld = {"people": "emit", "machines": "annotate"}
        return principal.via is None or withheld.get(namespace) != action
