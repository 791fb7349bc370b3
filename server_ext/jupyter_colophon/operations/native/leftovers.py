"""Recovery files, which interrupted saves of Elyra leave: list, restore and discard (docs/api.md)."""

from typing import TYPE_CHECKING

from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, InstanceUnreadable, SchemaspaceNotFound
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services

if TYPE_CHECKING:
    from jupyter_colophon.service.instances.recovery import Recovery


@declare_operation(
    "listRecoveryFiles",
    "GET /schemaspaces/{space}/recovery-files",
    answers="recovery-files",
    errors=[SchemaspaceNotFound],
    schemaspace="{space}",
)
def list_recovery_files(services: Services, request: Request) -> Document:
    """List the files that interrupted saves of Elyra left, without their content."""
    return _render_recovery_files(
        services.get_instances().create_recovery(request.path["space"], request.principal, "read")
    )


@declare_operation(
    "restoreRecoveryFile",
    "POST /schemaspaces/{space}/recovery-files/recover",
    body="recovery-file-choice",
    answers="instance",
    errors=[SchemaspaceNotFound, InstanceNotFound, InstanceExists, InstanceUnreadable],
    schemaspace="{space}",
)
def restore_recovery_file(services: Services, request: Request) -> Document:
    """Restore an instance that is missing or unreadable from a recovery file."""
    instances, space = services.get_instances(), request.path["space"]
    name = instances.create_recovery(space, request.principal, "admin").recover(request.body["file"])
    return documents.render_instance(instances.get_any(space, name, request.principal))


@declare_operation(
    "discardRecoveryFile",
    "POST /schemaspaces/{space}/recovery-files/discard",
    body="recovery-file-choice",
    answers="recovery-files",
    errors=[SchemaspaceNotFound, InstanceNotFound],
    schemaspace="{space}",
)
def discard_recovery_file(services: Services, request: Request) -> Document:
    """Delete a recovery file and list the remaining ones."""
    recovery = services.get_instances().create_recovery(request.path["space"], request.principal, "admin")
    recovery.discard(request.body["file"])
    return _render_recovery_files(recovery)


def _render_recovery_files(recovery: "Recovery") -> Document:
    """`recovery-files.json`."""
    names = ("name", "file", "time", "missing", "problem")
    return {"recoveryFiles": [{name: getattr(file, name) for name in names} for file in recovery.list_files()]}
