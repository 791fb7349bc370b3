"""The Elyra API: `/elyra`."""

import time
from typing import Any, Final

from jupyter_colophon.operations.api import ApiDefinition, RequestFailure
from jupyter_colophon.operations.elyra import body_schemas, instances, schemaspaces
from jupyter_colophon.operations.openapi import add_document_operation
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.shared_parameters import PLACES


def _render_error(failure: RequestFailure) -> dict[str, Any]:
    """Return an error in Elyra's form, with the message and every problem of an instance."""
    message = failure.message if failure.error is None else failure.error.detail
    document = {"reason": failure.reason, "message": message, "timestamp": time.strftime("%Y-%m-%d %H:%M:%S")}
    if failure.error is None or not failure.error.problems:
        return document
    errors = [{"pointer": problem.pointer, "message": problem.message} for problem in failure.error.problems]
    return document | {"errors": errors}


# JSON is YAML, too.
ELYRA: Final = add_document_operation(
    ApiDefinition(
        title="Elyra's metadata service, by Jupyter Colophon",
        summary="Schemaspaces, their schemas, and instances of them.",
        prefix="/elyra",
        operations=list_operations(schemaspaces, instances),
        error_document=_render_error,
        error_schema=body_schemas.ERROR,
        content_type="application/json; charset=UTF-8",
        path_parameters={name: (parameter,) for name, parameter in PLACES.items()},
        hashes_answers=True,
        # Other paths are not Elyra's. Jupyter redirects a path with a slash at its end to the one without.
        unknown="/(?:metadata|schema|schemaspace)/.*[^/]",
        unknown_methods=("GET",),
    ),
    "readElyraYaml",
    "/elyra.yaml",
    "text/x-yaml",
)
