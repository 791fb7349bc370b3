"""The OpenLineage door's route table; DataHub's users know the same below the GMS."""

import re

from jupyter_colophon.http.openlineage import lineage, marquez, openapi
from jupyter_colophon.http.openlineage.unknown import UnknownHandler

PREFIX = "/colophon/openlineage"
GMS_PREFIX = "/colophon/datahub/openapi/openlineage"

#: Templates and their handlers: what the door's document is made of.
TEMPLATES = [*lineage.ROUTES, *marquez.ROUTES, *openapi.ROUTES]


def _pattern(prefix: str, template: str) -> str:
    return prefix + re.sub(r"\\\{[a-z]+\\\}", "([^/]+)", re.escape(template)) + "/?"


ROUTES: list[tuple[str, type]] = [
    (_pattern(prefix, template), handler) for prefix in (PREFIX, GMS_PREFIX) for template, handler in TEMPLATES
]
ROUTES.append((f"{PREFIX}(?:/.*)?", UnknownHandler))
