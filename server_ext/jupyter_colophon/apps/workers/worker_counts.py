"""How many worker processes one server runs, for its health and metrics."""

from typing import NamedTuple


class WorkerCounts(NamedTuple):
    """The numbers of all services together: this server's share of the requested processes, and those that run."""

    requested: int = 0
    running: int = 0
    restarts: int = 0
