"""The secrets of namespaces: names and descriptions; values are only written (docs/how-to/keep-secrets.md)."""

from typing import Any, Final

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import AccessDenied, InvalidName, InvalidSecret, NotFound, SecretUnavailable
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_LIST: Final = "/namespaces/{namespace}/secrets"
_ONE: Final = _LIST + "/{secret}"
_ERRORS: Final = (NotFound, AccessDenied)
_SECRET: Final[dict[str, Any]] = {
    "description": "A secret without its value.",
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "createdMs": {"type": "integer", "description": "When it was created, in milliseconds since 1970."},
        "createdBy": {"type": "string"},
        "updatedMs": {"type": "integer", "description": "When its value was last written."},
        "updatedBy": {"type": "string"},
    },
    "required": ["name", "description", "createdMs", "createdBy", "updatedMs", "updatedBy"],
    "additionalProperties": False,
}
_SECRETS: Final[dict[str, Any]] = {
    "description": "The secrets of the namespace by name, without their values.",
    "type": "object",
    "properties": {"secrets": {"type": "array", "items": _SECRET}},
    "required": ["secrets"],
    "additionalProperties": False,
}
#: The value has no constraints here, since an error of the schema must not contain it.
_BODY: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "value": {"type": "string", "description": "The value, of at most 65,536 characters."},
        "description": {"type": "string", "description": "What it is for, in at most 1,000 characters."},
    },
    "required": ["value"],
    "additionalProperties": False,
}


@declare_operation("v3ListSecrets", f"GET {_LIST}", decided_by="entities", answers={200: _SECRETS}, errors=[NotFound])
def list_secrets(services: ProcessServices, request: OperationRequest) -> Document:
    """List the secrets of a namespace by name, without their values."""
    found = services.get_or_open_catalog().secrets.list(request.path["namespace"], request.principal)
    return {"secrets": to_api_documents(found)}


@declare_operation(
    "v3PutSecret",
    f"PUT {_ONE}",
    decided_by="entities",
    body={"application/json": _BODY},
    answers={200: _SECRET},
    errors=[*_ERRORS, InvalidName, InvalidSecret, SecretUnavailable],
)
def put_secret(services: ProcessServices, request: OperationRequest) -> Document:
    """Create a secret of a namespace, or replace its value and description."""
    return to_api_document(
        services.get_or_open_catalog().secrets.put(
            request.path["namespace"],
            request.path["secret"],
            request.body["value"],
            request.body.get("description", ""),
            request.principal,
        )
    )


@declare_operation("v3DeleteSecret", f"DELETE {_ONE}", decided_by="entities", answers={200: _SECRET}, errors=_ERRORS)
def delete_secret(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a secret of a namespace."""
    secrets = services.get_or_open_catalog().secrets
    return to_api_document(secrets.delete(request.path["namespace"], request.path["secret"], request.principal))
