"""The native API's document: made of its route table, what its handlers declare, and `schemas/api`."""

from functools import cache

from jupyter_colophon.http.native.routes import TEMPLATES
from jupyter_colophon.http.openapi import Api, Document
from jupyter_colophon.operations.shared_parameters import PLACES, URN_INSTEAD


@cache
def document(version: str) -> Document:
    """The document, but for the servers. It is made once, and not to be changed."""
    from jupyter_colophon.core.package_data import load_documents

    places = {name: (one, URN_INSTEAD) if name == "urn" else (one,) for name, one in PLACES.items()}
    return Api(
        title="Jupyter Colophon",
        summary="Describe, find, trace and govern data without leaving the notebook.",
        templates=TEMPLATES,
        places=places,
        answered="application/json",
        refused="application/problem+json",
        problem="problem",
        schemas=load_documents("api"),
    ).document(version)
