"""The first requests of a client: what this server can do, its entity types and aspects; and GraphQL, which is not served."""

from typing import Final

from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.operation import JSON, declare_operation
from jupyter_colophon.operations.parameter import declare_count, declare_number
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

#: Below 1.0.1, so that clients use Rest.li: through OpenAPI they lose CREATE, and delete whole entities instead of an
#: aspect (spec DH-1).
VERSION: Final = "v1.0.0"
_NO_GRAPHQL: Final = (
    "GraphQL is not served here: ask /entities?action=search, /openapi/v3/entity/scroll or Colophon's own API"
)
_START: Final = declare_number("start", "Number of results to skip.", default=0, minimum=0, maximum=1_000_000_000)
_COUNT: Final = declare_count("count", "Maximum number of results.", default=100, minimum=0, maximum=1_000)


@declare_operation(
    "readConfig",
    "GET /config",
    decided_by="public",
    answers={
        200: body_schemas.declare_object_schema("noCode versions", noCode={"const": "true"}, versions=body_schemas.ANY)
    },
)
def read_server_config(services: ProcessServices, request: OperationRequest) -> Document:
    """Return what this server can do, as DataHub's clients look it up."""
    return {
        "noCode": "true",
        "patchCapable": True,
        "statefulIngestionCapable": True,
        "supportsImpactAnalysis": False,
        "timeZone": "UTC",
        "retention": "true",
        "models": {},
        # Clients then send no usage statistics.
        "telemetry": {"enabledCli": False, "enabledIngestion": False},
        "managedIngestion": {"enabled": False},
        "datahub": {"serverType": "jupyter-colophon", "serverEnv": "core"},
        "versions": {
            "acryldata/datahub": {"version": VERSION, "commit": services.version},
            "jupyter-colophon": {"version": services.version},
        },
        "baseUrl": None,
    }


@declare_operation(
    "listSpecifications",
    "GET /openapi/v1/registry/models/entity/specifications",
    decided_by="public",
    parameters=[_START, _COUNT],
    answers={
        200: body_schemas.declare_object_schema(
            "start count total elements",
            start=body_schemas.NUMBER,
            count=body_schemas.NUMBER,
            total=body_schemas.NUMBER,
            elements=body_schemas.declare_list_schema(
                body_schemas.declare_object_schema("name keyAspectName aspectSpecs", name=body_schemas.TEXT)
            ),
        )
    },
)
def list_entity_specifications(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the entity types, and the aspects of each."""
    start = request[_START]
    types = sorted(services.get_or_open_catalog().registry.types, key=lambda item: item.type)
    elements = [
        {
            "name": type_.type,
            "keyAspectName": type_.key_aspect,
            "aspectSpecs": [
                {"aspectAnnotation": {"name": spec.name, "schemaVersion": spec.schema_version}}
                for spec in type_.aspects
            ],
        }
        for type_ in types[start : start + request[_COUNT]]
    ]
    return {"start": start, "count": len(elements), "total": len(types), "elements": elements}


@declare_operation(
    "askGraphql",
    "POST /api/graphql",
    decided_by="public",
    body={JSON: body_schemas.ANY},
    answers={
        200: body_schemas.declare_object_schema(
            "errors data", errors=body_schemas.declare_list_schema(body_schemas.ANY), data={"type": "null"}
        )
    },
    permission="read",
)
def answer_graphql_unsupported(services: ProcessServices, request: OperationRequest) -> Document:
    """Answer that GraphQL is not served, in its own form."""
    return {"errors": [{"message": _NO_GRAPHQL}], "data": None}
