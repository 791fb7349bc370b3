"""Service tokens as this server knows them: read from the store at most every half second, so that a token that any
process revokes ends everywhere within a second (spec SEC-24).
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

from jupyter_server.auth.identity import User

from jupyter_colophon.core.errors import InvalidServiceToken, StorageError
from jupyter_colophon.core.service_token import AcceptedHash, hash_token
from jupyter_colophon.http.token_holder import TokenEndings, TokenHolder
from jupyter_colophon.system.worker import Backoff, Worker

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

#: For how many seconds the tokens that were read are used.
FRESH_S: Final = 0.4
#: How often the times of last use are stored, in seconds.
_STORE_USES_S: Final = 60.0
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(frozen=True, slots=True)
class _AcceptedToken:
    holder: TokenHolder
    name: str
    #: Time in ms since 1970.
    expires: int


class ServiceTokenRegistry:
    """The service tokens that are valid now."""

    def __init__(self, get_catalog: "Callable[[], Catalog]") -> None:
        self._get_catalog = get_catalog
        self._accepted: Mapping[str, _AcceptedToken] = {}
        #: When they were read (monotonic), and the read that requests wait for.
        self._read_at = float("-inf")
        self._reading: asyncio.Future[None] | None = None
        self._read_lock = Lock()
        self._endings = TokenEndings(
            "the service token was revoked, or has expired",
            lambda digest: self._find_accepted(digest) is not None,
            self._run_worker_now,
        )
        #: The times (ms) of last use that are not stored yet, by name.
        self._uses: dict[str, int] = {}
        self._uses_stored_at = float("-inf")
        self._worker = Worker(
            "colophon-service-tokens",
            self._check_connections_and_store_uses,
            _logger,
            "service tokens",
            backoff=Backoff(FRESH_S, 5 * FRESH_S),
            unavailable=(StorageError,),
            finish=self._store_remaining_uses,
        )

    async def require_token_holder(self, token: str) -> TokenHolder:
        """Return the holder of a service token. Raises InvalidServiceToken, StorageError."""
        # The hash of an unknown token is looked up like that of a known one, so the time reveals nothing.
        digest = hash_token(token)
        if time.monotonic() - self._read_at > FRESH_S:
            await self._read_once_for_all_requests()
        accepted = self._find_accepted(digest)
        if accepted is None:
            raise InvalidServiceToken
        self._uses[accepted.name] = _read_time_ms()
        self._worker.start()
        return accepted.holder

    def close(self) -> None:
        """Store the times of last use, and end the thread."""
        self._worker.close()

    async def _read_once_for_all_requests(self) -> None:
        if self._reading is None:
            # Not on the threads of requests, which one user may occupy.
            self._reading = asyncio.get_running_loop().run_in_executor(None, self._read_tokens)
            self._reading.add_done_callback(self._on_read)
        await asyncio.shield(self._reading)

    def _on_read(self, reading: "asyncio.Future[None]") -> None:
        self._reading = None
        if not reading.cancelled():
            # Requests raise the error; without any left, it is not an unhandled one.
            reading.exception()

    def _find_accepted(self, digest: str) -> _AcceptedToken | None:
        accepted = self._accepted.get(digest)
        return accepted if accepted is not None and _read_time_ms() < accepted.expires else None

    def _read_tokens(self) -> None:
        with self._read_lock:
            began = time.monotonic()
            hashes = self._get_catalog().service_tokens.list_accepted_hashes()
            self._accepted = {item.hash: self._create_accepted_token(item) for item in hashes}
            self._read_at = began
        for digest in self._endings.list_digests():
            if self._find_accepted(digest) is None:
                self._endings.end_connections(digest)

    def _create_accepted_token(self, item: AcceptedHash) -> _AcceptedToken:
        known = self._accepted.get(item.hash)
        if known is not None and known.expires == item.expires:
            return known
        principal = item.token.principal
        user = User(principal.user, name=item.token.name, display_name=principal.user)
        return _AcceptedToken(TokenHolder(item.hash, user, principal, self._endings), item.token.name, item.expires)

    def _run_worker_now(self) -> None:
        self._worker.start()
        self._worker.wake()

    def _check_connections_and_store_uses(self) -> float:
        """End the connections of tokens that were revoked or have expired; store times of last use once a minute."""
        if self._endings:
            self._read_tokens()
        wait_s = self._uses_stored_at + _STORE_USES_S - time.monotonic()
        if self._uses and wait_s <= 0:
            self._store_uses()
        if self._endings:
            return FRESH_S
        return max(wait_s, FRESH_S) if self._uses else Worker.DONE

    def _store_uses(self) -> None:
        uses, self._uses = self._uses, {}
        self._uses_stored_at = time.monotonic()
        if uses:
            try:
                self._get_catalog().service_tokens.record_last_uses(uses)
            except StorageError:
                self._uses = uses | self._uses
                raise

    def _store_remaining_uses(self) -> None:
        # Without the store, they are lost.
        with suppress(StorageError):
            self._store_uses()


def _read_time_ms() -> int:
    return time.time_ns() // 1_000_000
