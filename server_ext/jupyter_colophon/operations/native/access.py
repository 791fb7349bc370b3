"""Who may do what, by which rule."""

from typing import Final, cast, get_args

from jupyter_colophon.core.access import Permission, Principal
from jupyter_colophon.core.errors import AccessDenied, InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.policies.policy import Rule
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_URN: Final = declare_text("urn", "The URN of the entity.", required=True, format="colophon-urn")
_PERMISSION: Final = declare_choice("permission", "The permission.", *get_args(Permission), default="read")
_USER: Final = declare_text("user", "The name of another user; by default, the caller. Only admins may name one.")
_GROUPS: Final = declare_text(
    "groups", "The groups of that user, separated by commas; without a user, any member of them."
)


@declare_operation(
    "readAccess",
    "GET /access",
    decided_by="entities",
    parameters=[_URN, _PERMISSION, _USER, _GROUPS],
    answers="access",
    errors=[InvalidName, AccessDenied],
)
def read_access(services: ProcessServices, request: OperationRequest) -> Document:
    """Read whether a user has a permission on an entity, and the rule that decides."""
    catalog, permission = services.get_or_open_catalog(), cast("Permission", request[_PERMISSION])
    subject = request.principal
    if request[_USER] or request[_GROUPS]:
        subject = Principal(request[_USER], groups=frozenset(filter(None, request[_GROUPS].split(","))))
    answer = catalog.access.explain_access(subject, permission, Urn.parse(request[_URN]), request.principal)
    return {
        "urn": request[_URN],
        "user": subject.user,
        "groups": sorted(services.get_access_control().list_groups(subject)),
        "permission": permission,
        "allowed": answer.allowed,
        "reason": answer.reason,
        "rule": _render_rule(answer.rule),
        "review": _render_rule(answer.review),
    }


def _render_rule(rule: Rule | None) -> Document | None:
    if rule is None:
        return None
    return {"policy": rule.policy, "index": rule.index, "line": rule.line or None, "denies": rule.denies}
