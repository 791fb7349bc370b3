"""Measure what the extension adds to start and memory of a Jupyter server, before the first request and after a write."""

from collections.abc import Iterator
from urllib.parse import quote

from jupyter_colophon.core.identity.names import make_home_dataset_urn
from serving import Server, start_server

ROUNDS = 7
_PATH = (
    f"/colophon/api/entities/{quote(str(make_home_dataset_urn('default', 'first')), safe='')}/aspects/technicalMetadata"
)


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    # The first start compiles the package to bytecode, as an installation does.
    _measure_start("jupyter_colophon")
    ours, other = [], []
    for _ in range(ROUNDS):
        ours.append(_measure_start("jupyter_colophon"))
        other.append(_measure_start())
    mine, theirs = (tuple(map(min, zip(*figures, strict=True))) for figures in (ours, other))
    for at, what in ((0, "start of a server, s"), (1, "start of a server, CPU s")):
        yield (
            what,
            f"{mine[at]:.2f}",
            f"{theirs[at]:.2f} (without the extension)",
            f"{(mine[at] - theirs[at]) * 1000:+.0f} ms",
            "<= 150 ms",
        )
    for at, when, goal in ((2, "before the first request", 30), (3, "after the first write", 60)):
        added = mine[at] - theirs[at]
        yield f"memory {when}, MB", f"{mine[at]:.0f}", f"{theirs[at]:.0f}", f"+{added:.1f} MB", f"<= {goal} MB"


def _measure_start(*extensions: str) -> tuple[float, float, float, float]:
    """Return wall and CPU seconds until the server answers, its memory in MB then, and after a write if one is
    possible.
    """
    with start_server(*extensions) as server:
        spent, before = server.read_cpu_ms() / 1000, server.read_memory_mb()
        if extensions:
            _write_entity(server)
        return server.taken, spent, before, server.read_memory_mb()


def _write_entity(server: Server) -> None:
    with server.open_client() as client:
        client.request("PUT", _PATH, {"properties": {"format": "parquet"}, "tags": []})
