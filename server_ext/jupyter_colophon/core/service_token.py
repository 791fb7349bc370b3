"""Service tokens: the accounts of programs, such as OpenLineage clients, crawlers and CI (docs/how-to/connect-a-program.md)."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.documents.members import Time

#: What every service token begins with, so that scanners of repositories and logs recognise it.
TOKEN_PREFIX: Final = "colophon_"  # noqa: S105  not a token
#: What the user of a service token is called: this prefix and the token's name.
ACCOUNT_PREFIX: Final = "service:"
#: The random part of a token, in bytes.
_TOKEN_BYTES: Final = 32
_ID_LENGTH: Final = 12
#: How many tokens a catalog has at most: every process keeps all of them in memory.
TOKENS_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class ServiceToken:
    """What is known of a token; the token itself is not stored."""

    name: str
    scopes: tuple[Action, ...]
    #: The only namespaces that it gives access to; None for all.
    namespaces: tuple[str, ...] | None
    created_by: str
    created: Time
    expires: Time
    rotated: Time | None = None
    #: Until when the token before the last rotation is accepted; None if it ended with the rotation.
    previous_expires: Time | None = None
    last_used: Time | None = None

    @property
    def id(self) -> str:
        """What distinguishes it from an earlier token of the same name; a rotation leaves it unchanged."""
        return hash_token(f"{self.name} {self.created}")[:_ID_LENGTH]

    @property
    def principal(self) -> Principal:
        """The principal of requests with this token."""
        account = f"{ACCOUNT_PREFIX}{self.name}"
        namespaces = None if self.namespaces is None else frozenset(self.namespaces)
        return Principal(account, account, frozenset(self.scopes), namespaces=namespaces, token=self.id)

    @property
    def lifetime_ms(self) -> int:
        """For how long it was issued, in milliseconds."""
        return self.expires - (self.rotated or self.created)


@dataclass(frozen=True, slots=True)
class AcceptedHash:
    """The hash of a token that is accepted until a time (ms)."""

    hash: str
    expires: int
    token: ServiceToken


def is_service_account(principal: Principal) -> bool:
    """Return whether the principal is the account of a service token."""
    return principal.via is not None and principal.via.startswith(ACCOUNT_PREFIX)


def generate_service_token() -> str:
    """Return a new token, with 256 random bits."""
    return f"{TOKEN_PREFIX}{secrets.token_urlsafe(_TOKEN_BYTES)}"


def hash_token(token: str) -> str:
    """Return the hash by which a token is stored and found. A random token needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
