"""Failures as problem documents (RFC 9457), for the APIs that answer errors in that form."""

from typing import Final

from jupyter_colophon.operations.api import RequestFailure
from jupyter_colophon.operations.problems import build_problem_document, render_problem_document

#: Details of failures without a message, by status.
_EXPLANATIONS: Final = {
    403: "you are not signed in, or your token does not permit this request",
    405: "this path does not support this HTTP method",
}


def render_failure(failure: RequestFailure) -> dict[str, object]:
    """Return a failure as a problem document."""
    if failure.error is not None:
        return render_problem_document(failure.error) | {"status": failure.status}
    detail = failure.message or _EXPLANATIONS.get(failure.status, "")
    return build_problem_document(failure.status, failure.reason.lower().replace(" ", "-"), failure.reason, detail)
