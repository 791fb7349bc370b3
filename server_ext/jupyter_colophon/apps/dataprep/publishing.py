"""Make a notebook cell or a pipeline of a workspace. Neither is stored: the client inserts the cell, or saves the pipeline."""

import json
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.namespace_directives import find_used_directives
from jupyter_colophon.apps.dataprep.recipes import run_recipe
from jupyter_colophon.apps.dataprep.spark_sources import describe_source_stage, write_spark_read
from jupyter_colophon.apps.dataprep.workspaces import read_workspace
from jupyter_colophon.apps.shipped.bodies import get_query_text

_LIBRARIES: Final = ("pandas", "pyspark")
_FUNCTION: Final = "from jupyter_colophon.wrangling import apply_recipe_to_dataframe"
#: Columns of other types are JSON texts.
_TYPES: Final = frozenset({"string", "integer", "double", "boolean", "date", "timestamp"})


def get_cell(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return Python code that reads the source with `library`, pandas or pyspark, and applies the recipe. Raises BadRequest."""
    library = get_query_text(request, "library", "pandas")
    if library not in _LIBRARIES:
        raise BadRequest(f"the query parameter library must be one of {', '.join(_LIBRARIES)}")
    source, recipe, columns = _read_for_publishing(context, request)
    read = _write_pandas_code(source) if library == "pandas" else _write_spark_code(context, request, source)
    directives = _list_directives(context, recipe)
    load = f"directives = metadata.load_directives({context.namespace!r}, {', '.join(map(repr, directives))})"
    lines = [
        *(["from jupyter_colophon import metadata"] if directives else []),
        *read,
        "recipe = [",
        *(f"    {line!r}," for line in recipe.splitlines()),
        "]",
        f"columns = {columns!r}",
        *([load] if directives else []),
        f'data = apply_recipe_to_dataframe(data, "\\n".join(recipe), columns{", directives=directives" if directives else ""})',
        "data" if library == "pandas" else "data.show()",
    ]
    return {"source": "\n".join(lines)}


def get_pipeline(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a pipeline that reads the source, applies the recipe, and writes to the path `sink`. Raises BadRequest."""
    sink = get_query_text(request, "sink")
    if not sink.strip():
        raise BadRequest("the query parameter sink is missing: the folder that the pipeline writes")
    source, recipe, columns = _read_for_publishing(context, request)
    row, _ = read_workspace(context, request.path["workspace"])
    plugin, read, arguments = describe_source_stage(context, request, source)
    directives = _list_directives(context, recipe)
    stages = [
        {"name": "source", "type": "source", "plugin": plugin, "properties": read},
        {
            "name": "wrangle",
            "type": "transform",
            "plugin": "wrangle",
            "properties": {
                "recipe": recipe.replace("${", "$${"),
                "columns": columns,
                **({"directives": directives} if directives else {}),
            },
        },
        {"name": "sink", "type": "sink", "plugin": "file", "properties": {"path": "${sink}", "mode": "overwrite"}},
    ]
    metadata = {
        "namespace": context.namespace,
        "stages": stages,
        "connections": [{"from": "source", "to": "wrangle"}, {"from": "wrangle", "to": "sink"}],
        "arguments": {**arguments, "sink": sink},
    }
    return {"display_name": row["name"], "schema_name": "pipeline", "metadata": metadata}


def _read_for_publishing(
    context: ServiceContext, request: ServiceRequest
) -> tuple[Mapping[str, Any], str, dict[str, str]]:
    """Return the source, the recipe and the columns of the result with their types. Raises NotFound, BadRequest."""
    workspace = request.path["workspace"]
    row, recipe = read_workspace(context, workspace)
    source = json.loads(row["source"])
    if not source:
        raise BadRequest("the rows of the workspace were given: only one with a connection can be published")
    page = run_recipe(context, workspace, recipe, kind="rows", offset=0, limit=1)
    types = {column["name"]: column["type"] for column in page["columns"]}
    if not types:
        raise BadRequest("the result of the recipe has no columns")
    return source, recipe, {name: type_ if type_ in _TYPES else "string" for name, type_ in types.items()}


def _list_directives(context: ServiceContext, recipe: str) -> list[str]:
    """Return the directives of artifacts that a recipe uses, each in the version that the sample was made with."""
    return [directive.full_name for directive in find_used_directives(context, recipe)]


def _write_pandas_code(source: Mapping[str, Any]) -> list[str]:
    if "file" not in source:
        raise BadRequest("the source is not a file: use the library pyspark")
    path, encoding, format_ = source["file"], source["encoding"], source["format"]
    lines = ["import pandas", _FUNCTION, ""]
    if format_ in ("csv", "tsv"):
        more = "" if source["header"] else ", header=None"
        more += ', sep="\\t"' if format_ == "tsv" else ""
        lines.append(f"data = pandas.read_csv({path!r}, dtype=str, keep_default_na=False, encoding={encoding!r}{more})")
        if not source["header"]:
            lines.append('data.columns = [f"column_{number}" for number in range(1, len(data.columns) + 1)]')
    elif format_ in ("json", "jsonl"):
        is_lines = format_ == "jsonl"
        lines.append(
            f"data = pandas.read_json({path!r}, lines={is_lines}, dtype=False, convert_dates=False, encoding={encoding!r})"
        )
    elif format_ == "parquet":
        lines.append(f"data = pandas.read_parquet({path!r})")
    else:
        lines.append(f"with open({path!r}, encoding={encoding!r}) as file:")
        lines.append('    data = pandas.DataFrame({"value": file.read().splitlines()})')
    return lines


def _write_spark_code(context: ServiceContext, request: ServiceRequest, source: Mapping[str, Any]) -> list[str]:
    return [
        *(["import os", ""] if source.get("passwordSecret") else []),
        "from pyspark.sql import SparkSession",
        _FUNCTION,
        "",
        "spark = SparkSession.builder.getOrCreate()",
        *write_spark_read(context, request, source),
    ]
