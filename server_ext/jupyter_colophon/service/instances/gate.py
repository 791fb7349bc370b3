"""Who may do what with instances. Those of some schemaspaces belong to a namespace: who may not read that does not see them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.access import Action, Authorizer, Principal
from jupyter_colophon.core.errors import AccessDenied, InstanceNotFound, NotFound, Problem
from jupyter_colophon.core.identity.names import NO_NAMESPACE
from jupyter_colophon.core.instances.instance_namespaces import NAMESPACED

#: Those of which each instance belongs to one that exists; a saved search may look for what is not there.
_BELONGING: Final = frozenset({"pipelines"})


@dataclass(frozen=True, slots=True)
class InstanceGate:
    """Asked before anything else; schemaspaces by their keys."""

    authorizer: Authorizer

    def require(self, principal: Principal, action: Action, key: str) -> None:
        """Whether this may be done in a schemaspace at all: what belongs to no namespace is asked for there.

        Raises NotFound, AccessDenied (spec ID-13).
        """
        if not self.authorizer.may(principal, "read", NO_NAMESPACE):
            raise NotFound("schemaspace", key)
        if not self.authorizer.may(principal, action, NO_NAMESPACE):
            raise AccessDenied("change", f"instances of {key}")

    def shows(self, principal: Principal | None, key: str, metadata: object) -> bool:
        """Whether somebody may see an instance; nobody in particular is the process itself."""
        namespace = namespace_of(key, metadata)
        return principal is None or namespace is None or self.authorizer.may(principal, "read", namespace)

    def require_one(
        self, principal: Principal, action: Action, key: str, name: str, *held: Mapping[str, Any] | None
    ) -> None:
        """Whether this may be done with an instance, as it is and as it would be. Raises InstanceNotFound, AccessDenied."""
        for document in held:
            metadata = (document or {}).get("metadata")
            if not self.shows(principal, key, metadata):
                raise InstanceNotFound(key, name)
            namespace = namespace_of(key, metadata)
            if namespace is not None and not self.authorizer.may(principal, action, namespace):
                raise AccessDenied("change", f"{key} of the namespace {namespace}")


def require_namespace(key: str, metadata: object, exists: Callable[[str], bool]) -> None:
    """Raise NotFound, with a pointer, where an instance has to belong to a namespace that does not exist."""
    name = namespace_of(key, metadata) if key in _BELONGING else None
    if name is not None and not exists(name):
        absent = NotFound("namespace", name)
        absent.problems = (Problem("/metadata/namespace", "no such namespace: create it first"),)
        raise absent


def namespace_of(key: str, metadata: object) -> str | None:
    """The namespace that an instance belongs to; None where it belongs to none, or says nothing that is a name."""
    found = metadata.get("namespace") if key in NAMESPACED and isinstance(metadata, Mapping) else None
    return found if isinstance(found, str) else None
