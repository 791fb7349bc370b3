"""Whose instances are meant: those of this machine, or of a server (`--url`, or `COLOPHON_URL` outside of kernels)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jupyter_colophon.cli.instances.instances_protocol import Source
from jupyter_colophon.settings import Settings

if TYPE_CHECKING:
    from jupyter_colophon.client.transport import Server


@contextmanager
def source_of(url: str | None, settings: Settings) -> Iterator[Source]:
    """The source, open. An empty `url` is this machine, None leaves it to the environment. Raises InvalidConfiguration."""
    source = _opened(server_of(url), settings)
    try:
        yield source
    finally:
        source.close()


def server_of(url: str | None) -> "Server | None":
    """The server that is meant; None where it is this machine. Raises InvalidConfiguration."""
    chosen = _chosen(url, os.environ)
    if not chosen:
        return None
    from jupyter_colophon.cli.servers import server_at

    return server_at(chosen, _token(chosen, os.environ))


def _opened(server: "Server | None", settings: Settings) -> Source:
    if server is None:
        from jupyter_colophon.cli.instances.local import Local

        return Local(settings)
    from jupyter_colophon.cli.instances.remote import Remote

    return Remote(server)


def _chosen(url: str | None, environ: Mapping[str, str]) -> str:
    if url is not None:
        return url
    # A kernel's token may change no instance; what runs in a kernel is on the machine anyway.
    return "" if environ.get("COLOPHON_KERNEL") else environ.get("COLOPHON_URL", "")


def _token(url: str, environ: Mapping[str, str]) -> str:
    """The environment's token where it is meant for this server: no other one may see it."""
    meant = environ.get("COLOPHON_URL") or url
    return environ.get("COLOPHON_TOKEN", "") if meant.rstrip("/") == url.rstrip("/") else ""
