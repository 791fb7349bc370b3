"""The API at `/colophon/datahub`: its operations in the order in which their paths are matched, and its document."""

from functools import cache
from typing import Final

from jupyter_colophon.operations.api import Api
from jupyter_colophon.operations.datahub import (
    aspects,
    entities,
    indices,
    relationships,
    runs,
    scroll,
    service,
    shapes,
    trace,
    v3,
)
from jupyter_colophon.operations.datahub.errors import error_document
from jupyter_colophon.operations.datahub.urns import PREFIX
from jupyter_colophon.operations.operation import operation, operations_of
from jupyter_colophon.operations.parameter import text
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.settings import Settings


def _max_body_bytes(settings: Settings) -> int:
    """Return the limit of bodies: DataHub's clients send batches of 15 MiB."""
    return settings.datahub_max_body_bytes


@operation(
    "readDataHubOpenApi",
    "GET /openapi.json",
    answers={200: {"type": "object", "required": ["openapi", "info", "paths"]}},
)
def read_openapi(services: Services, request: Request) -> Document:
    """Return this document: what DataHub's clients can call here, and what is answered (OpenAPI 3.1)."""
    return _document(services.version) | {"servers": [{"url": f"{request.base_url}colophon/datahub"}]}


DATAHUB: Final = Api(
    title="DataHub's metadata service, by Jupyter Colophon",
    summary="Proposals, entities and their aspects, as DataHub's clients know them.",
    prefix=PREFIX,
    # A path with a name comes before the one with any entity type.
    operations=(
        *operations_of(service, aspects, entities, runs, indices, trace, relationships, scroll, v3),
        read_openapi,
    ),
    error_document=error_document,
    error_schema=shapes.ERROR,
    explains_errors=False,
    places={
        one.name: (one,)
        for one in (
            text("urn", "The URN, percent-encoded or unchanged.", place="path", required=True, format="colophon-urn"),
            text("type", "The entity type.", place="path", required=True),
            text("id", "The trace in the answer of a write.", place="path", required=True, pattern="^[0-9a-f]{32}$"),
        )
    },
    # A URN may have slashes.
    patterns={"urn": ".+"},
    slash=True,
    max_body_bytes=_max_body_bytes,
)


@cache
def _document(version: str) -> Document:
    # Only who reads the document needs what writes it.
    from jupyter_colophon.operations.openapi import OpenApi

    return OpenApi(DATAHUB).document(version)
