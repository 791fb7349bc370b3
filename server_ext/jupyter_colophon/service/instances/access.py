"""Authorization of instances. Those of some schemaspaces belong to a namespace, and are visible to its readers only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.access import Action, Authorizer, Principal
from jupyter_colophon.core.errors import AccessDenied, InstanceNotFound, NotFound, Problem
from jupyter_colophon.core.identity.names import NO_NAMESPACE
from jupyter_colophon.core.instances.instance_namespaces import NAMESPACED

#: Schemaspaces whose instances need an existing namespace; a saved search may name an unknown one.
_BELONGING: Final = frozenset({"pipelines"})


@dataclass(frozen=True, slots=True)
class InstanceAccess:
    """Checks access before anything else; schemaspaces are given by their keys."""

    authorizer: Authorizer

    def require_schemaspace_access(self, principal: Principal, action: Action, key: str) -> None:
        """Require that an action is allowed in a schemaspace, by the rights outside of namespaces.

        Raises NotFound, AccessDenied (spec ID-13).
        """
        if not self.authorizer.may(principal, "read", NO_NAMESPACE):
            raise NotFound("schemaspace", key)
        if not self.authorizer.may(principal, action, NO_NAMESPACE):
            raise AccessDenied("change", f"instances of {key}")

    def may_see_instance(self, principal: Principal | None, key: str, metadata: object) -> bool:
        """Return whether a principal may see an instance; None is the process itself."""
        namespace = get_namespace_of_instance(key, metadata)
        return principal is None or namespace is None or self.authorizer.may(principal, "read", namespace)

    def require_instance_access(
        self, principal: Principal, action: Action, key: str, name: str, *documents: Mapping[str, Any] | None
    ) -> None:
        """Require that an action is allowed for the old and new document of an instance. Raises InstanceNotFound, AccessDenied."""
        for document in documents:
            metadata = (document or {}).get("metadata")
            if not self.may_see_instance(principal, key, metadata):
                raise InstanceNotFound(key, name)
            namespace = get_namespace_of_instance(key, metadata)
            if namespace is not None and not self.authorizer.may(principal, action, namespace):
                raise AccessDenied("change", f"{key} of the namespace {namespace}")


def require_namespace_of_instance_exists(key: str, metadata: object, exists: Callable[[str], bool]) -> None:
    """Raise NotFound, with a pointer, if an instance requires a namespace that does not exist."""
    name = get_namespace_of_instance(key, metadata) if key in _BELONGING else None
    if name is not None and not exists(name):
        absent = NotFound("namespace", name)
        absent.problems = (Problem("/metadata/namespace", "no such namespace: create it first"),)
        raise absent


def get_namespace_of_instance(key: str, metadata: object) -> str | None:
    """Return the namespace of an instance; None if it has none, or no valid one."""
    namespace = metadata.get("namespace") if key in NAMESPACED and isinstance(metadata, Mapping) else None
    return namespace if isinstance(namespace, str) else None
