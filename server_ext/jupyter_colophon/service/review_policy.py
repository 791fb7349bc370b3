"""Which changes wait until a steward has reviewed them, and by which rule."""

from collections.abc import Callable
from dataclasses import dataclass

from jupyter_colophon.core.access import Permission, Principal, Resource
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.certification import CERTIFICATION, is_certified
from jupyter_colophon.core.model.owner_request import NOT_REQUESTED
from jupyter_colophon.core.policies.policy import Rule
from jupyter_colophon.service.access_control import AccessControl, raise_permission, read_terms
from jupyter_colophon.storage.spi import TableContext


@dataclass(frozen=True, slots=True)
class ReviewPolicy:
    """Finds the rules that require review."""

    access_control: AccessControl
    now: Callable[[], int]

    def find_rule(
        self, tx: TableContext, principal: Principal, permission: Permission, urn: Urn, resource: Resource
    ) -> Rule | None:
        """Return the first rule by which the use of a permission on an entity requires review; None for a steward.

        None, too, where a rule denies the permission: the change cannot be proposed then.
        """
        reviews = self.access_control.find_review_rules(principal)
        if reviews is None or urn.type in NOT_REQUESTED:
            return None
        candidates = reviews.list_candidates(raise_permission(permission, resource.type), resource)
        if not candidates or not self._may_propose(tx, principal, permission, resource):
            return None
        terms = read_terms(tx, [resource.urn])[resource.urn] or frozenset()
        return next(
            (
                rule
                for rule, required in candidates
                if all(terms & alternatives for alternatives in required)
                and (not rule.certified or self._is_certified(tx, {resource.urn, str(urn)}))
            ),
            None,
        )

    def _may_propose(self, tx: TableContext, principal: Principal, permission: Permission, resource: Resource) -> bool:
        """Return whether a principal proposes changes: not a steward, nor where a rule denies the permission."""
        if not self.access_control.site.may(principal, "annotate", resource.namespace):
            return False
        rights = self.access_control.find_rights(principal)
        if rights is None or self.access_control.decide_in_transaction(tx, principal, "govern", resource):
            return False
        terms = read_terms(tx, [resource.urn])[resource.urn] or frozenset()
        deciding = rights.find_deciding_rule(permission, resource, terms)
        return deciding is None or not deciding.denies

    def _is_certified(self, tx: TableContext, urns: set[str]) -> bool:
        rows = tx.get_table("aspects").read_many([(urn, CERTIFICATION) for urn in urns])
        return any(
            row["value"] is not None and is_certified(parse_stored_json(row["value"]), self.now()) for row in rows
        )
