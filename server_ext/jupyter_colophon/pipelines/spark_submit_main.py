"""The main program of a package, which `spark-submit` runs (docs/pipelines.md)."""

import os
import sys
from pathlib import Path

from jupyter_colophon.core.errors import PluginFailed
from jupyter_colophon.pipelines.check import prepare_validated_pipeline
from jupyter_colophon.pipelines.documents import read_pipeline_file
from jupyter_colophon.pipelines.pipeline_code import PipelineCode
from jupyter_colophon.pipelines.runner import run_pipeline


def main(program: str) -> None:
    """Run the pipeline beside this program, or in the working directory, with the arguments of the command line."""
    words = sys.argv[1:]
    if wrong := [word for word in words if "=" not in word]:
        sys.exit(f"arguments must be NAME=VALUE, not {wrong[0]!r}")
    arguments = {name: value for name, _, value in (word.partition("=") for word in words)}
    name, document = read_pipeline_file(_find_package_file(program, "pipeline.json"))
    snapshot = _find_package_file(program, "snapshot.json")
    # Skip the schemas, which were checked when the package was created; their validator may not be installed here.
    try:
        plugins = PipelineCode.read(lambda file: _find_package_file(program, file)).load_plugins()
    except PluginFailed as error:
        sys.exit(error.detail)
    ready = prepare_validated_pipeline(name, document, plugins, arguments)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(f"Jupyter Colophon: pipeline {name}").getOrCreate()
    outcome = run_pipeline(
        ready, spark, snapshot=snapshot if snapshot.exists() else None, log=lambda line: _print_and_flush(line)
    )
    _print_and_flush(f"{outcome.run} {outcome.status}; {outcome.waiting} reports waiting, {outcome.dropped} dropped")
    if outcome.error:
        _print_and_flush(outcome.error)
    spark.stop()
    sys.exit(1 if outcome.error else 0)


def _find_package_file(program: str, name: str) -> Path:
    """Return a file of the package: on a cluster Spark puts it into the working directory."""
    here = Path(os.path.abspath(program)).with_name(name)
    return here if here.exists() else Path(name)


def _print_and_flush(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
