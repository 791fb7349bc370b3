"""Runs a job: on this machine by `python -m jupyter_colophon.spark.jobs`, on a cluster by `spark-submit` with this file."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.spark.jobs.statistics import activity, statistics

#: How many rows of a table are shown.
_SHOWN = 20


def main(words: Sequence[str]) -> int:
    """Do what the words say; 0 is fine, 1 is refused or failed, 2 wrong usage."""
    asked = _arguments(words)
    options = dict(pair.split("=", 1) for pair in asked.option)
    spark = _session()
    from pyspark.errors import PySparkException

    try:
        if asked.job == "ingest":
            spark.read.parquet(*asked.paths).write.format("colophon").options(**options).mode("append").save()
        else:
            made = (statistics if asked.job == "statistics" else activity)(spark, options)
            _tell(made, asked.output)
    except PySparkException as error:
        sys.stderr.write(f"{_sentence(error)}\n")
        return 1
    finally:
        spark.stop()
    return 0


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="jupyter_colophon.spark.jobs", description="Work over the whole catalog.")
    jobs = parser.add_subparsers(dest="job", required=True, metavar="JOB")
    option = argparse.ArgumentParser(add_help=False)
    option.add_argument("--option", action="append", default=[], type=_pair, metavar="NAME=VALUE", help="of the source")
    ingest = jobs.add_parser("ingest", parents=[option], help="write the proposals of Parquet files")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    for name, says in (
        ("statistics", "how much of each kind there is"),
        ("activity", "who changed how much, and what"),
    ):
        job = jobs.add_parser(name, parents=[option], help=says)
        job.add_argument("--output", metavar="FOLDER", help="write the tables as Parquet below this folder")
    return parser.parse_args(words)


def _pair(word: str) -> str:
    if "=" not in word:
        raise argparse.ArgumentTypeError(f"{word!r} is not NAME=VALUE")
    return word


def _session() -> Any:
    """The session of `spark-submit`, which has started a JVM for this process; or one on this machine."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        from pyspark.sql import SparkSession

        return SparkSession.builder.appName("colophon jobs").getOrCreate()
    from jupyter_colophon.spark.session import session

    return session("colophon jobs")


def _tell(made: Mapping[str, Any], folder: str | None) -> None:
    """Show the first rows of each table, or write them."""
    for name, frame in made.items():
        if folder:
            frame.coalesce(1).write.mode("overwrite").parquet(f"{folder.rstrip('/')}/{name}")
            continue
        sys.stdout.write(f"{name}\n")
        frame.show(_SHOWN, truncate=False)


def _sentence(error: Exception) -> str:
    """The line of Spark's words that says what is wrong: the last one of a Python traceback, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if line.partition(":")[0].endswith(("Error", "Option", "RequestFailed", "Away"))]
    return (said or lines or [type(error).__name__])[-1 if said else 0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
