"""Access control: every read and write of every API is decided here, by scopes, the site's policy class and the policies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from jupyter_colophon.core.access import (
    SCOPE_OF_PERMISSION,
    Action,
    Authorizer,
    Permission,
    Principal,
    Resource,
    ScopeAuthorizer,
)
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.model.owner_request import REQUEST
from jupyter_colophon.core.policies.policy import POLICY_TYPE
from jupyter_colophon.core.policies.review import ReviewRules
from jupyter_colophon.core.policies.rights import AccessRights

# Not imported at run time: the command line lists instances in files without a store.
if TYPE_CHECKING:
    from jupyter_colophon.service.audit.recorder import AuditRecorder
    from jupyter_colophon.service.policy_source import PolicySource
    from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How much of a catalog a principal may read.
ReadableExtent = Literal["everything", "part", "nothing"]


@dataclass(slots=True)
class AccessControl:
    """Decides what a principal may do with a resource (`Authorizer` is its answer for whole namespaces).

    Without policies, scopes and the site's class decide alone.
    """

    site: Authorizer = field(default_factory=ScopeAuthorizer)
    #: None if there can be no policies.
    policies: "PolicySource | None" = None
    #: Users, and groups as `group:NAME`, that may do everything.
    admins: frozenset[str] = frozenset()
    #: The groups of users, besides those that the identity provider names.
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: Records access to the store; None without a store.
    audit: "AuditRecorder | None" = None

    def attach_store(self, provider: "StorageProvider") -> None:
        """Read the policies of this store from now on. Raises StorageError."""
        if self.policies is not None:
            self.policies.attach_store(provider)

    def detach_store(self, provider: "StorageProvider") -> None:
        """Read the policies of this store no more, and record no access to it."""
        if self.audit is not None and self.audit.provider is provider:
            self.audit = None
        if self.policies is not None:
            self.policies.detach_store(provider)

    def mark_policies_stale(self) -> None:
        """Make the next decision ask whether policies have changed."""
        if self.policies is not None:
            self.policies.mark_stale()

    @property
    def has_site_class(self) -> bool:
        """Return whether a class of the site decides by namespace."""
        return not isinstance(self.site, ScopeAuthorizer)

    @property
    def restricts(self) -> bool:
        """Return whether anything decides besides scopes; if not, a principal with `read` may read everything."""
        if self.has_site_class:
            return True
        return self.policies is not None and self.policies.get_version().in_force

    def is_decided_by_namespace(self, principal: Principal) -> bool:
        """Return whether a class of the site or the principal's token decides by namespace."""
        return principal.namespaces is not None or self.has_site_class

    def may_hide_from(self, principal: Principal) -> bool:
        """Return whether anything may be hidden from a principal with the scope `read`."""
        if self.is_decided_by_namespace(principal):
            return True
        rights = self.find_rights(principal)
        return rights is not None and not rights.may_do_everything("read")

    def find_readable_extent(self, principal: Principal) -> ReadableExtent:
        """Return how much the principal's token and the policies permit to read, whatever the catalog contains."""
        rights = self.find_rights(principal)
        if "read" not in principal.scopes or (rights is not None and not rights.may_do_anything("read")):
            return "nothing"
        return "part" if self.may_hide_from(principal) else "everything"

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether the principal may do this with everything in a namespace; "" is what belongs to none."""
        return self.decide_all(principal, action, namespace) is True

    def decide_all(
        self, principal: Principal, permission: Permission, namespace: str, type_: str | None = None
    ) -> bool | None:
        """Return the decision for all entities of a type (None: of any) in a namespace; None if it differs."""
        if type_ is not None:
            permission = raise_permission(permission, type_)
        if not self.site.may(principal, SCOPE_OF_PERMISSION[permission], namespace):
            return False
        rights = self.find_rights(principal)
        return True if rights is None else rights.decide_all(permission, namespace, type_)

    def decide(
        self, principal: Principal, permission: Permission, resource: Resource, terms: frozenset[str] | None = None
    ) -> bool | None:
        """Return the decision for a resource; None if it depends on its terms in the search index."""
        permission = raise_permission(permission, resource.type)
        if not self.site.may(principal, SCOPE_OF_PERMISSION[permission], resource.namespace):
            return False
        rights = self.find_rights(principal)
        return True if rights is None else rights.decide(permission, resource, terms)

    def find_rights(self, principal: Principal) -> AccessRights | None:
        """Return the rights by the policies; None for a principal that they do not restrict."""
        if self.policies is None or principal.internal:
            return None
        version = self.policies.get_version()
        if not version.in_force:
            return None
        groups = self.list_groups(principal)
        compiled = version.find_compiled_rights(principal.user, groups)
        if compiled is not None:
            return compiled
        if principal.user in self.admins or any(f"group:{group}" in self.admins for group in groups):
            return None
        return version.compile_rights(principal.user, groups)

    def record_denial(self, principal: Principal, permission: Permission, urn: str, subject: str = "") -> None:
        """Record in the audit that a principal was denied a permission on an entity, or with the URN "" on something else."""
        if self.audit is not None:
            self.audit.record_denial(principal, permission, urn, subject)

    def find_review_rules(self, principal: Principal) -> ReviewRules | None:
        """Return the rules that require review of what a principal changes; None if there are none."""
        if self.policies is None or self.find_rights(principal) is None:
            return None
        return self.policies.get_version().select_review_rules(principal.user, self.list_groups(principal))

    def list_groups(self, principal: Principal) -> frozenset[str]:
        """Return the groups of a principal, by the identity provider and the settings."""
        more = self.groups.get(principal.user)
        return principal.groups if more is None else principal.groups | more

    def decide_in_transaction(
        self, tx: "TableContext", principal: Principal, permission: Permission, resource: Resource
    ) -> bool:
        """Return the decision for a resource, reading its metadata if any rule needs them."""
        decision = self.decide(principal, permission, resource)
        if decision is None:
            terms = read_terms(tx, [resource.urn])[resource.urn]
            return self.decide(principal, permission, resource, terms) is True
        return decision

    def decide_reading_metadata(self, principal: Principal, permission: Permission, resource: Resource) -> bool:
        """Return the decision, reading metadata in a transaction of its own if any rule needs them."""
        decision = self.decide(principal, permission, resource)
        if decision is None and self.policies is not None:
            decision = self.policies.run_in_store(
                lambda tx: self.decide_in_transaction(tx, principal, permission, resource)
            )
        return decision is True


def create_access_control(authorizer: Authorizer | None) -> AccessControl:
    """Return the access control with this authorizer; the scopes of tokens decide without one."""
    if isinstance(authorizer, AccessControl):
        return authorizer
    return AccessControl() if authorizer is None else AccessControl(authorizer)


def create_resource(identity: IdentityRules, urn: Urn, namespace: str | None = None) -> Resource:
    """Return an entity as a resource: a column is its dataset, a request is what it is about.

    `namespace` is that of its row or document.
    """
    while urn.type in ("schemaField", REQUEST):
        urn = urn.parse_part_as_urn(0)
    own = identity.get_namespace(urn) if namespace is None else namespace
    return Resource(str(urn), urn.type, own, urn.parts[0] if urn.type == INSTANCE else "")


def read_terms(tx: "TableContext", urns: list[str]) -> dict[str, frozenset[str] | None]:
    """Return the terms of entities in the search index; None for a deleted entity, whose metadata are unknown."""
    terms: dict[str, frozenset[str] | None] = {match.urn: match.terms for match in tx.search.read_matches(urns)}
    missing = [urn for urn in urns if urn not in terms]
    if missing:
        terms |= dict.fromkeys(missing, frozenset())
        terms |= {row["urn"]: None for row in tx.get_table("entities").read_many([(urn,) for urn in missing])}
    return terms


def raise_permission(permission: Permission, type_: str) -> Permission:
    """Return the permission that a change of a policy needs: who may edit policies may do everything."""
    return "admin" if type_ == POLICY_TYPE and permission != "read" else permission
