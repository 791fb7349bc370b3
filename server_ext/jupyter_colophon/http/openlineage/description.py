"""The OpenLineage door's document: made of its route table, and what its handlers declare."""

from functools import cache

from jupyter_colophon.http.openapi import Api, Document
from jupyter_colophon.http.openlineage.parameters import PLACES
from jupyter_colophon.http.openlineage.routes import TEMPLATES


@cache
def document(version: str) -> Document:
    """The document, but for the servers. It is made once, and not to be changed."""
    from jupyter_colophon.core.package_data import load_documents

    return Api(
        title="OpenLineage, by Jupyter Colophon",
        summary="Takes events of OpenLineage, and answers what Marquez answers.",
        templates=TEMPLATES,
        places={name: (one,) for name, one in PLACES.items()},
        answered="application/json",
        refused="application/problem+json",
        problem="problem",
        schemas={"problem": load_documents("api")["problem"]},
    ).document(version)
