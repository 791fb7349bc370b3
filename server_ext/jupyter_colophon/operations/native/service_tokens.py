"""Service tokens, by which programs and CI use the APIs (docs/how-to/connect-a-program.md)."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.errors import AlreadyExists, NotFound, TooManyTokens
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.core.service_token import ServiceToken
    from jupyter_colophon.service.admin.service_tokens import IssuedToken

_NEXT: Final = [
    OperationLink(operation, {"path.name": "$response.body#/name"}, status=HTTPStatus.CREATED)
    for operation in ("readServiceToken", "rotateServiceToken", "revokeServiceToken")
]


_require_admin = build_admin_check("manage", "service tokens")


@declare_operation(
    "listServiceTokens", "GET /service-tokens", answers="service-tokens", decided_by="admin", access=_require_admin
)
def list_service_tokens(services: ProcessServices, request: OperationRequest) -> Document:
    """List all service tokens with their rights, by name; the tokens themselves are not stored."""
    tokens = services.get_or_open_catalog().service_tokens.list_tokens()
    return {"serviceTokens": [_render_token(token) for token in tokens]}


@declare_operation(
    "createServiceToken",
    "POST /service-tokens",
    body="service-token-creation",
    answers={201: "issued-service-token"},
    errors=[AlreadyExists, TooManyTokens],
    decided_by="admin",
    access=_require_admin,
    links=_NEXT,
)
def create_service_token(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Create a service token; the answer alone contains it."""
    body = request.body
    issued = services.get_or_open_catalog().service_tokens.create_token(
        body["name"],
        body["scopes"],
        body.get("namespaces"),
        body.get("expiresInDays"),
        services.settings.service_token_max_days,
        request.principal,
    )
    return OperationAnswer(_render_issued_token(issued), HTTPStatus.CREATED)


@declare_operation(
    "readServiceToken",
    "GET /service-tokens/{name}",
    answers="service-token",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def read_service_token(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the rights, the expiry and the last use of a service token."""
    return _render_token(services.get_or_open_catalog().service_tokens.read_token(request.path["name"]))


@declare_operation(
    "rotateServiceToken",
    "POST /service-tokens/{name}/rotate",
    body="service-token-rotation",
    answers="issued-service-token",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
    body_required=False,
)
def rotate_service_token(services: ProcessServices, request: OperationRequest) -> Document:
    """Replace a service token by a new one with the same rights; the answer alone contains it."""
    body = request.body or {}
    issued = services.get_or_open_catalog().service_tokens.rotate_token(
        request.path["name"],
        body.get("overlapSeconds", 0),
        body.get("expiresInDays"),
        services.settings.service_token_max_days,
        request.principal,
    )
    return _render_issued_token(issued)


@declare_operation(
    "revokeServiceToken",
    "DELETE /service-tokens/{name}",
    answers="service-token",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def revoke_service_token(services: ProcessServices, request: OperationRequest) -> Document:
    """Revoke a service token, and end its connections; the answer is what it was."""
    return _render_token(
        services.get_or_open_catalog().service_tokens.revoke_token(request.path["name"], request.principal)
    )


def _render_issued_token(issued: "IssuedToken") -> Document:
    return _render_token(issued.token) | {"token": issued.secret}


def _render_token(token: "ServiceToken") -> Document:
    return {"id": token.id} | to_api_document(token)
