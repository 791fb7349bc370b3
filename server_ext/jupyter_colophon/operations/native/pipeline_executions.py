"""Previews and runs of pipelines that users start, in processes beside the server (docs/pipelines.md)."""

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import (
    InstanceNotFound,
    InvalidInstance,
    InvalidInstanceName,
    NotFound,
    TooManyExecutions,
)
from jupyter_colophon.core.identity.instance_names import require_instance_name
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.native.pipelines import (
    SPACE,
    load_plugins_of_pipeline,
    read_arguments,
    read_requested_document,
)
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.pipelines.check import PreparedPipeline
    from jupyter_colophon.pipelines.launcher import PipelineExecution

#: Number of rows of each stage in a preview, by default.
_ROWS: Final = 20
_REFUSES: Final = (NotFound, InstanceNotFound, InvalidInstance, InvalidInstanceName, TooManyExecutions)
_NEXT: Final = [
    OperationLink(operation, {"path.execution": "$response.body#/id"}, status=HTTPStatus.CREATED)
    for operation in ("readPipelineExecution", "stopPipelineExecution")
]


#: A pipeline may contain any code, so kernels may not start one.
_require_admin = build_admin_check("run", "pipelines")


_declare_start = partial(
    declare_operation,
    decided_by="admin",
    answers={201: "pipeline-execution"},
    errors=_REFUSES,
    permission="execute",
    access=_require_admin,
    schemaspace=SPACE,
    links=_NEXT,
)


@_declare_start("startPipelineRun", "POST /pipelines/runs", body="pipeline-run-start")
def start_pipeline_run(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Run a stored pipeline on the server's machine, as the caller."""
    document, arguments = read_requested_document(services, request), read_arguments(request)
    pipeline = _authorize_and_prepare(services, request, document, arguments).pipeline
    launcher, user = services.get_pipeline_launcher(), request.principal.user
    execution = launcher.start_run(pipeline.name, pipeline.program, arguments, user)
    return OperationAnswer(render_execution(execution), HTTPStatus.CREATED)


@_declare_start("startPipelinePreview", "POST /pipelines/previews", body="pipeline-preview-start")
def start_pipeline_preview(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Preview a pipeline on the server's machine, as the caller; nothing is written, recorded or emitted."""
    document, arguments = read_requested_document(services, request), read_arguments(request)
    stage, rows = request.body.get("stage", ""), request.body.get("rows", _ROWS)
    pipeline = _authorize_and_prepare(services, request, document, arguments, stage).pipeline
    launcher, user = services.get_pipeline_launcher(), request.principal.user
    execution = launcher.start_preview(pipeline.name, document, arguments, user, stage=stage, rows=rows)
    return OperationAnswer(render_execution(execution), HTTPStatus.CREATED)


@declare_operation(
    "readPipelineExecution",
    "GET /pipelines/executions/{execution}",
    decided_by="sender",
    answers="pipeline-execution",
    errors=[NotFound],
)
def read_pipeline_execution(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a preview or a run that the caller started on this server: its status, its log and its result."""
    return render_execution(_get_execution(services, request))


@declare_operation(
    "stopPipelineExecution",
    "DELETE /pipelines/executions/{execution}",
    decided_by="admin",
    answers="pipeline-execution",
    errors=[NotFound],
    permission="execute",
    access=_require_admin,
)
def stop_pipeline_execution(services: ProcessServices, request: OperationRequest) -> Document:
    """Stop a preview or a run that the caller started on this server."""
    execution = _get_execution(services, request)
    execution.stop()
    return render_execution(execution)


def _authorize_and_prepare(
    services: ProcessServices,
    request: OperationRequest,
    document: Mapping[str, Any],
    arguments: Mapping[str, str],
    until: str = "",
) -> "PreparedPipeline":
    """Return the pipeline that the caller may run. Raises NotFound, AccessDenied, InvalidInstance, InvalidInstanceName."""
    from jupyter_colophon.pipelines.check import check_and_prepare_pipeline

    _require_right_to_run(services, request.principal, document)
    name = require_instance_name(request.body["name"])
    plugins = load_plugins_of_pipeline(services, document, request.principal)
    return check_and_prepare_pipeline(name, document, plugins, arguments, until=until)


def _require_right_to_run(services: ProcessServices, principal: Principal, document: Mapping[str, Any]) -> None:
    """Require that the caller may change the pipeline, and emit in its namespace as the run does.

    Raises NotFound, AccessDenied.
    """
    metadata = document.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    if not isinstance(namespace, str):
        # The document is invalid.
        return
    services.require_may_run_pipelines(namespace, principal)


def _get_execution(services: ProcessServices, request: OperationRequest) -> "PipelineExecution":
    return services.get_pipeline_launcher().get_execution(request.path["execution"], request.principal.user)


def render_execution(execution: "PipelineExecution") -> Document:
    """Return an execution as `pipeline-execution.json`."""
    return {
        "id": execution.id,
        "kind": execution.kind,
        "pipeline": "" if execution.kind == "check" else execution.subject,
        "dataset": execution.subject if execution.kind == "check" else None,
        "run": execution.run or None,
        "status": execution.status,
        "started": format_ms_as_iso_time(execution.started),
        "ended": format_ms_as_iso_time(execution.ended) if execution.ended else None,
        "problem": execution.problem,
        "log": execution.read_log_end(),
        "stages": [dict(stage) for stage in execution.stages],
    }
