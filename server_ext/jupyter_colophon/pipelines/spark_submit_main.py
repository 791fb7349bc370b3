"""The program of a package: what `spark-submit` runs (docs/pipelines.md)."""

import os
import sys
from pathlib import Path

from jupyter_colophon.pipelines.check import prepared
from jupyter_colophon.pipelines.documents import read
from jupyter_colophon.pipelines.plugin_registry import installed
from jupyter_colophon.pipelines.runner import run


def main(program: str) -> None:
    """Run the pipeline beside this program, or in the working directory, with the arguments of the command line."""
    words = sys.argv[1:]
    if wrong := [word for word in words if "=" not in word]:
        sys.exit(f"an argument is written NAME=VALUE, and {wrong[0]!r} is not")
    arguments = {name: value for name, _, value in (word.partition("=") for word in words)}
    name, document = read(_beside(program, "pipeline.json"))
    snapshot = _beside(program, "snapshot.json")
    # The package was checked against the schemas when it was made: what does that need not be installed here.
    ready = prepared(name, document, installed(), arguments)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(f"colophon pipeline {name}").getOrCreate()
    told = run(ready, spark, snapshot=snapshot if snapshot.exists() else None, tell=lambda line: _say(line))
    _say(f"{told.run} {told.status}; {told.waiting} waiting, {told.dropped} dropped")
    if told.error:
        _say(told.error)
    spark.stop()
    sys.exit(1 if told.error else 0)


def _beside(program: str, name: str) -> Path:
    """A file of the package: on a cluster Spark puts it into the working directory."""
    here = Path(os.path.abspath(program)).with_name(name)
    return here if here.exists() else Path(name)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
