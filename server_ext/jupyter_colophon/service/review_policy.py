"""Which changes wait until a steward has reviewed them, and by which rule."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.access import Action, Permission, Principal, Resource
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.certification import CERTIFICATION, is_certified
from jupyter_colophon.core.model.owner_request import NOT_REQUESTED
from jupyter_colophon.core.policies.policy import Rule
from jupyter_colophon.service.access_control import AccessControl, raise_permission, read_terms

# Not imported at run time: the command line lists instances in files without a store.
if TYPE_CHECKING:
    from jupyter_colophon.storage.spi import TableContext

#: Programs record these themselves: their SYSTEM metadata are recorded at once.
_PROGRAM_TYPES: Final = frozenset({"dataFlow", "dataJob"})


@dataclass(frozen=True, slots=True)
class ReviewPolicy:
    """Finds the rules that require review of changes of entities, by people."""

    access_control: AccessControl
    now: Callable[[], int]

    def find_rule(
        self, tx: "TableContext", principal: Principal, permission: Permission, urn: Urn, resource: Resource
    ) -> Rule | None:
        """Return the first rule by which the use of a permission on an entity requires review; None for a steward.

        None, too, where a rule denies the permission: the change cannot be proposed then.
        """
        is_recorded = permission == "emit" and (principal.via is not None or urn.type in _PROGRAM_TYPES)
        scope: Action = "emit" if permission == "emit" else "annotate"
        may_propose = self.access_control.site.may(principal, scope, resource.namespace)
        if is_recorded or urn.type in NOT_REQUESTED or not may_propose:
            return None
        return next(
            (
                rule
                for rule in _iterate_matching_rules(tx, self.access_control, principal, permission, resource)
                if not rule.certified or self._is_certified(tx, {resource.urn, str(urn)})
            ),
            None,
        )

    def _is_certified(self, tx: "TableContext", urns: set[str]) -> bool:
        rows = tx.get_table("aspects").read_many([(urn, CERTIFICATION) for urn in urns])
        return any(
            row["value"] is not None and is_certified(parse_stored_json(row["value"]), self.now()) for row in rows
        )


def find_rule_of_instance(
    tx: "TableContext", access_control: AccessControl, principal: Principal, permission: Permission, resource: Resource
) -> Rule | None:
    """Return the first rule by which only a steward may change an instance; None for a steward.

    Changes of instances cannot be proposed: their documents may have secrets. Instances are not certified.
    """
    rules = _iterate_matching_rules(tx, access_control, principal, permission, resource)
    return next((rule for rule in rules if not rule.certified), None)


def _iterate_matching_rules(
    tx: "TableContext", access_control: AccessControl, principal: Principal, permission: Permission, resource: Resource
) -> Iterator[Rule]:
    """Yield the rules that require review of what is not certified, or would if it is certified."""
    reviews = access_control.find_review_rules(principal)
    if reviews is None:
        return
    candidates = reviews.list_candidates(raise_permission(permission, resource.type), resource)
    if not candidates or not _is_reviewed(tx, access_control, principal, permission, resource):
        return
    terms = read_terms(tx, [resource.urn])[resource.urn] or frozenset()
    yield from (rule for rule, required in candidates if all(terms & alternatives for alternatives in required))


def _is_reviewed(
    tx: "TableContext", access_control: AccessControl, principal: Principal, permission: Permission, resource: Resource
) -> bool:
    """Return whether what a principal does is reviewed: not of a steward, nor where a rule denies the permission."""
    rights = access_control.find_rights(principal)
    if rights is None or access_control.decide_in_transaction(tx, principal, "govern", resource):
        return False
    terms = read_terms(tx, [resource.urn])[resource.urn] or frozenset()
    deciding = rights.find_deciding_rule(permission, resource, terms)
    return deciding is None or not deciding.denies
