"""Read data with Spark, and keep what it writes as files of the application."""

import math
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.apps import ServiceContext
from jupyter_colophon.apps.analytics.job_rows import JobFailed

#: What pairs of a column's name and its type become in Spark.
_SPARK_TYPES: Final = {"numeric": "double", "categorical": "string"}


def read_source(spark: Any, source: Mapping[str, Any]) -> Any:
    """Return the data of a source as a DataFrame."""
    path, format_ = source["path"], source["format"]
    if format_ in ("csv", "tsv"):
        separator = "\t" if format_ == "tsv" else ","
        return spark.read.csv(path, header=source["header"], sep=separator, escape='"', multiLine=True)
    if format_ == "parquet":
        return spark.read.parquet(path)
    return spark.read.json(path, multiLine=format_ == "json" and Path(path).is_file())


def quote_column(name: str) -> Any:
    """Return a column by its name, which may contain dots."""
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")


def select_typed(data: Any, columns: Sequence[Mapping[str, str]]) -> Any:
    """Return the columns with the types of the experiment; values without the type are null. Raises JobFailed."""
    names = {*data.columns}
    for column in columns:
        if column["name"] not in names:
            raise JobFailed(f"the data has no column {column['name']!r}")
    return data.select(*(convert_column(column).alias(column["name"]) for column in columns))


def convert_column(column: Mapping[str, str]) -> Any:
    """Return the values of a column with its type; NaN and infinite numbers are null, too."""
    from pyspark.sql import functions as F

    values = quote_column(column["name"]).try_cast(_SPARK_TYPES[column["type"]])
    return F.when(F.abs(values) < math.inf, values) if column["type"] == "numeric" else values


def store_as_parquet(context: ServiceContext, data: Any, name: str) -> None:
    """Store rows as one Parquet file of the application."""
    with tempfile.TemporaryDirectory() as folder:
        data.coalesce(1).write.parquet(f"{folder}/part")
        (file,) = Path(folder, "part").glob("*.parquet")
        with file.open("rb") as content:
            context.files.put(name, content)


def store_model(context: ServiceContext, model: Any, name: str) -> None:
    """Store a model of Spark ML as a ZIP archive of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        model.write().save(f"{folder}/model")
        archive = shutil.make_archive(f"{folder}/archive", "zip", f"{folder}/model")
        with open(archive, "rb") as content:
            context.files.put(name, content)


def load_model(context: ServiceContext, name: str, folder: str) -> Any:
    """Return a stored model, whose files are written into a folder."""
    from pyspark.ml import PipelineModel

    shutil.unpack_archive(context.files.get_path(name), folder, "zip")
    return PipelineModel.load(folder)
