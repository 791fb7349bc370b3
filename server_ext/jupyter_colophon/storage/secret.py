"""The secret that all processes of a store share."""

import secrets

from jupyter_colophon.storage.spi import StorageProvider, TableContext

_NAME = "cursor-key"


def read_or_create_store_key(provider: StorageProvider) -> bytes:
    """Return the key that signs cursors and seals, creating it on first use."""

    def create_key(tx: TableContext) -> bytes:
        table = tx.get_table("settings")
        row = table.read((_NAME,))
        if row is None:
            row = {"name": _NAME, "value": secrets.token_bytes(32)}
            table.upsert(row)
        return bytes(row["value"])

    return provider.tx_runner.run(create_key)
