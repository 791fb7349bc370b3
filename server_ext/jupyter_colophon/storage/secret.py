"""The secret that every process of a store shares."""

import secrets

from jupyter_colophon.storage.spi import StorageProvider, TableContext

_NAME = "cursor-key"


def store_key(provider: StorageProvider) -> bytes:
    """The key that signs cursors and seals; the first to ask makes it."""

    def work(tx: TableContext) -> bytes:
        table = tx.table("settings")
        row = table.read((_NAME,))
        if row is None:
            row = {"name": _NAME, "value": secrets.token_bytes(32)}
            table.upsert(row)
        return bytes(row["value"])

    return provider.tx_runner.run(work)
