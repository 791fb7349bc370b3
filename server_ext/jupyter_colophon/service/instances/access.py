"""Authorization of instances. Those of some schemaspaces belong to a namespace, and are visible to its readers only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.access import Action, Authorizer, Permission, Principal, Resource
from jupyter_colophon.core.errors import AccessDenied, InstanceNotFound, NotFound, Problem
from jupyter_colophon.core.identity.names import NO_NAMESPACE, make_instance_urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE, NAMESPACED
from jupyter_colophon.service.access_control import AccessControl, create_access_control
from jupyter_colophon.service.review_policy import find_rule_of_instance

#: Schemaspaces whose instances need an existing namespace; a saved search may name an unknown one.
_BELONGING: Final = frozenset({"pipelines"})


@dataclass(frozen=True, slots=True)
class InstanceAccess:
    """Checks access before anything else; schemaspaces are given by their keys."""

    authorizer: Authorizer

    @property
    def access_control(self) -> AccessControl:
        """The access control with the authorizer."""
        return create_access_control(self.authorizer)

    def require_schemaspace_access(
        self, principal: Principal, action: Action, key: str, *, to_all: bool = False
    ) -> None:
        """Require that an action is allowed in a schemaspace, by the rights outside of namespaces.

        Where policies are in force, they decide on each instance, and only admins may act on all at once (`to_all`).
        Raises NotFound, AccessDenied (spec ID-13).
        """
        access_control = self.access_control
        decides_each = access_control.find_rights(principal) is not None
        authorizer: Authorizer = access_control.site if decides_each else access_control
        if not authorizer.may(principal, "read", NO_NAMESPACE):
            raise NotFound("schemaspace", key)
        is_refused = decides_each and to_all and not access_control.may(principal, "admin", NO_NAMESPACE)
        if is_refused or not authorizer.may(principal, action, NO_NAMESPACE):
            raise AccessDenied("change", f"instances of {key}")

    def may_see_instance(self, principal: Principal | None, key: str, name: str, metadata: object) -> bool:
        """Return whether a principal may see an instance; None is the process itself."""
        return principal is None or self._may(principal, "read", key, name, get_namespace_of_instance(key, metadata))

    def require_instance_access(
        self, principal: Principal, permission: Permission, key: str, name: str, *documents: Mapping[str, Any] | None
    ) -> None:
        """Require that a permission holds for the old and new document of an instance, without a steward's review.

        Raises InstanceNotFound, AccessDenied.
        """
        present: list[Mapping[str, Any]] = [document for document in documents if document is not None]
        for document in present or [{}]:
            namespace = get_namespace_of_instance(key, document.get("metadata"))
            if not self._may(principal, "read", key, name, namespace):
                self._record_denial(principal, permission, key, name)
                raise InstanceNotFound(key, name)
            if not self._may(principal, permission, key, name, namespace):
                self._record_denial(principal, permission, key, name)
                where = "" if namespace is None else f" of the namespace {namespace}"
                raise AccessDenied("change", f"{key}{where}")
            if permission != "read":
                self._require_no_review(principal, permission, _create_resource(key, name, namespace))

    def _require_no_review(self, principal: Principal, permission: Permission, resource: Resource) -> None:
        """Raise AccessDenied if a rule requires review: changes of instances cannot be proposed."""
        access_control = self.access_control
        if access_control.policies is None or access_control.find_review_rules(principal) is None:
            return
        rule = access_control.policies.run_in_store(
            lambda tx: find_rule_of_instance(tx, access_control, principal, permission, resource)
        )
        if rule is not None:
            access_control.record_denial(principal, permission, resource.urn)
            why = f"instances of {resource.schemaspace} without a steward's review ({rule.describe()})"
            raise AccessDenied("change", f"{why}: ask a steward to make the change")

    def _record_denial(self, principal: Principal, permission: Permission, key: str, name: str) -> None:
        self.access_control.record_denial(principal, permission, str(make_instance_urn(key, name)))

    def _may(self, principal: Principal, permission: Permission, key: str, name: str, namespace: str | None) -> bool:
        access_control = self.access_control
        if access_control.find_rights(principal) is None and namespace is None:
            # The rights in the schemaspace, which were checked before, decide.
            return True
        return access_control.decide_reading_metadata(principal, permission, _create_resource(key, name, namespace))


def _create_resource(key: str, name: str, namespace: str | None) -> Resource:
    return Resource(str(make_instance_urn(key, name)), INSTANCE, namespace or NO_NAMESPACE, key)


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
