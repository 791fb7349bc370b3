"""Grants of read access in answer to requests: rules of one stored access policy."""

from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.access import Principal, Resource
from jupyter_colophon.core.errors import AccessDenied, GrantConflict, InvalidInstance, Problem
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.owner_request import OwnerRequest
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.policies.policy import POLICY_ASPECT, make_policy_urn
from jupyter_colophon.service.access_control import AccessControl, create_resource, read_terms
from jupyter_colophon.service.policy_source import read_stored_policies
from jupyter_colophon.service.write_path import WritePath

#: The stored policy with the rules that answers to requests have added.
GRANTS_POLICY: Final = "granted-requests"
_URN: Final = Urn.parse(make_policy_urn(GRANTS_POLICY))
_DESCRIPTION: Final = "Read access that was granted in answer to requests."
#: What the author of the request reads.
GRANTED: Final = f"Read access was granted by the access policy {GRANTS_POLICY}."


@dataclass(frozen=True, slots=True)
class ReadGrants:
    """Builds the changes of the policy of grants. The author of a request gets the role viewer on its entity."""

    write_path: WritePath

    def may_grant(self, principal: Principal) -> bool:
        """Return whether the principal may change the policy of grants, and access policies are in force."""
        return self._are_policies_in_force() and self.write_path.may_act_on_entity(principal, "annotate", _URN)

    def build_changes(self, request: OwnerRequest, principal: Principal) -> list[Proposal]:
        """Return the changes that grant what a request asks for; empty if a rule of the policy grants it already.

        Raises AccessDenied unless the principal may change the policy, InvalidInstance for another kind of request, and
        GrantConflict if a rule would have no effect, or another one than intended.
        """
        if request.kind != "read":
            why = "only requests of the kind `read` can be granted"
            raise InvalidInstance("the response", (Problem("/grant", why),))
        if not self._are_policies_in_force():
            raise GrantConflict("no access policies are in force: everyone may read everything")
        if not self.may_grant(principal):
            admins = ", ".join(_list_admins(self.write_path.access_control))
            why = f"read access: only admins change access policies ({admins})"
            raise AccessDenied("grant", why)
        resource = create_resource(self.write_path.identity, Urn.parse(request.about))
        user = Urn.parse(request.author.owner).parts[0]
        self._require_effect(user, resource)
        rule = {"role": "viewer", "to": [f"user:{user}"], "on": {"urnPrefix": [resource.urn]}}
        return self._build_changes_with_rule(rule)

    def _are_policies_in_force(self) -> bool:
        policies = self.write_path.access_control.policies
        return policies is not None and policies.get_version().in_force

    def _require_effect(self, user: str, resource: Resource) -> None:
        """Raise GrantConflict if a rule would concern other entities, too, or if another rule denies the access."""
        if not resource.urn.endswith(")"):
            why = f"a rule for {resource.urn} would concern every entity whose URN begins with it"
            raise GrantConflict(f"{why}: add a rule with other conditions to an access policy")
        rights = self.write_path.access_control.find_rights(Principal(user))
        if rights is None:
            return
        terms = self.write_path.provider.tx_runner.run(lambda tx: read_terms(tx, [resource.urn]), read_only=True)
        deciding = rights.find_deciding_rule("read", resource, terms[resource.urn] or frozenset())
        if deciding is not None and deciding.denies:
            raise GrantConflict(f"{user} is denied read access by {deciding.describe()}: change that rule first")

    def _build_changes_with_rule(self, rule: dict[str, Any]) -> list[Proposal]:
        stored = self.write_path.provider.tx_runner.run(read_stored_policies, read_only=True).get(str(_URN))
        steps: list[dict[str, Any]] = [{"op": "add", "path": "/rules/-", "value": rule}]
        if stored is None:
            steps.append({"op": "add", "path": "/description", "value": _DESCRIPTION})
        elif stored.get("enabled") is False:
            raise GrantConflict(f"the access policy {GRANTS_POLICY} is disabled: enable it first")
        elif rule in stored["rules"]:
            return []
        return [Proposal(_URN, POLICY_ASPECT, "patch", steps)]


def _list_admins(access: AccessControl) -> list[str]:
    """Return the users and groups that may change access policies, by the settings and by rules."""
    rules = () if access.policies is None else access.policies.get_version().rules
    by_rules = (
        actor.removeprefix("user:")
        for rule in rules
        if "admin" in rule.permissions and not rule.denies and not rule.has_conditions
        for actor in rule.to
    )
    return sorted({*access.admins, *by_rules})
