"""What the extension adds to the start and the memory of a Jupyter server, before the first request and after a write."""

from collections.abc import Iterator
from urllib.parse import quote

from jupyter_colophon.core.identity.names import home_dataset
from serving import Server, serving

ROUNDS = 7
_PATH = f"/colophon/api/entities/{quote(str(home_dataset('default', 'first')), safe='')}/aspects/technicalMetadata"


def rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    # The first start compiles the package to bytecode, as an installation does.
    _start("jupyter_colophon")
    ours, other = [], []
    for _ in range(ROUNDS):
        ours.append(_start("jupyter_colophon"))
        other.append(_start())
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


def _start(*extensions: str) -> tuple[float, float, float, float]:
    """Seconds and CPU seconds until the server answers; its memory in MB then, and after a write where one is possible."""
    with serving(*extensions) as server:
        spent, before = server.cpu_ms() / 1000, server.memory_mb()
        if extensions:
            _write(server)
        return server.taken, spent, before, server.memory_mb()


def _write(server: Server) -> None:
    with server.client() as client:
        client.ask("PUT", _PATH, {"properties": {"format": "parquet"}, "tags": []})
