"""The door's document: made of its route table, and what its handlers declare."""

from functools import cache

from jupyter_colophon.http.datahub.routes import TEMPLATES
from jupyter_colophon.http.datahub.shapes import ERROR
from jupyter_colophon.http.openapi import Api, Document
from jupyter_colophon.operations.parameter import text

_PLACES = {
    one.name: (one,)
    for one in (
        text("urn", "The URN, percent-encoded or as it is.", place="path", required=True, format="colophon-urn"),
        text("type", "The entity type.", place="path", required=True),
        text("id", "The trace that a write was answered.", place="path", required=True, pattern="^[0-9a-f]{32}$"),
    )
}


@cache
def document(version: str) -> Document:
    """The document, but for the servers. It is made once, and not to be changed."""
    return Api(
        title="DataHub's metadata service, by Jupyter Colophon",
        summary="Proposals, entities and their aspects, as DataHub's clients know them.",
        templates=TEMPLATES,
        places=_PLACES,
        answered="application/json",
        refused="application/json",
        problem=ERROR,
    ).document(version)
