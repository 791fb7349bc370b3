"""The route tables of all doors, in the order in which they are looked at. Importing this loads every handler."""

from jupyter_colophon.http.datahub.routes import ROUTES as DATAHUB
from jupyter_colophon.http.elyra.routes import ROUTES as ELYRA
from jupyter_colophon.http.native.routes import ROUTES as NATIVE
from jupyter_colophon.http.openlineage.routes import ROUTES as OPENLINEAGE
from jupyter_colophon.http.v3.routes import ROUTES as V3


def routes(*, elyra: bool) -> list[tuple[str, type]]:
    """Every route of a server; `elyra` says whether it opens the Elyra door."""
    # OpenLineage's is below DataHub's, too.
    return [*NATIVE, *V3, *OPENLINEAGE, *DATAHUB, *(ELYRA if elyra else [])]
