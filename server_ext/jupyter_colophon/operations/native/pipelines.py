"""Pipelines: the plugins of stages, and validation (docs/pipelines.md). Pipelines run on Spark, not in the server."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import InstanceNotFound, InvalidInstance
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_SPACE: Final = "pipelines"


@declare_operation("listPipelinePlugins", "GET /pipelines/plugins", answers="pipeline-plugins", schemaspace=_SPACE)
def list_pipeline_plugins(services: ProcessServices, request: OperationRequest) -> Document:
    """List the plugins of pipelines, each with the schema of its properties."""
    # Loaded with the first request: packages register plugins, and their code may be slow to load.
    from jupyter_colophon.pipelines.documents import build_plugins_document
    from jupyter_colophon.pipelines.plugin_registry import load_plugins

    return build_plugins_document(load_plugins())


@declare_operation(
    "listPipelineSchedules", "GET /pipelines/schedules", answers="pipeline-schedules", schemaspace=_SPACE
)
def list_pipeline_schedules(services: ProcessServices, request: OperationRequest) -> Document:
    """List the schedules of pipelines with the next run and the result of the last run."""
    from jupyter_colophon.service.changes.schedules import describe_schedules_with_state

    pipelines = services.get_or_create_instances().list_visible_instances(_SPACE, request.principal, invalid=True)
    return {
        "schedulerEnabled": services.is_scheduling,
        "schedules": describe_schedules_with_state(services.get_or_open_catalog().provider, pipelines),
    }


@declare_operation(
    "checkPipeline",
    "POST /pipelines/check",
    body="pipeline-check",
    answers="pipeline-check-result",
    errors=[InstanceNotFound, InvalidInstance],
    permission="read",
    schemaspace=_SPACE,
)
def check_pipeline(services: ProcessServices, request: OperationRequest) -> Document:
    """Validate a pipeline: its document, the properties of its plugins, its graph and its columns."""
    from jupyter_colophon.pipelines.documents import to_pipeline_document

    body = request.body
    if "document" in body:
        return _validate_pipeline_document(body, body["document"])
    return _validate_pipeline_document(
        body,
        to_pipeline_document(
            services.get_or_create_instances().get_valid_or_invalid_instance(_SPACE, body["name"], request.principal)
        ),
    )


def _validate_pipeline_document(body: Document, document: Mapping[str, Any]) -> Document:
    from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
    from jupyter_colophon.pipelines.documents import build_invalid_check_document, build_valid_check_document
    from jupyter_colophon.pipelines.plugin_registry import load_plugins

    try:
        arguments = {
            name: value if isinstance(value, str) else encode_canonical_json(value)
            for name, value in body.get("arguments", {}).items()
        }
        return build_valid_check_document(check_and_prepare_pipeline(body["name"], document, load_plugins(), arguments))
    except InvalidInstance as error:
        return build_invalid_check_document(error)
