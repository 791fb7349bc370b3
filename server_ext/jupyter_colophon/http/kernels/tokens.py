"""Kernels' own tokens: 128 random bits, bound to a kernel and the user who started it (spec SEC-16)."""

import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from threading import Lock
from typing import Any

from jupyter_server.auth.identity import IdentityProvider, User
from tornado.web import RequestHandler

from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal

_HEADER = re.compile(r"(?:token|bearer)\s+(\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Holder:
    kernel: str
    user: User
    principal: Principal


class KernelTokens:
    """The tokens of the kernels that run now. Only their hashes are kept."""

    def __init__(self) -> None:
        self._holders: dict[str, _Holder] = {}
        #: What is called when the token of a kernel ends, by kernel.
        self._endings: dict[str, set[Callable[[], None]]] = {}
        self._lock = Lock()

    def issue(self, kernel: str, user: User, actor: str) -> str:
        """A new token for a kernel; the one it had before is no longer good."""
        self.revoke(kernel)
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._holders[_digest(token)] = _Holder(kernel, user, Principal(actor, kernel, KERNEL_ACTIONS))
        return token

    def principal_of(self, kernel: str) -> Principal | None:
        """As whom a kernel acts; None where it holds no token."""
        return next((holder.principal for holder in self._holders.values() if holder.kernel == kernel), None)

    def revoke(self, kernel: str) -> None:
        """End the token of a kernel, and every connection that was opened with it."""
        with self._lock:
            self._holders = {digest: holder for digest, holder in self._holders.items() if holder.kernel != kernel}
            endings = self._endings.pop(kernel, set())
        for end in endings:
            end()

    def call_at_end(self, principal: Principal, end: Callable[[], None]) -> Callable[[], None]:
        """Have `end` called when the principal's token ends, from any thread; returns what cancels that.

        It is called at once where the token has ended already. Nothing happens for a user without a kernel.
        """
        kernel = principal.via
        if kernel is None:
            return lambda: None
        with self._lock:
            # A kernel that was restarted has another token, whose principal is an equal one.
            is_valid = any(holder.principal is principal for holder in self._holders.values())
            if is_valid:
                self._endings.setdefault(kernel, set()).add(end)
        if not is_valid:
            end()

        def cancel() -> None:
            with self._lock:
                self._endings.get(kernel, set()).discard(end)

        return cancel

    def holder(self, handler: RequestHandler) -> _Holder | None:
        """Whose token a request carries in its Authorization header, if a kernel's."""
        if not self._holders:
            return None
        found = _HEADER.fullmatch(handler.request.headers.get("Authorization", ""))
        return self._holders.get(_digest(found[1])) if found else None

    def __len__(self) -> int:
        """How many kernels hold a token."""
        return len(self._holders)


class KernelIdentity:
    """The server's identity provider, which also knows kernels' tokens; used by our handlers alone."""

    def __init__(self, inner: IdentityProvider, tokens: KernelTokens) -> None:
        self._inner, self._tokens = inner, tokens

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get_user(self, handler: RequestHandler) -> User | None:
        """The kernel's user for a kernel's token, else whom the server knows."""
        holder = self._tokens.holder(handler)
        if holder is not None:
            return holder.user
        user: User | Awaitable[User | None] | None = self._inner.get_user(handler)
        return await user if isawaitable(user) else user

    def is_token_authenticated(self, handler: RequestHandler) -> bool:
        """Whether a token was shown: such a request needs no XSRF cookie."""
        return self._tokens.holder(handler) is not None or bool(self._inner.is_token_authenticated(handler))

    def should_check_origin(self, handler: RequestHandler) -> bool:
        """Whether the origin matters: not for a request with a token."""
        return self._tokens.holder(handler) is None and bool(self._inner.should_check_origin(handler))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
