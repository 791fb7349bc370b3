"""Access policies (docs/how-to/share-with-a-team.md). A stored one is written as the aspect `accessRules` of its entity."""

from typing import Final

from jupyter_colophon.core.documents.codec import to_api_documents
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.policy_names import KnownNames
from jupyter_colophon.service.policy_source import find_policy_problems

_POLICY: Final = declare_text("policy", "The URN of the policy, or the path of its file.", required=True)


#: Policies name users, and what is hidden from others.
_require_admin = build_admin_check("read", "access policies")


@declare_operation("listPolicies", "GET /policies", answers="policies", decided_by="admin", access=_require_admin)
def list_policies(services: ProcessServices, request: OperationRequest) -> Document:
    """List the access policies of the catalog and of the folder of files."""
    catalog, access = services.get_or_open_catalog(), services.get_access_control()
    reader = catalog.policies
    return {
        "inForce": reader.is_in_force,
        "folder": None if reader.folder is None else str(reader.folder),
        "admins": sorted(access.admins),
        "groups": [{"name": name, "users": sorted(users)} for name, users in sorted(services.settings.groups.items())],
        "policies": to_api_documents(content.summarize() for content in reader.read_policies()),
    }


@declare_operation(
    "readPolicy",
    "GET /policies/content",
    parameters=[_POLICY],
    answers="policy-content",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def read_policy(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the rules of an access policy of the catalog or of a file."""
    content = services.get_or_open_catalog().policies.read_policy(request[_POLICY])
    return {
        "policy": content.policy,
        "name": content.name,
        "origin": content.origin,
        "document": content.document,
        "lines": list(content.lines),
        "problem": content.problem,
    }


@declare_operation(
    "checkPolicy",
    "POST /policies/check",
    body="policy-check",
    answers="policy-check-result",
    decided_by="admin",
    access=_require_admin,
    permission="read",
)
def check_policy(services: ProcessServices, request: OperationRequest) -> Document:
    """Check an access policy without storing it: what is invalid, and names that nothing has."""
    catalog, document, groups = services.get_or_open_catalog(), request.body["document"], services.settings.groups
    if problems := find_policy_problems(document):
        return {"problems": to_api_documents(problems), "warnings": [], "staysAdmin": None}
    known = KnownNames(catalog.registry, groups or None)
    return {
        "problems": [],
        "warnings": to_api_documents(catalog.policies.find_unknown_names(document, known)),
        "staysAdmin": catalog.policies.is_still_admin(request.principal, request.body.get("policy", ""), document),
    }
