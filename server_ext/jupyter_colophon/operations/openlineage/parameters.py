"""The parameters in the paths of the OpenLineage API."""

from typing import Final

from jupyter_colophon.operations.parameter import declare_text

PATH_PARAMETERS: Final = (
    declare_text("namespace", "OpenLineage's namespace, percent-encoded.", place="path", required=True),
    declare_text("name", "OpenLineage's name of a job or a dataset, percent-encoded.", place="path", required=True),
    declare_text("id", "The id of a run, a UUID.", place="path", required=True),
)
