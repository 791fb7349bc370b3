"""What administrators see of the services of an application."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jupyter_colophon.apps.service import ServiceKind


@dataclass(frozen=True, slots=True)
class ServiceDetails:
    """A service, and its processes in all servers. `requested` is None for one that runs on threads of each server."""

    name: str
    kind: ServiceKind
    requested: int | None
    running: int


def list_services(
    kinds: Mapping[str, ServiceKind], instances: Mapping[str, int], count_running: Callable[[str], int]
) -> tuple[ServiceDetails, ...]:
    """Return the services of an application by name, given the numbers that were requested."""
    return tuple(
        ServiceDetails(name, kind, instances.get(name, 1 if kind == "spark" else None), count_running(name))
        for name, kind in sorted(kinds.items())
    )
