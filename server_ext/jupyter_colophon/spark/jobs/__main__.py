"""Run a job: locally by `python -m jupyter_colophon.spark.jobs`, on a cluster by `spark-submit` with this file."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.spark.jobs.statistics import compute_activity, compute_statistics

#: Number of rows that are printed of a table.
_SHOWN = 20


def main(words: Sequence[str]) -> int:
    """Run the job of a command line; return 0 on success, 1 on failure, 2 for wrong usage."""
    arguments = _parse_arguments(words)
    options = dict(pair.split("=", 1) for pair in arguments.option)
    spark = _get_or_start_session()
    from pyspark.errors import PySparkException

    try:
        if arguments.job == "ingest":
            spark.read.parquet(*arguments.paths).write.format("colophon").options(**options).mode("append").save()
        else:
            tables = (compute_statistics if arguments.job == "statistics" else compute_activity)(spark, options)
            _print_or_write_tables(tables, arguments.output)
    except PySparkException as error:
        sys.stderr.write(f"{_summarize_error(error)}\n")
        return 1
    finally:
        spark.stop()
    return 0


def _parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="jupyter_colophon.spark.jobs", description="Run a Spark job over the whole catalog."
    )
    jobs = parser.add_subparsers(dest="job", required=True, metavar="JOB")
    option = argparse.ArgumentParser(add_help=False)
    option.add_argument(
        "--option",
        action="append",
        default=[],
        type=_parse_pair,
        metavar="NAME=VALUE",
        help="option of the data source",
    )
    ingest = jobs.add_parser("ingest", parents=[option], help="write the proposals of Parquet files")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    for name, text in (
        ("statistics", "count entities by type, key and tag"),
        ("activity", "count changes by day and actor, and list the most changed entities"),
    ):
        job = jobs.add_parser(name, parents=[option], help=text)
        job.add_argument("--output", metavar="FOLDER", help="write the tables as Parquet below this folder")
    return parser.parse_args(arguments)


def _parse_pair(text: str) -> str:
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return text


def _get_or_start_session() -> Any:
    """Return the session of `spark-submit`, which has started a JVM for this process, or a local one."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        from pyspark.sql import SparkSession

        return SparkSession.builder.appName("colophon jobs").getOrCreate()
    from jupyter_colophon.spark.session import get_session

    return get_session("colophon jobs")


def _print_or_write_tables(tables: Mapping[str, Any], folder: str | None) -> None:
    """Print the first rows of each table, or write the tables to a folder."""
    for name, frame in tables.items():
        if folder:
            frame.coalesce(1).write.mode("overwrite").parquet(f"{folder.rstrip('/')}/{name}")
            continue
        sys.stdout.write(f"{name}\n")
        frame.show(_SHOWN, truncate=False)


def _summarize_error(error: Exception) -> str:
    """Return the relevant line of an error: the last one of a Python traceback, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    errors = [
        line
        for line in lines
        if line.partition(":")[0].endswith(("Error", "Option", "RequestFailed", "ServerUnavailable"))
    ]
    return (errors or lines or [type(error).__name__])[-1 if errors else 0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
