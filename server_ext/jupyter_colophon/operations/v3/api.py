"""CDAP's API, `/colophon/v3`: its operations in the order in which their paths are matched, and its document."""

from typing import Any, Final

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.operations.api import Api, Failure
from jupyter_colophon.operations.openapi import add_document_operation
from jupyter_colophon.operations.operation import list_operations
from jupyter_colophon.operations.parameter import Parameter, declare_text
from jupyter_colophon.operations.v3 import (
    batch,
    changes,
    entities,
    fields,
    keys,
    lineage,
    metadata,
    runs,
    search,
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


def _place(name: str, description: str) -> Parameter[str]:
    return declare_text(name, description, place="path", required=True)


_PLACES: Final = (
    _place("namespace", "The namespace."),
    _place("namespaces", "`namespaces`, or `unrecoverable/namespaces`."),
    _place(
        "entity",
        "An entity as pairs of a word and a name, as in `namespaces/shop/datasets/orders`; its slashes are not encoded. "
        "`-` stands for the entity of `?entity=`.",
    ),
    _place(
        "data",
        "A dataset or a stream, as in `namespaces/shop/streams/clicks`; its slashes are not encoded. "
        "`-` stands for the entity of `?entity=`.",
    ),
    _place("collection", "`datasets`, `dataset`, `streams` or `stream`."),
    _place("dataset", "The name of a dataset or a stream."),
    _place("streams", "`streams` or `stream`."),
    _place("stream", "The name of a stream."),
    _place("app", "The name of an application."),
    _place("type", "The type of programs, such as `workflows` or `spark`."),
    _place("program", "The name of a program."),
    _place("run", "The id of a run."),
    _place("key", "A key of metadata."),
    _place("tag", "A tag."),
    _place("field", "The name of a field."),
)


def render_error(failure: Failure) -> dict[str, Any]:
    """Return an error as clients of CDAP read it."""
    if failure.error is not None:
        message = _format_message(failure.error)
    else:
        message = (failure.message if failure.status == _BAD_REQUEST else "") or failure.reason
    return {"message": message, "reason": failure.reason, "status": failure.status}


def _format_message(error: MetadataError) -> str:
    problems = [f"{problem.pointer or 'the body'}: {problem.message}" for problem in error.problems[:_PROBLEMS_MAX]]
    return "; ".join([error.detail, *problems])


V3: Final = add_document_operation(
    Api(
        title="CDAP's metadata API",
        summary="Metadata, lineage and search as clients of CDAP use them, over the catalog of Jupyter Colophon.",
        prefix=PREFIX,
        # The first matching path is used: specific paths precede those of any entity.
        operations=list_operations(search, batch, keys, changes, runs, lineage, fields, streams, metadata, entities),
        error_document=render_error,
        error_schema=_ERROR,
        places={place.name: [place] for place in _PLACES},
        patterns={
            "namespaces": "(?:unrecoverable/)?namespaces",
            # Pairs of a word and a name, so that entities may be called `metadata` or `tags`.
            "entity": "(?:-|(?:[^/]+/[^/]+/)*[^/]+/[^/]+)",
            "data": "(?:-|namespaces/[^/]+/(?:datasets?|streams?)/[^/]+)",
            "collection": "(?:datasets?|streams?)",
            "streams": "streams?",
        },
        slash=True,
        drops_nulls=True,
    ),
    "v3ReadOpenApi",
)
