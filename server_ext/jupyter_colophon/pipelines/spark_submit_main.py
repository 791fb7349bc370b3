"""The program of a package: what `spark-submit` runs (docs/pipelines.md)."""

import os
import sys
from pathlib import Path

from jupyter_colophon.pipelines.check import prepare_pipeline
from jupyter_colophon.pipelines.documents import read
from jupyter_colophon.pipelines.plugin_registry import installed_plugins
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
    ready = prepare_pipeline(name, document, installed_plugins(), arguments)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(f"colophon pipeline {name}").getOrCreate()
    outcome = run(ready, spark, snapshot=snapshot if snapshot.exists() else None, tell=lambda line: _print(line))
    _print(f"{outcome.run} {outcome.status}; {outcome.waiting} waiting, {outcome.dropped} dropped")
    if outcome.error:
        _print(outcome.error)
    spark.stop()
    sys.exit(1 if outcome.error else 0)


def _beside(program: str, name: str) -> Path:
    """A file of the package: on a cluster Spark puts it into the working directory."""
    here = Path(os.path.abspath(program)).with_name(name)
    return here if here.exists() else Path(name)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
