"""Read the health of the catalog, also from an unhealthy server."""

from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed


def read_health(operations: Operations) -> Document:
    """Return `Health`, also if the catalog takes no writes (status 503). Raises what `Operations.read_health` raises otherwise."""
    try:
        return operations.read_health()
    except RequestFailed as refusal:
        if refusal.status == 503 and "store" in refusal.problem:
            return refusal.problem
        raise
