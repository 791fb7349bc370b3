"""The servers of connections: only those that the operator of the server permits, so that users reach no others by it."""

import os
from collections.abc import Iterable
from typing import Final

from jupyter_colophon.apps import BadRequest

#: The environment variable with the permitted servers, `host` or `host:port`, separated by commas; without it none.
VARIABLE: Final = "COLOPHON_DATAPREP_HOSTS"


def require_permitted_hosts(places: Iterable[tuple[str, int]]) -> None:
    """Raise BadRequest unless each host and port is permitted."""
    permitted = {text.strip().lower() for text in os.environ.get(VARIABLE, "").split(",") if text.strip()}
    if not permitted:
        raise BadRequest(f"no host is permitted: set the environment variable {VARIABLE} of the server")
    for host, port in places:
        if not {host.lower(), f"{host.lower()}:{port}"} & permitted:
            raise BadRequest(f"the host {host}:{port} is not a permitted one ({VARIABLE})")
