"""Artifacts of namespaces: wheels and modules with plugins (docs/how-to/share-plugins.md)."""

from base64 import b64encode
from http import HTTPStatus
from typing import Final

from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import AlreadyExists, HeldForReview, InvalidInstance, InvalidName, NotFound
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT

_LIST: Final = "/namespaces/{namespace}/artifacts"
_ONE: Final = _LIST + "/{artifact}/versions/{version}"
_BYTES: Final = "application/octet-stream"
_CONTENT: Final = {
    "type": "string",
    "format": "binary",
    "description": "A pure Python wheel, or the source of a module.",
}
_ERRORS: Final = (NotFound, InvalidName)

#: An artifact is code that processes of this account execute, as a pipeline is.
_require_admin = build_admin_check("upload", "artifacts")


@declare_operation(
    "listArtifacts",
    f"GET {_LIST}",
    decided_by="entities",
    parameters=[LIMIT, CURSOR],
    answers="artifacts",
    errors=_ERRORS,
)
def list_artifacts(services: ProcessServices, request: OperationRequest) -> Document:
    """List the artifacts of a namespace by name and version, with their plugins."""
    artifacts = services.get_or_open_catalog().artifacts
    page, cursor = artifacts.list_page(request.path["namespace"], request[LIMIT], request[CURSOR], request.principal)
    return {"artifacts": to_api_documents(page), "cursor": cursor}


@declare_operation("readArtifact", f"GET {_ONE}", decided_by="entities", answers="artifact", errors=_ERRORS)
def read_artifact(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a version of an artifact, with its plugins."""
    return to_api_document(services.get_or_open_catalog().artifacts.read(_parse_key(request), request.principal))


@declare_operation(
    "readArtifactContent", f"GET {_ONE}/content", decided_by="entities", answers="artifact-content", errors=_ERRORS
)
def read_artifact_content(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the file of an artifact, which Python imports under this name."""
    artifact, content = services.get_or_open_catalog().artifacts.read_with_content(
        _parse_key(request), request.principal
    )
    return {"file": artifact.file_name, "sha256": artifact.sha256, "content": b64encode(content).decode()}


@declare_operation(
    "uploadArtifact",
    f"PUT {_ONE}",
    decided_by="admin",
    access=_require_admin,
    permission="execute",
    body={_BYTES: _CONTENT},
    raw_body=True,
    answers={200: "artifact", 201: "artifact"},
    errors=[*_ERRORS, AlreadyExists, InvalidInstance, HeldForReview],
)
def upload_artifact(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Upload a version of an artifact; its content never changes."""
    artifact, is_new = services.get_or_open_catalog().artifacts.upload(
        _parse_key(request), request.body, request.principal
    )
    return OperationAnswer(to_api_document(artifact), HTTPStatus.CREATED if is_new else HTTPStatus.OK)


@declare_operation(
    "deleteArtifact",
    f"DELETE {_ONE}",
    decided_by="admin",
    access=_require_admin,
    permission="execute",
    answers="artifact",
    errors=[*_ERRORS, HeldForReview],
)
def delete_artifact(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a version of an artifact; pipelines that name its plugins can no longer run."""
    artifacts, key = services.get_or_open_catalog().artifacts, _parse_key(request)
    artifact = artifacts.read(key, request.principal)
    artifacts.delete(key, request.principal)
    return to_api_document(artifact)


def _parse_key(request: OperationRequest) -> ArtifactKey:
    return ArtifactKey(request.path["namespace"], request.path["artifact"], request.path["version"])
