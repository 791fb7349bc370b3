"""CDAP's API, `/colophon/v3`: its operations in the order in which their paths are matched, and its document."""

from typing import Any, Final

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.operations.api import ApiDefinition, RequestFailure
from jupyter_colophon.operations.openapi import add_document_operation
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.parameter import Parameter, declare_text
from jupyter_colophon.operations.v3 import (
    app_instances,
    app_panels,
    apps,
    batch,
    changes,
    entities,
    fields,
    keys,
    lineage,
    metadata,
    runs,
    search,
    secrets,
    streams,
)
from jupyter_colophon.operations.v3.paths import PREFIX

_ERROR: Final = {
    "type": "object",
    "properties": {
        "message": {"type": "string"},
        "reason": {"type": "string", "description": "The reason phrase of the HTTP status."},
        "status": {"type": "integer"},
    },
    "required": ["message", "reason", "status"],
    "additionalProperties": False,
}
#: How many problems of a body an error names.
_PROBLEMS_MAX: Final = 5
_BAD_REQUEST: Final = 400


def _declare_path_parameter(name: str, description: str) -> Parameter[str]:
    return declare_text(name, description, place="path", required=True)


_PLACES: Final = (
    _declare_path_parameter("namespace", "The namespace."),
    _declare_path_parameter("namespaces", "`namespaces`, or `unrecoverable/namespaces`."),
    _declare_path_parameter(
        "entity",
        "An entity as pairs of a word and a name, as in `namespaces/shop/datasets/orders`; its slashes are not encoded. "
        "`-` stands for the entity of `?entity=`.",
    ),
    _declare_path_parameter(
        "data",
        "A dataset or a stream, as in `namespaces/shop/streams/clicks`; its slashes are not encoded. "
        "`-` stands for the entity of `?entity=`.",
    ),
    _declare_path_parameter("collection", "`datasets`, `dataset`, `streams` or `stream`."),
    _declare_path_parameter("dataset", "The name of a dataset or a stream."),
    _declare_path_parameter("streams", "`streams` or `stream`."),
    _declare_path_parameter("stream", "The name of a stream."),
    _declare_path_parameter("app", "The name of an application."),
    _declare_path_parameter("service", "The name of a service of a system application."),
    _declare_path_parameter(
        "method",
        "A path that a system application serves, as in `v2/contexts/shop/connections`; its slashes are not encoded.",
    ),
    _declare_path_parameter("secret", "The name of a secret."),
    _declare_path_parameter("panel", "The id of a panel of a system application."),
    _declare_path_parameter("version", "The version of a panel, as in the list of panels."),
    _declare_path_parameter("file", "The path of a file of a panel; its slashes are not encoded."),
    _declare_path_parameter("type", "The type of programs, such as `workflows` or `spark`."),
    _declare_path_parameter("program", "The name of a program."),
    _declare_path_parameter("run", "The id of a run."),
    _declare_path_parameter("key", "A key of metadata."),
    _declare_path_parameter("tag", "A tag."),
    _declare_path_parameter("field", "The name of a field."),
)


def render_cdap_error(failure: RequestFailure) -> dict[str, Any]:
    """Return an error as clients of CDAP read it."""
    if failure.error is not None:
        message = _format_error_message(failure.error)
    else:
        message = (failure.message if failure.status == _BAD_REQUEST else "") or failure.reason
    return {"message": message, "reason": failure.reason, "status": failure.status}


def _format_error_message(error: MetadataError) -> str:
    """Return the detail with the problems that it does not contain already."""
    problems = [problem for problem in error.problems if problem.message not in error.detail][:_PROBLEMS_MAX]
    return "; ".join([error.detail, *(f"{problem.pointer or 'the body'}: {problem.message}" for problem in problems)])


V3: Final = add_document_operation(
    ApiDefinition(
        title="CDAP's metadata API",
        summary="Metadata, lineage and search as clients of CDAP use them, over the catalog of Jupyter Colophon.",
        prefix=PREFIX,
        # The first matching path is used: specific paths precede those of any entity.
        operations=list_operations(
            app_instances,
            apps,
            app_panels,
            secrets,
            search,
            batch,
            keys,
            changes,
            runs,
            lineage,
            fields,
            streams,
            metadata,
            entities,
        ),
        error_document=render_cdap_error,
        error_schema=_ERROR,
        path_parameters={place.name: [place] for place in _PLACES},
        patterns={
            "namespaces": "(?:unrecoverable/)?namespaces",
            # Pairs of a word and a name, so that entities may be called `metadata` or `tags`.
            "entity": "(?:-|(?:[^/]+/[^/]+/)*[^/]+/[^/]+)",
            "data": "(?:-|namespaces/[^/]+/(?:datasets?|streams?)/[^/]+)",
            "collection": "(?:datasets?|streams?)",
            "streams": "streams?",
            "method": ".+",
            "file": ".+",
        },
        slash=True,
        drops_nulls=True,
    ),
    "v3ReadOpenApi",
)
