"""Create, rotate and revoke service tokens. Their callers are administrators."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.errors import AccessDenied, AlreadyExists, InvalidInstance, NotFound, Problem, TooManyTokens
from jupyter_colophon.core.service_token import (
    TOKENS_MAX,
    AcceptedHash,
    ServiceToken,
    generate_service_token,
    hash_token,
)
from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.storage import service_tokens as rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: For how many days a token is valid if the caller does not choose.
DEFAULT_DAYS = 90
_logger = logging.getLogger("jupyter_colophon.service_tokens")


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token that was just created: it is shown once."""

    token: ServiceToken
    secret: str


@dataclass(frozen=True, slots=True)
class ServiceTokenService:
    """The service tokens of a catalog. All methods raise StorageError."""

    provider: StorageProvider
    now: Callable[[], int]

    def list_tokens(self) -> list[ServiceToken]:
        """Return all tokens by name, including expired ones."""
        return self.provider.tx_runner.run(rows.list_service_tokens, read_only=True)

    def read_token(self, name: str) -> ServiceToken:
        """Return a token. Raises NotFound."""
        return self.provider.tx_runner.run(lambda tx: _require_token(tx, name), read_only=True)

    def list_accepted_hashes(self) -> list[AcceptedHash]:
        """Return the hash of every token, and of tokens that a rotation left valid for some time."""
        return self.provider.tx_runner.run(lambda tx: list(rows.list_accepted_hashes(tx)), read_only=True)

    def record_last_uses(self, times: Mapping[str, int]) -> None:
        """Store the times (ms) at which tokens were last used, by their names."""
        self.provider.tx_runner.run(lambda tx: rows.record_last_uses(tx, times))

    def create_token(
        self,
        name: str,
        scopes: Sequence[Action],
        namespaces: Sequence[str] | None,
        days: int | None,
        days_max: int,
        principal: Principal,
    ) -> IssuedToken:
        """Create a token; it cannot permit more than the principal's own.

        Raises AlreadyExists, AccessDenied, TooManyTokens, and InvalidInstance if it would be valid for too long.
        """
        now = self.now()
        token = ServiceToken(
            name=name,
            scopes=tuple(sorted(set(scopes))),
            namespaces=None if namespaces is None else tuple(sorted(set(namespaces))),
            created_by=principal.user,
            created=now,
            expires=now + _choose_days(days, DEFAULT_DAYS, days_max) * DAY_MS,
        )
        _require_own_rights(token, principal)
        secret = generate_service_token()

        def add(tx: TableContext) -> None:
            if rows.find_service_token(tx, name) is not None:
                raise AlreadyExists("service token", name)
            if rows.count_service_tokens(tx) >= TOKENS_MAX:
                raise TooManyTokens(TOKENS_MAX)
            rows.add_service_token(tx, token, hash_token(secret))

        self.provider.tx_runner.run(add)
        _logger.info("the service token %s was created by %s", name, principal.user)
        return IssuedToken(token, secret)

    def rotate_token(
        self, name: str, overlap_s: int, days: int | None, days_max: int, principal: Principal
    ) -> IssuedToken:
        """Replace a token by a new one with the same rights; the earlier one is accepted for some more seconds.

        It is valid for as long as the earlier one was issued for, unless `days` is given. Raises NotFound, AccessDenied,
        and InvalidInstance if it would be valid for too long.
        """
        secret = generate_service_token()

        def replace_token(tx: TableContext) -> ServiceToken:
            token, now = _require_token(tx, name), self.now()
            _require_own_rights(token, principal)
            expires = now + _choose_days(days, max(1, token.lifetime_ms // DAY_MS), days_max) * DAY_MS
            overlap_end = min(now + overlap_s * 1000, token.expires) if overlap_s else None
            rotated = replace(token, rotated=now, expires=expires, previous_expires=overlap_end)
            rows.replace_hash(tx, rotated, hash_token(secret))
            return rotated

        rotated = self.provider.tx_runner.run(replace_token)
        _logger.info("the service token %s was rotated by %s", name, principal.user)
        return IssuedToken(rotated, secret)

    def revoke_token(self, name: str, principal: Principal) -> ServiceToken:
        """End a token, also the one before a rotation; return it. Raises NotFound."""

        def delete(tx: TableContext) -> ServiceToken:
            token = _require_token(tx, name)
            rows.delete_service_token(tx, name)
            return token

        token = self.provider.tx_runner.run(delete)
        _logger.info("the service token %s was revoked by %s", name, principal.user)
        return token


def _require_token(tx: TableContext, name: str) -> ServiceToken:
    token = rows.find_service_token(tx, name)
    if token is None:
        raise NotFound("service token", name)
    return token


def _require_own_rights(token: ServiceToken, principal: Principal) -> None:
    if not principal.has_all_rights_of_token(token.principal):
        raise AccessDenied("issue", f"the service token {token.name}, which permits more than your own token")


def _choose_days(days: int | None, default: int, days_max: int) -> int:
    """Return for how many days a token is valid. Raises InvalidInstance."""
    if days is None:
        return min(default, days_max)
    if days > days_max:
        message = f"must be at most {days_max} (c.Colophon.service_token_max_days)"
        raise InvalidInstance("the service token", (Problem("/expiresInDays", message),))
    return days
