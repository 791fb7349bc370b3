"""This server as a client of the shared service: what it reports in its user's name, and what pipelines need to know.

The only module of a server that imports the client (pyproject.toml).
"""

import os
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.outbox import Kind, OutboxEntry, find_outbox_folder
from jupyter_colophon.client.programs.outbox_sender import OutboxSender
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.artifacts.artifact import Artifact
from jupyter_colophon.core.documents.codec import from_api_document
from jupyter_colophon.core.errors import AccessDenied, InstanceNotFound, NotFound, StoreUnavailable
from jupyter_colophon.core.lineage.run import RunStatus
from jupyter_colophon.http.forwarding.shared_catalog import ServiceAddress

_FOLDER: Final = "server"
_PIPELINES: Final = "pipelines"
#: How many artifacts are read at once.
_PAGE: Final = 100


class ServiceReports:
    """Reports renamed notebooks and ended kernels.

    They wait in a file while the service is unavailable. The next server of the user sends what this one leaves.
    """

    def __init__(self, address: ServiceAddress) -> None:
        folder = find_outbox_folder() / _FOLDER
        self._sender = OutboxSender(ServerAddress(address.url, address.token), folder)

    def send_orphaned(self) -> None:
        """Send what earlier servers left, in the background."""
        self._sender.send_orphaned()

    def report_rename(self, old: str, new: str, namespace: str) -> None:
        """Report a renamed notebook, or a folder. Never raises, and never waits for the service."""
        self._report("rename-notebooks", "", {"from": old, "to": new, "namespace": namespace})

    def report_kernel_end(self, kernel: str, time: str) -> None:
        """Report that a kernel has ended. Never raises, and never waits for the service."""
        self._report("kernel-end", kernel, {"time": time})

    def close(self) -> None:
        """Send for a short time; the rest stays in the file."""
        self._sender.close()

    def _report(self, kind: Kind, subject: str, body: Mapping[str, Any]) -> None:
        self._sender.store_and_send_later(OutboxEntry(os.urandom(16).hex(), kind, subject, dict(body)))


class ServiceClient:
    """Asks the service in the user's name, from any thread but that of the event loop."""

    def __init__(self, address: ServiceAddress) -> None:
        self._catalog = Operations(Transport(ServerAddress(address.url, address.token)))

    def read_pipeline_document(self, name: str) -> Mapping[str, Any]:
        """Return the document of a stored pipeline. Raises InstanceNotFound, StoreUnavailable, AccessDenied."""
        try:
            instance = self._catalog.read_instance(_PIPELINES, name)
        except RequestFailed as refusal:
            if refusal.is_absence:
                raise InstanceNotFound(_PIPELINES, name) from refusal
            raise _translate_refusal(refusal, "read", f"the pipeline {name}") from refusal
        except ServerUnavailable as error:
            raise StoreUnavailable(str(error)) from error
        return {member: instance[member] for member in ("display_name", "schema_name", "metadata")}

    def list_artifacts(self, namespace: str) -> list[Artifact]:
        """Return the artifacts of a namespace; none if it does not exist. Raises StoreUnavailable, AccessDenied."""
        try:
            pages = read_pages(
                lambda cursor: self._catalog.list_artifacts(namespace, cursor=cursor, limit=_PAGE), "artifacts"
            )
            return [from_api_document(document, Artifact) for document in pages]
        except RequestFailed as refusal:
            if refusal.is_absence:
                return []
            raise _translate_refusal(refusal, "read", f"artifacts of the namespace {namespace}") from refusal
        except ServerUnavailable as error:
            raise StoreUnavailable(str(error)) from error

    def read_artifact_content(self, artifact: Artifact) -> bytes:
        """Return the content of an artifact. Raises NotFound, StoreUnavailable, AccessDenied."""
        try:
            answer = self._catalog.read_artifact_content(artifact.namespace, artifact.name, artifact.version)
        except RequestFailed as refusal:
            if refusal.is_absence:
                raise NotFound("artifact", f"{artifact.name}/{artifact.version}") from refusal
            raise _translate_refusal(refusal, "read", f"the artifact {artifact.name}/{artifact.version}") from refusal
        except ServerUnavailable as error:
            raise StoreUnavailable(str(error)) from error
        return b64decode(answer["content"])

    def may_emit_in_namespace(self, namespace: str) -> bool:
        """Return whether the user may emit in a namespace. Raises StoreUnavailable, AccessDenied."""
        try:
            answer = self._catalog.read_access(f"urn:li:namespace:{namespace}", permission="emit")
        except RequestFailed as refusal:
            if refusal.is_absence:
                return False
            raise _translate_refusal(refusal, "run", f"pipelines of the namespace {namespace}") from refusal
        except ServerUnavailable as error:
            raise StoreUnavailable(str(error)) from error
        return bool(answer["allowed"])

    def determine_and_record_final_status(self, run: str, process_status: RunStatus) -> RunStatus | None:
        """Return the final status at the service; record it if the run could not; None if the run never started.

        Raises StoreUnavailable.
        """
        try:
            recorded: RunStatus = self._catalog.read_run(run)["status"]
            if recorded != "running":
                return recorded
            if process_status != "succeeded":
                self._catalog.update_run(run, {"status": process_status})
        except RequestFailed as refusal:
            if refusal.is_absence:
                return None
            raise StoreUnavailable(str(refusal)) from refusal
        except ServerUnavailable as error:
            raise StoreUnavailable(str(error)) from error
        return process_status

    def close(self) -> None:
        """Close the connection."""
        self._catalog.close()


def _translate_refusal(refusal: RequestFailed, action: str, subject: str) -> AccessDenied | StoreUnavailable:
    return StoreUnavailable(str(refusal)) if refusal.is_temporary else AccessDenied(action, f"{subject}: {refusal}")
