"""The shared service: a server that serves the catalog alone (docs/how-to/run-a-shared-service.md)."""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from jupyter_colophon.http.service.extension import ServiceExtension

    return [{"module": __name__, "app": ServiceExtension}]
