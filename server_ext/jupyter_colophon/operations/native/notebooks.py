"""What servers with notebooks report to a shared service: renamed files, and kernels that have ended."""

import re

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AccessDenied, InvalidName
from jupyter_colophon.core.time_format import parse_iso_time_to_ms
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import KERNEL_ID_PATTERN


@declare_operation(
    "renameNotebooks",
    "POST /notebooks/rename",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="notebooks-rename",
    answers="notebooks-rename-result",
    errors=[AccessDenied],
)
def rename_notebooks(services: ProcessServices, request: OperationRequest) -> Document:
    """Record that a notebook of the caller, or a folder with notebooks, was renamed; what is recorded of it is kept."""
    _require_person(request.principal, "rename", "notebooks")
    namespace = request.body.get("namespace") or services.find_notebook_namespace(request.principal)
    records = services.get_or_open_catalog().get_notebooks_of_namespace(namespace)
    old, new = (request.body[name].strip("/") for name in ("from", "to"))
    return {"renamed": records.rename_notebooks_below(old, new, request.principal, request.idempotency_key)}


@declare_operation(
    "endKernelRuns",
    "POST /kernels/{kernel}/end",
    decided_by="sender",
    parameters=[IDEMPOTENCY_KEY],
    body="kernel-end",
    answers="kernel-end-result",
    errors=[AccessDenied, InvalidName],
)
def end_kernel_runs(services: ProcessServices, request: OperationRequest) -> Document:
    """Record that a kernel of the caller has ended: its runs that began before and are unfinished were killed."""
    _require_person(request.principal, "end", "runs of kernels")
    kernel, principal = request.path["kernel"], request.principal
    if not re.fullmatch(KERNEL_ID_PATTERN, kernel):
        raise InvalidName("kernel id", kernel, "must be 1 to 128 letters, digits, dashes and underscores")
    ended_ms, write_path = parse_iso_time_to_ms(request.body["time"]), services.get_or_open_catalog().write_path
    # A kernel that was restarted has the same id: its new runs began later.
    return {"ended": write_path.mark_kernel_runs_killed(kernel, principal, "the kernel ended", ended_ms)}


def _require_person(principal: Principal, action: str, subject: str) -> None:
    """Raise AccessDenied for a kernel or a service account."""
    if principal.via is not None:
        raise AccessDenied(action, f"{subject}: only the server of the notebooks may")
