"""Pipelines: the plugins of stages, validation, schedules and packages (docs/pipelines.md)."""

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import InstanceNotFound, InvalidInstance, InvalidInstanceName, TooLarge
from jupyter_colophon.core.identity.instance_names import require_instance_name
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.pipelines.pipeline_code import PipelineCode
    from jupyter_colophon.pipelines.plugin_registry import PluginRegistry

SPACE: Final = "pipelines"
#: The most bytes of the artifacts in a package, which the server has in memory.
_PACKAGED_BYTES_MAX: Final = 32 * 1024 * 1024


_NAMESPACE: Final = declare_text("namespace", "List also the plugins of the artifacts of this namespace.")


@declare_operation(
    "listPipelinePlugins",
    "GET /pipelines/plugins",
    decided_by="entities",
    parameters=[_NAMESPACE],
    answers="pipeline-plugins",
    schemaspace=SPACE,
)
def list_pipeline_plugins(services: ProcessServices, request: OperationRequest) -> Document:
    """List the plugins of pipelines, each with the schema of its properties."""
    # Loaded with the first request: packages register plugins, and their code may be slow to load.
    from jupyter_colophon.pipelines.artifact_plugins import add_declared_plugins
    from jupyter_colophon.pipelines.documents import build_plugins_document
    from jupyter_colophon.pipelines.plugin_registry import load_plugins

    registry, namespace = load_plugins(), request[_NAMESPACE]
    if namespace:
        registry = add_declared_plugins(registry, services.list_artifacts(namespace, request.principal))
    return build_plugins_document(registry)


@declare_operation(
    "listPipelineSchedules",
    "GET /pipelines/schedules",
    decided_by="instances",
    answers="pipeline-schedules",
    schemaspace=SPACE,
)
def list_pipeline_schedules(services: ProcessServices, request: OperationRequest) -> Document:
    """List the schedules of pipelines with the next run and the result of the last run."""
    from jupyter_colophon.service.changes.schedules import describe_schedules_with_state

    pipelines = services.get_or_create_instances().list_visible_instances(SPACE, request.principal, invalid=True)
    return {
        "schedulerEnabled": services.is_scheduling,
        "schedules": describe_schedules_with_state(services.get_or_open_catalog().provider, pipelines),
    }


@declare_operation(
    "checkPipeline",
    "POST /pipelines/check",
    decided_by="instances",
    body="pipeline-check",
    answers="pipeline-check-result",
    errors=[InstanceNotFound, InvalidInstance],
    permission="read",
    schemaspace=SPACE,
)
def check_pipeline(services: ProcessServices, request: OperationRequest) -> Document:
    """Validate a pipeline: its document, the properties of its plugins, its graph and its columns."""
    from jupyter_colophon.pipelines import check
    from jupyter_colophon.pipelines.documents import build_check_document

    name, document = request.body["name"], read_requested_document(services, request)
    plugins = load_plugins_of_pipeline(services, document, request.principal)
    return build_check_document(check.check_pipeline(name, document, plugins, read_arguments(request)))


@declare_operation(
    "packagePipeline",
    "POST /pipelines/package",
    decided_by="instances",
    body="pipeline-check",
    answers="pipeline-package",
    errors=[InstanceNotFound, InvalidInstance, InvalidInstanceName, TooLarge],
    permission="read",
    schemaspace=SPACE,
)
def package_pipeline(services: ProcessServices, request: OperationRequest) -> Document:
    """Package a pipeline for `spark-submit`: a zip file with the pipeline, our code and artifacts, without a snapshot."""
    from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
    from jupyter_colophon.pipelines.package import create_package_archive, format_submit_command

    name, document = require_instance_name(request.body["name"]), read_requested_document(services, request)
    plugins = load_plugins_of_pipeline(services, document, request.principal)
    prepared = check_and_prepare_pipeline(name, document, plugins, read_arguments(request))
    content, files = create_package_archive(prepared, document, _read_code(services, document, request.principal))
    return {
        "file": f"{name}.zip",
        "content": b64encode(content).decode(),
        "command": format_submit_command(Path(name), files),
    }


def _read_code(services: ProcessServices, document: Mapping[str, Any], principal: Principal) -> "PipelineCode":
    """Return the classes of artifacts that a pipeline names. Raises TooLarge."""
    from jupyter_colophon.pipelines import artifact_plugins
    from jupyter_colophon.pipelines.pipeline_code import PipelineCode

    if not artifact_plugins.has_artifact_plugins(document):
        return PipelineCode()
    artifacts = services.list_artifacts(artifact_plugins.get_namespace(document), principal)
    size = sum(artifact.size for artifact in artifact_plugins.list_named_artifacts(artifacts, document))
    if size > _PACKAGED_BYTES_MAX:
        raise TooLarge(
            f"the artifacts of the pipeline have more than {_PACKAGED_BYTES_MAX} bytes: use `jupyter colophon pipeline package`"
        )
    return artifact_plugins.find_pipeline_code(
        artifacts, document, lambda artifact: services.read_artifact_content(artifact, principal)
    )


def read_requested_document(services: ProcessServices, request: OperationRequest) -> Mapping[str, Any]:
    """Return the document in a request, or else that of the instance that it names. Raises InstanceNotFound."""
    if "document" in request.body:
        document: Mapping[str, Any] = request.body["document"]
        return document
    return services.read_pipeline_document(request.body["name"], request.principal)


def load_plugins_of_pipeline(
    services: ProcessServices, document: Mapping[str, Any], principal: Principal
) -> "PluginRegistry":
    """Return the plugins that a pipeline may use: those of artifacts only if it names one."""
    from jupyter_colophon.pipelines.artifact_plugins import add_declared_plugins, get_namespace, has_artifact_plugins
    from jupyter_colophon.pipelines.plugin_registry import load_plugins

    registry = load_plugins()
    if not has_artifact_plugins(document):
        return registry
    return add_declared_plugins(registry, services.list_artifacts(get_namespace(document), principal), document)


def read_arguments(request: OperationRequest) -> dict[str, str]:
    """Return the arguments in a request; a number or a boolean as its text in JSON."""
    return {
        name: value if isinstance(value, str) else encode_canonical_json(value)
        for name, value in request.body.get("arguments", {}).items()
    }
