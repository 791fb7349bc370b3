"""Which servers run worker processes of system applications, so that they share the requested number.

Each server increments a heartbeat in its rows. A server that observes the same heartbeat for a time, by its own monotonic
clock, deletes the row: clocks of two machines are never compared.
"""

from typing import Final, NamedTuple

from jupyter_colophon.storage.spi import Range, TableContext, TableSpec

SYSTEM_APP_WORKERS: Final = TableSpec(
    "system_app_workers",
    {"app": "string", "service": "string", "server": "string", "heartbeat": "long", "running": "int"},
    ("app", "service", "server"),
)


class ServerWorkers(NamedTuple):
    """How many processes of a service one server runs."""

    server: str
    heartbeat: int
    running: int


def record_running_workers(tx: TableContext, app: str, service: str, server: str, running: int) -> None:
    """Record how many processes of a service run in this server, with the next heartbeat."""
    table, key = tx.get_table(SYSTEM_APP_WORKERS.id), (app, service, server)
    table.increment(key, "heartbeat", 1)
    table.upsert({"app": app, "service": service, "server": server, "running": running})


def list_servers_of_service(tx: TableContext, app: str, service: str) -> list[ServerWorkers]:
    """Return the servers with processes of a service, by their ids."""
    rows = tx.get_table(SYSTEM_APP_WORKERS.id).scan(Range.prefix(app, service))
    return [ServerWorkers(row["server"], row["heartbeat"], row["running"] or 0) for row in rows]


def count_running_workers(tx: TableContext, app: str, service: str) -> int:
    """Return how many processes of a service run in all servers."""
    return sum(one.running for one in list_servers_of_service(tx, app, service))


def delete_server_of_service(tx: TableContext, app: str, service: str, server: str) -> None:
    """Delete the row of a server that has ended, or runs the service no longer."""
    tx.get_table(SYSTEM_APP_WORKERS.id).delete((app, service, server))
