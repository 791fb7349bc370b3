"""The form of errors that DataHub's clients read, and the statuses of its older routes."""

from typing import Any, Final

from jupyter_colophon.core import errors
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.operations.api import RequestFailure
from jupyter_colophon.operations.request import Document

_PROBLEMS_SHOWN: Final = 5
_REFUSED: Final = 422
#: Rest.li's routes answer 422 for whatever a proposal is refused for.
RESTLI_STATUSES: Final = dict.fromkeys(
    (
        errors.InvalidInstance,
        errors.InvalidName,
        errors.PatchFailed,
        errors.AlreadyExists,
        errors.ConditionFailed,
        errors.NotEmpty,
    ),
    _REFUSED,
)


def render_datahub_error(failure: RequestFailure) -> Document:
    """Return an error as `{"message", "errors", "status"}`."""
    document: dict[str, Any] = {"message": failure.message or failure.reason}
    if failure.error is not None:
        document["message"] = format_error_in_one_line(failure.error)
        if failure.error.problems:
            document["errors"] = [
                {"pointer": problem.pointer, "message": problem.message} for problem in failure.error.problems
            ]
    return document | {"status": failure.status}


def format_error_in_one_line(error: MetadataError) -> str:
    """Return an error in one line: DataHub's clients show nothing else."""
    problems = [f"{problem.pointer or 'the whole'}: {problem.message}" for problem in error.problems[:_PROBLEMS_SHOWN]]
    return "; ".join([error.detail, *problems])
