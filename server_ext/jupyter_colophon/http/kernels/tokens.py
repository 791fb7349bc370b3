"""Kernel tokens: 128 random bits, bound to a kernel and the user who started it (spec SEC-16)."""

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
class _TokenHolder:
    kernel: str
    user: User
    principal: Principal


class KernelTokenRegistry:
    """The tokens of running kernels. Only their hashes are stored."""

    def __init__(self) -> None:
        self._holders: dict[str, _TokenHolder] = {}
        #: Callbacks for the end of a token, by kernel.
        self._endings: dict[str, set[Callable[[], None]]] = {}
        self._lock = Lock()

    def issue_token_and_revoke_earlier(
        self, kernel: str, user: User, actor: str, groups: frozenset[str] = frozenset()
    ) -> str:
        """Return a new token for a kernel; an earlier one is revoked."""
        self.revoke_token_and_close_connections(kernel)
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._holders[_hash_token(token)] = _TokenHolder(
                kernel, user, Principal(actor, kernel, KERNEL_ACTIONS, groups)
            )
        return token

    def find_principal_of_kernel(self, kernel: str) -> Principal | None:
        """Return the principal of a kernel; None if it has no token."""
        return next((holder.principal for holder in self._holders.values() if holder.kernel == kernel), None)

    def revoke_token_and_close_connections(self, kernel: str) -> None:
        """End the token of a kernel, and every connection that was opened with it."""
        with self._lock:
            self._holders = {digest: holder for digest, holder in self._holders.items() if holder.kernel != kernel}
            endings = self._endings.pop(kernel, set())
        for end in endings:
            end()

    def call_when_token_ends(self, principal: Principal, on_end: Callable[[], None]) -> Callable[[], None]:
        """Call `on_end` when the principal's token ends, from any thread; return a function that cancels that.

        It is called at once if the token has already ended. Nothing happens for a user without a kernel.
        """
        kernel = principal.via
        if kernel is None:
            return lambda: None
        with self._lock:
            # Compare by identity: a restarted kernel has a new token with an equal principal.
            is_valid = any(holder.principal is principal for holder in self._holders.values())
            if is_valid:
                self._endings.setdefault(kernel, set()).add(on_end)
        if not is_valid:
            on_end()

        def cancel() -> None:
            with self._lock:
                self._endings.get(kernel, set()).discard(on_end)

        return cancel

    def find_token_holder(self, handler: RequestHandler) -> _TokenHolder | None:
        """Return the holder of the kernel token in a request's Authorization header, if any."""
        if not self._holders:
            return None
        match = _HEADER.fullmatch(handler.request.headers.get("Authorization", ""))
        return self._holders.get(_hash_token(match[1])) if match else None

    def __len__(self) -> int:
        """Return the number of kernels with a token."""
        return len(self._holders)


class KernelTokenIdentityProvider:
    """The server's identity provider, extended by kernel tokens; used by our handlers only."""

    def __init__(self, provider: IdentityProvider, tokens: KernelTokenRegistry) -> None:
        self._inner, self._tokens = provider, tokens

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get_user(self, handler: RequestHandler) -> User | None:
        """Return the kernel's user for a kernel token, else the server's user."""
        holder = self._tokens.find_token_holder(handler)
        if holder is not None:
            return holder.user
        user: User | Awaitable[User | None] | None = self._inner.get_user(handler)
        return await user if isawaitable(user) else user

    def is_token_authenticated(self, handler: RequestHandler) -> bool:
        """Return whether the request has a token, and so needs no XSRF cookie."""
        return self._tokens.find_token_holder(handler) is not None or bool(self._inner.is_token_authenticated(handler))

    def should_check_origin(self, handler: RequestHandler) -> bool:
        """Return whether to check the origin: not for a request with a token."""
        return self._tokens.find_token_holder(handler) is None and bool(self._inner.should_check_origin(handler))


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
