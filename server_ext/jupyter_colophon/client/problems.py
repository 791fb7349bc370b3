"""What can go wrong between a client and the server. Neither class ever holds a token or an aspect's value."""

from collections.abc import Mapping
from typing import Any

_NO_SUCH_TYPE = "urn:jupyter-colophon:problem:unknown-entity-type"


class ClientError(Exception):
    """The root: the server did not do what was asked."""


class ServerUnavailable(ClientError):
    """Nothing answered in time, or what answered is not the catalog. Asking again later may help."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"no answer from {url} ({reason})")
        self.url, self.reason = url, reason


class Refused(ClientError):
    """The server answered, and the answer is no.

    `status` is HTTP's, `problem` an RFC 9457 document as in schemas/api/problem.json, empty if there was none.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(_sentence(status, problem))
        self.status, self.problem = status, dict(problem)

    @property
    def is_absence(self) -> bool:
        """Whether the catalog has no such thing.

        A 404 without a problem is another server's, and a type of entity that there is none of is a mistake.
        """
        return self.status == 404 and self.problem.get("type") not in (None, "", _NO_SUCH_TYPE)

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later: the store is away, full or busy.

        A 500 is a fault of the server's with this very request: asking again would only hold up others.
        """
        return self.status in {408, 425, 429, 502, 503, 504, 507}


def _sentence(status: int, problem: Mapping[str, Any]) -> str:
    """One line: the problem's detail, then what is wrong at each place."""
    head = str(problem.get("detail") or problem.get("title") or f"the server answered {status}")
    places = [
        f"{entry.get('pointer') or 'body'}: {entry.get('message', '')}"
        for entry in problem.get("errors") or ()
        if isinstance(entry, Mapping)
    ]
    return " ".join(("; ".join([head, *places])).split())


class NotFound(ClientError, LookupError):
    """The catalog knows nothing of this name."""


class NotConnected(ClientError):
    """Nobody said where the catalog is."""

    def __init__(self) -> None:
        super().__init__(
            "no server is known: start the kernel from JupyterLab, set COLOPHON_URL, or use %metadata connect URL"
        )
