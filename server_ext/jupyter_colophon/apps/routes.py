"""The routes of an application: which handler serves a method and a path."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.apps.service import Handler, ServiceKind
from jupyter_colophon.core.access import Permission
from jupyter_colophon.core.errors import MethodNotAllowed, NotFound
from jupyter_colophon.storage.system_apps import CONTEXT

_PARAMETER: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_LITERAL: Final = re.compile(r"[A-Za-z0-9._~-]+")
_SERVICE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Route:
    """A handler with its limits. `segments` are those of the path template."""

    service: str
    method: str
    segments: tuple[str, ...]
    handler: Handler
    permission: Permission
    timeout_s: float
    max_body_bytes: int | None
    kind: ServiceKind = "service"

    @property
    def has_context(self) -> bool:
        """Return whether the path names a namespace."""
        return f"{{{CONTEXT}}}" in self.segments

    @property
    def shape(self) -> tuple[str, ...]:
        """Return the template without the names of its parameters."""
        return tuple("{}" if segment.startswith("{") else segment for segment in self.segments)

    def match_path(self, segments: Sequence[str]) -> dict[str, str] | None:
        """Return the parameters in a path; None if it does not match."""
        if len(segments) != len(self.segments):
            return None
        parameters = {}
        for template, segment in zip(self.segments, segments, strict=True):
            if template.startswith("{"):
                if not segment:
                    return None
                parameters[template[1:-1]] = segment
            elif template != segment:
                return None
        return parameters


def parse_path_template(template: str) -> tuple[str, ...]:
    """Return the segments of a template such as `/v2/contexts/{context}/connections`. Raises ValueError."""
    begin, *segments = template.split("/")
    if begin or not segments:
        raise ValueError(f"the path {template!r} must begin with /")
    names = []
    for segment in segments:
        if parameter := _PARAMETER.fullmatch(segment):
            names.append(parameter[1])
        elif not _LITERAL.fullmatch(segment):
            raise ValueError(
                f"the path {template!r} has the segment {segment!r}: use letters, digits, or one {{parameter}}"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"the path {template!r} has a repeated parameter")
    return tuple(segments)


def require_valid_service_name(service: str) -> None:
    """Raise ValueError unless this is a valid name of a service."""
    if not _SERVICE.fullmatch(service):
        raise ValueError(f"{service!r} is not a valid name of a service: use letters, digits, _ and -")


@dataclass(frozen=True, slots=True)
class RouteTable:
    """All routes of an application. The first one that matches is used."""

    routes: tuple[Route, ...] = ()
    #: Other names of services.
    aliases: Mapping[str, str] = field(default_factory=dict)
    _by_service: Mapping[str, list[Route]] = field(default_factory=dict)

    @classmethod
    def from_routes(cls, routes: Iterable[Route], aliases: Mapping[str, str]) -> "RouteTable":
        """Create a table from routes, and other names of services."""
        all_routes, by_service = tuple(routes), dict[str, list[Route]]()
        for route in all_routes:
            by_service.setdefault(route.service, []).append(route)
        return cls(all_routes, aliases, by_service)

    @property
    def services(self) -> dict[str, ServiceKind]:
        """The kinds of the services by their names."""
        return {name: routes[0].kind for name, routes in self._by_service.items()}

    def find_service(self, name: str, kind: ServiceKind | None = None) -> str:
        """Return the name of a service, given that or another one. Raises NotFound, also for another kind."""
        service = self.aliases.get(name, name) if name not in self._by_service else name
        if service not in self._by_service or kind not in (None, self._by_service[service][0].kind):
            raise NotFound("service", name)
        return service

    def find_route(
        self, service: str, method: str, segments: Sequence[str], kind: ServiceKind = "service"
    ) -> tuple[Route, dict[str, str]]:
        """Return the route of a request, and the parameters in its path. Raises NotFound, MethodNotAllowed."""
        allowed = []
        for route in self._by_service[self.find_service(service, kind)]:
            parameters = route.match_path(segments)
            if parameters is not None and route.method == method:
                return route, parameters
            if parameters is not None:
                allowed.append(route.method)
        path = "/" + "/".join(segments)
        if allowed:
            raise MethodNotAllowed(path, tuple(dict.fromkeys(allowed)))
        raise NotFound("path", path)
