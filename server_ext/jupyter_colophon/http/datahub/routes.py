"""The route table of `/colophon/datahub`. Patterns match the path as it was sent, before it is decoded."""

import re

from jupyter_colophon.http.datahub import (
    aspects,
    entities,
    openapi,
    operations,
    relationships,
    runs,
    scroll,
    service,
    trace,
    unknown,
    v3,
)
from jupyter_colophon.http.datahub.base import PREFIX

#: Templates and their handlers, the first that fits: what has a name goes before what any type of entity has.
TEMPLATES = [
    route
    for module in (service, aspects, entities, runs, operations, trace, relationships, scroll, v3, openapi)
    for route in module.ROUTES
]


def _pattern(template: str) -> str:
    """Clients end paths with a slash or not; a URN may hold some."""
    inner = re.sub(r"\\\{[a-z]+\\\}", "([^/]+)", re.escape(template).replace(r"\{urn\}", "(.+)"))
    return f"{PREFIX}{inner}" if template.endswith("{urn}") else f"{PREFIX}{inner}/?"


ROUTES = [(_pattern(template), handler) for template, handler in TEMPLATES]
ROUTES += [(PREFIX + pattern, handler) for pattern, handler in unknown.ROUTES]
