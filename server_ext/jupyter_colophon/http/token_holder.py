"""Tokens of our own in the Authorization header, and the connections that end with them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from jupyter_server.auth.identity import User
from tornado.httputil import HTTPServerRequest

from jupyter_colophon.core.access import Principal

#: As Jupyter reads it, but whole: a header with something after the token has none.
_HEADER: Final = re.compile(r"(?:token|bearer)\s+(\S+)\s*", re.IGNORECASE)


def read_token_of_request(request: HTTPServerRequest) -> str | None:
    """Return the token in the Authorization header; None if there is none."""
    match = _HEADER.fullmatch(request.headers.get("Authorization", ""))
    return match[1] if match else None


class TokenEndings:
    """Calls what connections want to be called when the token that opened them ends. Safe for threads."""

    def __init__(
        self, reason: str, is_valid: Callable[[str], bool], on_added: Callable[[], None] = lambda: None
    ) -> None:
        """Create it; clients get the `reason` of an end."""
        self.reason = reason
        self._is_valid, self._on_added = is_valid, on_added
        self._callbacks: dict[str, set[Callable[[], None]]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of tokens with connections."""
        return len(self._callbacks)

    def call_at_end(self, digest: str, on_end: Callable[[], None]) -> Callable[[], None]:
        """Call `on_end` once when a token ends, from any thread; return a function that cancels that.

        It is called at once if the token has already ended.
        """
        with self._lock:
            self._callbacks.setdefault(digest, set()).add(on_end)
        # Checked after it was added, so that a token that ends meanwhile is not missed.
        if not self._is_valid(digest) and self._remove(digest, on_end):
            on_end()
        self._on_added()

        def cancel() -> None:
            self._remove(digest, on_end)

        return cancel

    def end_connections(self, digest: str) -> None:
        """Call the callbacks of a token that has ended."""
        with self._lock:
            callbacks = self._callbacks.pop(digest, set())
        for on_end in callbacks:
            on_end()

    def list_digests(self) -> list[str]:
        """Return the tokens with connections."""
        with self._lock:
            return list(self._callbacks)

    def _remove(self, digest: str, on_end: Callable[[], None]) -> bool:
        """Remove a callback; return whether it was there."""
        with self._lock:
            callbacks = self._callbacks.get(digest, set())
            was_there = on_end in callbacks
            callbacks.discard(on_end)
            if not callbacks:
                self._callbacks.pop(digest, None)
            return was_there


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Whom a token belongs to: the user for Jupyter, and the principal for us."""

    digest: str
    user: User
    principal: Principal
    endings: TokenEndings

    def call_at_end(self, on_end: Callable[[], None]) -> Callable[[], None]:
        """Call `on_end` when the token ends; return a function that cancels that."""
        return self.endings.call_at_end(self.digest, on_end)
