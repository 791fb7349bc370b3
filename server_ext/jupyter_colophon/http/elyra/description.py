"""The Elyra door's document: made of its route table, and what its handlers declare."""

from functools import cache

from jupyter_colophon.http.elyra import instances, schemaspaces, shapes
from jupyter_colophon.http.elyra.base import JSON
from jupyter_colophon.http.openapi import Api, Document
from jupyter_colophon.operations.shared_parameters import PLACES


@cache
def document(version: str) -> Document:
    """The document, but for the servers. It is made once, and not to be changed."""
    return Api(
        title="Elyra's metadata service, by Jupyter Colophon",
        summary="Schemaspaces, their schemas, and instances of them.",
        templates=[*schemaspaces.ROUTES, *instances.ROUTES],
        places={name: (one,) for name, one in PLACES.items()},
        answered=JSON,
        refused="application/json",
        problem=shapes.ERROR,
    ).document(version)
