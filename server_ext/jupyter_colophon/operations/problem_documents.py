"""Failures as problem documents (RFC 9457), for the APIs that answer errors in that form."""

from typing import Final

from jupyter_colophon.operations.api import Failure
from jupyter_colophon.operations.problems import build_problem, render_problem

#: Details of failures without a message, by status.
_EXPLANATIONS: Final = {
    403: "you are not signed in, or may not do this",
    405: "this path does not take this method",
}


def render_failure(failure: Failure) -> dict[str, object]:
    """Return a failure as a problem document."""
    if failure.error is not None:
        return render_problem(failure.error) | {"status": failure.status}
    detail = failure.message or _EXPLANATIONS.get(failure.status, "")
    return build_problem(failure.status, failure.reason.lower().replace(" ", "-"), failure.reason, detail)
