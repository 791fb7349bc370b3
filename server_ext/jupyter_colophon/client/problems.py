"""Errors between a client and the server. They never contain a token or the value of an aspect."""

from collections.abc import Mapping
from typing import Any

#: The type of the problem of a change that waits for review; its status is 202.
HELD_FOR_REVIEW = "urn:jupyter-colophon:problem:held-for-review"
_NO_SUCH_TYPE = "urn:jupyter-colophon:problem:unknown-entity-type"


class ClientError(Exception):
    """The base class of the errors of clients."""


class ServerUnavailable(ClientError):
    """No answer in time, or not from a catalog. A retry may succeed."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"the server {url} did not answer ({reason})")
        self.url, self.reason = url, reason


class RequestFailed(ClientError):
    """The server answered with an error.

    `status` is the HTTP status, `problem` an RFC 9457 document as in schemas/api/problem.json, empty if there was none.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(_format_problem_line(status, problem))
        self.status, self.problem = status, dict(problem)

    @property
    def is_absence(self) -> bool:
        """Whether the requested object does not exist.

        A 404 without a problem document is not from the catalog, and an unknown entity type is an error of the caller.
        """
        return self.status == 404 and self.problem.get("type") not in (None, "", _NO_SUCH_TYPE)

    @property
    def is_held_for_review(self) -> bool:
        """Whether the change was accepted, and waits for review."""
        return self.problem.get("type") == HELD_FOR_REVIEW

    @property
    def is_temporary(self) -> bool:
        """Whether a retry may succeed: the store is unavailable, full or busy.

        A 500 is a defect of the server for this request: retrying would only delay other requests.
        """
        return self.status in {408, 425, 429, 502, 503, 504, 507}


def _format_problem_line(status: int, problem: Mapping[str, Any]) -> str:
    """Return one line: the problem's detail, then the message for each location."""
    head = str(problem.get("detail") or problem.get("title") or f"the server answered {status}")
    places = [
        f"{entry.get('pointer') or 'body'}: {entry.get('message', '')}"
        for entry in problem.get("errors") or ()
        if isinstance(entry, Mapping)
    ]
    return " ".join(("; ".join([head, *places])).split())


class EntityNotFound(ClientError, LookupError):
    """The catalog has no entity of this name."""


class NotConnected(ClientError):
    """No server is configured."""

    def __init__(self) -> None:
        super().__init__(
            "no server is configured: start the kernel from JupyterLab, set COLOPHON_URL, or use %metadata connect URL"
        )
