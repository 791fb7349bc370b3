"""The secrets of the namespace, which connections name: they are listed and written, and their values are not returned."""

from typing import Any, Final

from jupyter_colophon.apps import BadRequest, InvalidSecret, ServiceContext, ServiceRequest
from jupyter_colophon.apps.shipped.bodies import parse_body, require_valid_name

_VALUE_MAX: Final = 65_536


def list_secrets(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the names and descriptions of the secrets."""
    secrets = context.admin.get_secrets(context.namespace).list()
    return {"secrets": [{"name": secret.name, "description": secret.description} for secret in secrets]}


def put_secret(context: ServiceContext, request: ServiceRequest) -> Any:
    """Create a secret, or replace its value, with the rights of the caller. Raises BadRequest."""
    name, body = require_valid_name("secret", request.path["secret"]), parse_body(request, "value", "description")
    value, description = body.get_text("value", longest=_VALUE_MAX), body.get_text("description", "")
    secrets = context.run_as(context.principal).admin.get_secrets(context.namespace)
    try:
        stored = secrets.put(name, value, description)
    except InvalidSecret as error:
        raise BadRequest(error.detail) from None
    return {"name": stored.name, "description": stored.description}
