"""The native API's route table."""

import re

from jupyter_colophon.http.native import (
    changes,
    entities,
    instances,
    leftovers,
    lineage,
    lineage_questions,
    loads,
    openapi,
    pipelines,
    proposals,
    schemaspaces,
    search,
    service,
    transfer,
    unknown,
)

PREFIX = "/colophon/api"

#: Templates and their handlers, such as `/runs/{urn}`: what the API's document is made of.
TEMPLATES = [
    route
    for module in (
        service,
        openapi,
        entities,
        proposals,
        loads,
        search,
        lineage,
        lineage_questions,
        changes,
        transfer,
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
