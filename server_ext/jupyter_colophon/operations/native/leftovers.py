"""Recovery files, which interrupted saves of Elyra leave: list, restore and discard (docs/api.md)."""

from typing import TYPE_CHECKING

from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, InstanceUnreadable, SchemaspaceNotFound
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.service.instances.recovery import InstanceFileRecovery


@declare_operation(
    "listRecoveryFiles",
    "GET /schemaspaces/{space}/recovery-files",
    decided_by="instances",
    answers="recovery-files",
    errors=[SchemaspaceNotFound],
    schemaspace="{space}",
)
def list_recovery_files(services: ProcessServices, request: OperationRequest) -> Document:
    """List the files that interrupted saves of Elyra left, without their content."""
    return _render_recovery_files(
        services.get_or_create_instances().create_file_recovery(request.path["space"], request.principal, "read")
    )


@declare_operation(
    "restoreRecoveryFile",
    "POST /schemaspaces/{space}/recovery-files/recover",
    decided_by="instances",
    body="recovery-file-choice",
    answers="instance",
    errors=[SchemaspaceNotFound, InstanceNotFound, InstanceExists, InstanceUnreadable],
    schemaspace="{space}",
)
def restore_recovery_file(services: ProcessServices, request: OperationRequest) -> Document:
    """Restore an instance that is missing or unreadable from a recovery file."""
    instances, space = services.get_or_create_instances(), request.path["space"]
    name = instances.create_file_recovery(space, request.principal, "admin").restore_instance_from_file(
        request.body["file"]
    )
    return documents.render_instance(instances.get_valid_or_invalid_instance(space, name, request.principal))


@declare_operation(
    "discardRecoveryFile",
    "POST /schemaspaces/{space}/recovery-files/discard",
    decided_by="instances",
    body="recovery-file-choice",
    answers="recovery-files",
    errors=[SchemaspaceNotFound, InstanceNotFound],
    schemaspace="{space}",
)
def discard_recovery_file(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a recovery file and list the remaining ones."""
    recovery = services.get_or_create_instances().create_file_recovery(
        request.path["space"], request.principal, "admin"
    )
    recovery.delete_orphaned_file(request.body["file"])
    return _render_recovery_files(recovery)


def _render_recovery_files(recovery: "InstanceFileRecovery") -> Document:
    """`recovery-files.json`."""
    names = ("name", "file", "time", "missing", "problem")
    return {"recoveryFiles": [{name: getattr(file, name) for name in names} for file in recovery.list_orphaned_files()]}
