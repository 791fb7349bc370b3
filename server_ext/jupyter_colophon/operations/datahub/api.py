"""The API at `/colophon/datahub`: its operations in the order in which their paths are matched, and its document."""

from typing import Final

from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.datahub import (
    aspects,
    body_schemas,
    entities,
    indices,
    relationships,
    runs,
    scroll,
    service,
    trace,
    v3,
)
from jupyter_colophon.operations.datahub.errors import render_datahub_error
from jupyter_colophon.operations.datahub.urns import PREFIX
from jupyter_colophon.operations.openapi import add_document_operation
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.settings import Settings


def _read_max_body_bytes(settings: Settings) -> int:
    """Return the limit of bodies: DataHub's clients send batches of 15 MiB."""
    return settings.datahub_max_body_bytes


DATAHUB: Final = add_document_operation(
    ApiDefinition(
        title="DataHub's metadata service, by Jupyter Colophon",
        summary="Proposals, entities and their aspects, as DataHub's clients know them.",
        prefix=PREFIX,
        # A path with a name comes before the one with any entity type.
        operations=list_operations(service, aspects, entities, runs, indices, trace, relationships, scroll, v3),
        error_document=render_datahub_error,
        error_schema=body_schemas.ERROR,
        path_parameters={
            item.name: (item,)
            for item in (
                declare_text(
                    "urn", "The URN, percent-encoded or unchanged.", place="path", required=True, format="colophon-urn"
                ),
                declare_text("type", "The entity type.", place="path", required=True),
                declare_text(
                    "id", "The trace in the answer of a write.", place="path", required=True, pattern="^[0-9a-f]{32}$"
                ),
            )
        },
        # A URN may have slashes.
        patterns={"urn": ".+"},
        slash=True,
        max_body_bytes=_read_max_body_bytes,
    ),
    "readDataHubOpenApi",
)
