"""The Elyra API: `/elyra`."""

import time
from functools import cache
from typing import Any, Final

from jupyter_colophon.operations.api import Api, Failure
from jupyter_colophon.operations.elyra import instances, schemaspaces, shapes
from jupyter_colophon.operations.openapi import OpenApi
from jupyter_colophon.operations.operation import operation, operations_of
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import PLACES


# JSON is YAML, too.
@operation("readElyraYaml", "GET /elyra.yaml", answers={200: {"type": "object"}}, etag=True, content_type="text/x-yaml")
def read_elyra_yaml(services: Services, request: Request) -> Document:
    """This document."""
    return _document(services.version) | {"servers": [{"url": f"{request.base_url}elyra"}]}


@cache
def _document(version: str) -> Document:
    return OpenApi(ELYRA).document(version)


def _error_document(failure: Failure) -> dict[str, Any]:
    """Return an error in Elyra's form, with every problem of an instance beside the message."""
    message = failure.message if failure.error is None else failure.error.detail
    document = {"reason": failure.reason, "message": message, "timestamp": time.strftime("%Y-%m-%d %H:%M:%S")}
    if failure.error is None or not failure.error.problems:
        return document
    errors = [{"pointer": problem.pointer, "message": problem.message} for problem in failure.error.problems]
    return document | {"errors": errors}


ELYRA: Final = Api(
    title="Elyra's metadata service, by Jupyter Colophon",
    summary="Schemaspaces, their schemas, and instances of them.",
    prefix="/elyra",
    operations=(*operations_of(schemaspaces, instances), read_elyra_yaml),
    error_document=_error_document,
    error_schema=shapes.ERROR,
    content_type="application/json; charset=UTF-8",
    places={name: (parameter,) for name, parameter in PLACES.items()},
    hashes_answers=True,
    # Other paths are not Elyra's. Jupyter redirects a path with a slash at its end to the one without.
    unknown="/(?:metadata|schema|schemaspace)/.*[^/]",
    unknown_methods=("GET",),
)
