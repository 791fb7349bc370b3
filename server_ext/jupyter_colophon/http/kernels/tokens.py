"""Kernel tokens: 128 random bits, bound to a kernel and the user who started it (spec SEC-16)."""

import secrets
from threading import Lock

from jupyter_server.auth.identity import User

from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.service_token import hash_token
from jupyter_colophon.http.token_holder import TokenEndings, TokenHolder


class KernelTokenRegistry:
    """The tokens of running kernels. Only their hashes are stored."""

    def __init__(self) -> None:
        self._holders: dict[str, TokenHolder] = {}
        self._endings = TokenEndings(
            "the token of the kernel was revoked, because the kernel has ended", lambda digest: digest in self._holders
        )
        self._lock = Lock()

    def issue_token_and_revoke_earlier(
        self, kernel: str, user: User, actor: str, groups: frozenset[str] = frozenset()
    ) -> str:
        """Return a new token for a kernel; an earlier one is revoked."""
        self.revoke_token_and_close_connections(kernel)
        token = secrets.token_urlsafe(16)
        digest = hash_token(token)
        principal = Principal(actor, kernel, KERNEL_ACTIONS, groups)
        with self._lock:
            self._holders[digest] = TokenHolder(digest, user, principal, self._endings)
        return token

    def find_principal_of_kernel(self, kernel: str) -> Principal | None:
        """Return the principal of a kernel; None if it has no token."""
        principals = (holder.principal for holder in self._holders.values())
        return next((principal for principal in principals if principal.via == kernel), None)

    def revoke_token_and_close_connections(self, kernel: str) -> None:
        """End the token of a kernel, and every connection that was opened with it."""
        with self._lock:
            ended = [digest for digest, holder in self._holders.items() if holder.principal.via == kernel]
            self._holders = {digest: holder for digest, holder in self._holders.items() if digest not in ended}
        for digest in ended:
            self._endings.end_connections(digest)

    def find_token_holder(self, token: str) -> TokenHolder | None:
        """Return the holder of a kernel token; None if it is not the token of a running kernel."""
        # Without kernels, nothing is hashed.
        return self._holders.get(hash_token(token)) if self._holders else None

    def __len__(self) -> int:
        """Return the number of kernels with a token."""
        return len(self._holders)
