"""Make a notebook cell of a workspace. It is not stored: the client inserts it."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.published import read_for_publishing
from jupyter_colophon.apps.dataprep.spark_sources import get_delimiter, write_spark_read
from jupyter_colophon.apps.shipped.bodies import get_query_choice
from jupyter_colophon.wrangling.tokens import split_lines

_LIBRARIES: Final = ("pandas", "pyspark")
_FUNCTION: Final = "from jupyter_colophon.wrangling import apply_recipe_to_dataframe"


def get_cell(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return Python code that reads the source with `library`, pandas or pyspark, and applies the recipe. Raises BadRequest."""
    library = get_query_choice(request, "library", _LIBRARIES, "pandas")
    published = read_for_publishing(context, request)
    source = published.source
    read = _write_pandas_code(source) if library == "pandas" else _write_spark_code(context, request, source)
    directives = published.directives
    load = f"directives = metadata.load_directives({context.namespace!r}, {', '.join(map(repr, directives))})"
    lines = [
        *(["from jupyter_colophon import metadata"] if directives else []),
        *read,
        "recipe = [",
        *(f"    {line!r}," for line in split_lines(published.recipe)),
        "]",
        f"columns = {published.columns!r}",
        *([load] if directives else []),
        f'data = apply_recipe_to_dataframe(data, "\\n".join(recipe), columns{", directives=directives" if directives else ""})',
        "data" if library == "pandas" else "data.show()",
    ]
    return {"source": "\n".join(lines)}


def _write_pandas_code(source: Mapping[str, Any]) -> list[str]:
    if "file" not in source:
        raise BadRequest("the source is not a file: use the library pyspark")
    path, encoding, format_ = source["file"], source["encoding"], source["format"]
    lines = ["import pandas", _FUNCTION, ""]
    if format_ in ("csv", "tsv"):
        more = "" if source["header"] else ", header=None"
        delimiter = get_delimiter(source)
        more += f", sep={delimiter!r}" if delimiter != "," else ""
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
