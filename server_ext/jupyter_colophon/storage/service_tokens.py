"""Store service tokens: their rights, and the hashes of the tokens themselves."""

import json
from collections.abc import Iterator, Mapping

from jupyter_colophon.core.service_token import AcceptedHash, ServiceToken
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

#: `scopes` and `namespaces` are JSON; `previous_hash` is that of the token before the last rotation while it is accepted.
SERVICE_TOKENS = TableSpec(
    "service_tokens",
    {
        "name": "string",
        "hash": "string",
        "previous_hash": "string",
        "previous_expires": "long",
        "scopes": "string",
        "namespaces": "string",
        "created_by": "string",
        "created": "long",
        "expires": "long",
        "rotated": "long",
        "last_used": "long",
    },
    ("name",),
)
_TABLE = SERVICE_TOKENS.id


def list_service_tokens(tx: TableContext) -> list[ServiceToken]:
    """Return all tokens by name, including expired ones."""
    return [_parse_row(row) for row in tx.get_table(_TABLE).scan(Range())]


def list_accepted_hashes(tx: TableContext) -> Iterator[AcceptedHash]:
    """Yield the hash of every token, and of tokens that a rotation left valid for some time."""
    for row in tx.get_table(_TABLE).scan(Range()):
        token = _parse_row(row)
        yield AcceptedHash(row["hash"], token.expires, token)
        if row["previous_hash"] is not None and token.previous_expires is not None:
            yield AcceptedHash(row["previous_hash"], token.previous_expires, token)


def find_service_token(tx: TableContext, name: str) -> ServiceToken | None:
    """Return a token; None if there is no such token."""
    row = tx.get_table(_TABLE).read((name,))
    return None if row is None else _parse_row(row)


def count_service_tokens(tx: TableContext) -> int:
    """Return the number of tokens."""
    return tx.get_table(_TABLE).count()


def add_service_token(tx: TableContext, token: ServiceToken, hash_: str) -> None:
    """Add a token."""
    tx.get_table(_TABLE).upsert(
        {
            "name": token.name,
            "hash": hash_,
            "scopes": json.dumps(token.scopes),
            "namespaces": None if token.namespaces is None else json.dumps(token.namespaces),
            "created_by": token.created_by,
            "created": token.created,
            "expires": token.expires,
        }
    )


def replace_hash(tx: TableContext, rotated: ServiceToken, hash_: str) -> None:
    """Store the hash of a rotated token; the earlier one is kept if the token has a time until which it is accepted."""
    table = tx.get_table(_TABLE)
    row = table.read((rotated.name,), ("hash",))
    is_kept = rotated.previous_expires is not None and row is not None
    table.update(
        {
            "name": rotated.name,
            "hash": hash_,
            "previous_hash": row["hash"] if is_kept and row is not None else None,
            "previous_expires": rotated.previous_expires,
            "expires": rotated.expires,
            "rotated": rotated.rotated,
        }
    )


def record_last_uses(tx: TableContext, times: Mapping[str, int]) -> None:
    """Store the times (ms) at which tokens were last used; an earlier time and a revoked token change nothing."""
    table = tx.get_table(_TABLE)
    for row in table.read_many([(name,) for name in times]):
        if times[row["name"]] > (row["last_used"] or 0):
            table.update({"name": row["name"], "last_used": times[row["name"]]})


def delete_service_token(tx: TableContext, name: str) -> None:
    """Delete a token with its hashes."""
    tx.get_table(_TABLE).delete((name,))


def _parse_row(row: Row) -> ServiceToken:
    return ServiceToken(
        name=row["name"],
        scopes=tuple(json.loads(row["scopes"])),
        namespaces=None if row["namespaces"] is None else tuple(json.loads(row["namespaces"])),
        created_by=row["created_by"],
        created=row["created"],
        expires=row["expires"],
        rotated=row["rotated"],
        previous_expires=row["previous_expires"],
        last_used=row["last_used"],
    )
