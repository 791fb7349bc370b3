"""The native API's route table."""

import re

from jupyter_colophon.http.native import (
    changes,
    entities,
    export_import,
    health,
    instances,
    leftovers,
    lineage,
    lineage_queries,
    loads,
    openapi,
    pipelines,
    proposals,
    schemaspaces,
    search,
    unknown,
)

PREFIX = "/colophon/api"

#: Templates and their handlers, such as `/runs/{urn}`: what the API's document is made of.
TEMPLATES = [
    route
    for module in (
        health,
        openapi,
        entities,
        proposals,
        loads,
        search,
        lineage,
        lineage_queries,
        changes,
        export_import,
        schemaspaces,
        instances,
        leftovers,
        pipelines,
    )
    for route in module.ROUTES
]


def _pattern(template: str) -> str:
    return PREFIX + re.sub(r"\\\{[a-z]+\\\}", "([^/]+)", re.escape(template))


ROUTES = [(_pattern(template), handler) for template, handler in TEMPLATES]
ROUTES += [(PREFIX + pattern, handler) for pattern, handler in unknown.ROUTES]
