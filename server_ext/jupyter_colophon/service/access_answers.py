"""Answer whether a user may do something, and which rule decides."""

from dataclasses import dataclass, replace

from jupyter_colophon.core.access import SCOPE_OF_PERMISSION, Permission, Principal, Resource
from jupyter_colophon.core.errors import AccessDenied
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.policies.policy import Rule
from jupyter_colophon.service.access_control import AccessControl, raise_permission, read_terms
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.review_policy import ReviewPolicy, find_rule_of_instance
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class AccessAnswer:
    """Whether a permission holds, a sentence that explains it, and the rule that decides, if any does.

    With `review`, the rule that requires review, a change is allowed as a proposal.
    """

    allowed: bool
    reason: str
    rule: Rule | None = None
    review: Rule | None = None


@dataclass(frozen=True, slots=True)
class AccessExplainer:
    """Explains decisions on entities: of anyone to admins, and of the caller itself to everyone."""

    provider: StorageProvider
    read_policy: ReadPolicy
    review_policy: ReviewPolicy

    def explain_access(
        self, subject: Principal, permission: Permission, urn: Urn, principal: Principal
    ) -> AccessAnswer:
        """Return whether the subject has a permission on an entity. Raises AccessDenied for another subject."""
        access = self.read_policy.access_control
        is_admin = access.may(principal, "admin", NO_NAMESPACE)
        if subject != principal and not is_admin:
            raise AccessDenied("read", f"the permissions of {subject.user}: only admins may ask for other users")
        return self.provider.tx_runner.run(
            lambda tx: self._explain_in_transaction(tx, subject, permission, urn, is_admin), read_only=True
        )

    def _explain_in_transaction(
        self, tx: TableContext, subject: Principal, permission: Permission, urn: Urn, is_admin: bool
    ) -> AccessAnswer:
        access = self.read_policy.access_control
        resource = self.read_policy.find_resource(tx, subject, urn)
        allowed = resource is not None and access.decide_in_transaction(tx, subject, permission, resource)
        if not is_admin and not self.read_policy.may_see_entity(tx, subject, urn):
            # A rule on metadata would reveal what the entity has.
            return AccessAnswer(False, "no rule grants it")
        if resource is None:
            return AccessAnswer(False, "the instance does not exist")
        answer = _explain_decision(access, tx, subject, permission, resource, allowed)
        # A proposal to delete needs the scope that deleting needs.
        may_propose = permission != "delete" or "admin" in subject.scopes
        if not may_propose or not access.decide_in_transaction(tx, subject, "read", resource):
            return answer
        if urn.type == INSTANCE:
            rule = find_rule_of_instance(tx, access, subject, permission, resource)
            return answer if rule is None else AccessAnswer(False, f"only a steward may, by {rule.describe()}", rule)
        review = self.review_policy.find_rule(tx, subject, permission, urn, resource)
        return answer if review is None else _add_review(answer, review)


def _add_review(answer: AccessAnswer, review: Rule) -> AccessAnswer:
    """Return the answer of a permission whose use requires review."""
    proposed = "" if answer.allowed else " it may be proposed:"
    reason = f"{answer.reason}, but{proposed} a steward must review it, by {review.describe()}"
    return replace(answer, allowed=True, reason=reason, review=review)


def _explain_decision(
    access: AccessControl,
    tx: TableContext,
    subject: Principal,
    permission: Permission,
    resource: Resource,
    allowed: bool,
) -> AccessAnswer:
    permission = raise_permission(permission, resource.type)
    scope = SCOPE_OF_PERMISSION[permission]
    if scope not in subject.scopes:
        return AccessAnswer(False, f"the token lacks the scope {scope}")
    if not access.site.may(subject, scope, resource.namespace):
        return AccessAnswer(False, "the policy class of the setting c.Colophon.policy denies it")
    rights = access.find_rights(subject)
    if rights is None:
        is_in_force = access.policies is not None and access.policies.get_version().in_force
        return AccessAnswer(True, "an admin by the settings" if is_in_force else "no access policies are in force")
    terms = read_terms(tx, [resource.urn])[resource.urn]
    if terms is None and not allowed:
        return AccessAnswer(False, "the entity is deleted, and its metadata, on which rules depend, are unknown")
    rule = rights.find_deciding_rule(permission, resource, terms or frozenset())
    if rule is None:
        return AccessAnswer(allowed, "no rule grants it")
    return AccessAnswer(allowed, f"{'denied' if rule.denies else rule.role} by {rule.describe()}", rule)
