"""What stands in the paths of the OpenLineage state, by the name in the route's template."""

from typing import Final

from jupyter_colophon.operations.parameter import Parameter, text

PLACES: Final[dict[str, Parameter[str]]] = {
    one.name: one
    for one in (
        text("namespace", "OpenLineage's namespace, percent-encoded.", place="path", required=True),
        text("name", "OpenLineage's name of a job or a dataset, percent-encoded.", place="path", required=True),
        text("id", "The id of a run, a UUID.", place="path", required=True),
    )
}
