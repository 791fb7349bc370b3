"""The native API, `/colophon/api` (docs/api.md)."""

from typing import Any, Final

from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.native import (
    access,
    artifacts,
    audit,
    changes,
    entities,
    export_import,
    health,
    instances,
    leftovers,
    lineage,
    lineage_queries,
    loads,
    metrics,
    notebooks,
    people,
    pipeline_executions,
    pipelines,
    policies,
    proposals,
    quality,
    retention,
    schemaspaces,
    search,
    service_tokens,
    stewardship,
    system_apps,
)
from jupyter_colophon.operations.openapi import add_document_operation
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.problem_documents import render_failure
from jupyter_colophon.operations.shared_parameters import PLACES, URN_INSTEAD


def _load_schemas() -> dict[str, Any]:
    from jupyter_colophon.core.package_data import load_schema_documents

    return load_schema_documents("api")


NATIVE: Final = add_document_operation(
    ApiDefinition(
        title="Jupyter Colophon",
        summary="Describe, find, trace and govern data without leaving the notebook.",
        prefix="/colophon/api",
        operations=list_operations(
            health,
            access,
            audit,
            policies,
            metrics,
            entities,
            proposals,
            loads,
            search,
            lineage,
            lineage_queries,
            notebooks,
            changes,
            export_import,
            schemaspaces,
            instances,
            leftovers,
            artifacts,
            pipelines,
            pipeline_executions,
            service_tokens,
            stewardship,
            people,
            quality,
            retention,
            system_apps,
        ),
        error_document=render_failure,
        error_content_type="application/problem+json",
        error_schema="problem",
        path_parameters={name: (place, URN_INSTEAD) if name == "urn" else (place,) for name, place in PLACES.items()},
        refuses_unknown_parameters=True,
        schemas=_load_schemas,
    ),
    "readOpenApi",
)
