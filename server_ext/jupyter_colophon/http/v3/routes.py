"""The route table of `/colophon/v3`. Patterns match the path as it was sent, before it is decoded."""

from jupyter_colophon.http.v3 import (
    batch,
    changes,
    entities,
    fields,
    keys,
    lineage,
    metadata,
    runs,
    search,
    streams,
    unknown,
)
from jupyter_colophon.http.v3.base import PREFIX

#: The first that fits: what has words of its own goes before what any entity has.
ROUTES = [
    (f"{PREFIX}/{pattern}/?", handler)
    for module in (search, batch, keys, changes, runs, lineage, fields, streams, metadata, entities, unknown)
    for pattern, handler in module.ROUTES
]
# The door itself is no path either, and its answers are never HTML.
ROUTES.append((PREFIX, unknown.UnknownHandler))
