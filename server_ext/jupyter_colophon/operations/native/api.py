"""The native API, `/colophon/api` (docs/api.md)."""

from typing import Any, Final

from jupyter_colophon.operations.api import Api
from jupyter_colophon.operations.native import (
    changes,
    entities,
    export_import,
    health,
    instances,
    leftovers,
    lineage,
    lineage_queries,
    loads,
    pipelines,
    proposals,
    schemaspaces,
    search,
)
from jupyter_colophon.operations.openapi import with_document
from jupyter_colophon.operations.operation import operations_of
from jupyter_colophon.operations.problem_documents import problem_document
from jupyter_colophon.operations.shared_parameters import PLACES, URN_INSTEAD


def _schemas() -> dict[str, Any]:
    from jupyter_colophon.core.package_data import load_documents

    return load_documents("api")


NATIVE: Final = with_document(
    Api(
        title="Jupyter Colophon",
        summary="Describe, find, trace and govern data without leaving the notebook.",
        prefix="/colophon/api",
        operations=operations_of(
            health,
            entities,
            proposals,
            loads,
            search,
            lineage,
            lineage_queries,
            changes,
            export_import,
            schemaspaces,
            instances,
            leftovers,
            pipelines,
        ),
        error_document=problem_document,
        error_content_type="application/problem+json",
        error_schema="problem",
        places={name: (one, URN_INSTEAD) if name == "urn" else (one,) for name, one in PLACES.items()},
        schemas=_schemas,
    ),
    "readOpenApi",
)
