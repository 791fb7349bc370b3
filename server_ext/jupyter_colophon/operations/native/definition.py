"""The definition of the native API, for all its operations or for some of them."""

from types import ModuleType
from typing import Any

from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.problem_documents import render_failure
from jupyter_colophon.operations.shared_parameters import PLACES, URN_INSTEAD


def define_native_api(*modules: ModuleType) -> ApiDefinition:
    """Return the native API with the operations that these modules declare."""
    return ApiDefinition(
        title="Jupyter Colophon",
        summary="Describe, find, trace and govern data without leaving the notebook.",
        prefix="/colophon/api",
        operations=list_operations(*modules),
        error_document=render_failure,
        error_content_type="application/problem+json",
        error_schema="problem",
        path_parameters={name: (place, URN_INSTEAD) if name == "urn" else (place,) for name, place in PLACES.items()},
        refuses_unknown_parameters=True,
        schemas=_load_schemas,
    )


def _load_schemas() -> dict[str, Any]:
    from jupyter_colophon.core.package_data import load_schema_documents

    return load_schema_documents("api")
