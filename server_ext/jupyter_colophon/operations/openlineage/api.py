"""The OpenLineage API: `/colophon/openlineage`; clients of DataHub find the same below its own API."""

from typing import Any, Final

from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.openapi import add_document_operation
from jupyter_colophon.operations.openlineage import lineage, marquez
from jupyter_colophon.operations.openlineage.parameters import PATH_PARAMETERS
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.problem_documents import render_failure
from jupyter_colophon.settings import Settings


def _load_schemas() -> dict[str, Any]:
    from jupyter_colophon.core.package_data import load_schema_documents

    return {"problem": load_schema_documents("api")["problem"]}


def _read_max_body_bytes(settings: Settings) -> int:
    """Return the limit of DataHub's API: events list every column."""
    return settings.datahub_max_body_bytes


OPENLINEAGE: Final = add_document_operation(
    ApiDefinition(
        title="OpenLineage, by Jupyter Colophon",
        summary="Takes events of OpenLineage, and answers reads as Marquez does.",
        prefix="/colophon/openlineage",
        aliases=("/colophon/datahub/openapi/openlineage",),
        operations=list_operations(lineage, marquez),
        error_document=render_failure,
        error_schema="problem",
        error_content_type="application/problem+json",
        path_parameters={parameter.name: (parameter,) for parameter in PATH_PARAMETERS},
        slash=True,
        max_body_bytes=_read_max_body_bytes,
        schemas=_load_schemas,
    ),
    "readOpenLineageOpenApi",
)
