"""What is published of a workspace: where its sample was read, its recipe, and the columns of the result."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.namespace_directives import find_used_directives
from jupyter_colophon.apps.dataprep.recipes import run_recipe
from jupyter_colophon.apps.dataprep.workspaces import read_workspace

#: Columns of other types are JSON texts.
_TYPES: Final = frozenset({"string", "integer", "double", "boolean", "date", "timestamp"})


@dataclass(frozen=True, slots=True)
class Published:
    """A workspace, as it is published."""

    name: str
    source: Mapping[str, Any]
    recipe: str
    #: The types of the columns of the result.
    columns: dict[str, str]
    #: The directives of artifacts that the recipe uses, each in the version that the sample was made with.
    directives: list[str]
    #: How many rows of the sample the recipe rejects.
    rejected_count: int


def read_for_publishing(context: ServiceContext, request: ServiceRequest) -> Published:
    """Return what is published of a workspace. Raises NotFound, BadRequest."""
    workspace = request.path["workspace"]
    row, recipe = read_workspace(context, workspace)
    source = json.loads(row["source"])
    if not source:
        raise BadRequest("the rows of the workspace were given: only one with a connection can be published")
    page = run_recipe(context, workspace, recipe, kind="rows", offset=0, limit=1)
    types = {column["name"]: column["type"] for column in page["columns"]}
    if not types:
        raise BadRequest("the result of the recipe has no columns")
    columns = {name: type_ if type_ in _TYPES else "string" for name, type_ in types.items()}
    directives = [directive.full_name for directive in find_used_directives(context, recipe)]
    return Published(row["name"], source, recipe, columns, directives, page["rejectedCount"])
