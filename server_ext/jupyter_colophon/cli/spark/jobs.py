"""`jupyter colophon jobs …`: Spark jobs over a whole catalog (docs/how-to/run-spark-jobs.md)."""

import os
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jupyter_colophon.cli.catalog.entity_command import add_pairs_option
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.config import require_existing_store
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.maintenance.verify import FINDINGS_MAX, summarize_findings
from jupyter_colophon.cli.parser import CommandParser, build_integer_type
from jupyter_colophon.cli.servers import add_server_url_option, require_server_address
from jupyter_colophon.cli.spark.signal_handling import InterruptHandler
from jupyter_colophon.cli.spark.start_session import start_spark_session
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.rendering.page import build_table_page

if TYPE_CHECKING:
    from jupyter_colophon.spark.jobs.statistics import ReadTable
    from jupyter_colophon.store_jobs.store_address import StoreAddress
    from jupyter_colophon.store_jobs.task_progress import ShowTasks

_SUBCOMMANDS: Final = (
    ("verify", "Check the integrity of everything in the store.", "--partitions=64"),
    ("reindex", "Rebuild search, counts and lineage from the stored aspects.", "--partitions=64"),
    ("statistics", "Count entities by type, owner and tag, and how complete and large they are.", "--output=figures"),
    ("activity", "Count changes by day and actor, and list the most changed entities.", "--output=figures"),
    ("export", "Write the aspects of all entities to files.", "export --namespace=sales"),
    ("import", "Write the proposals in files to a server.", "export --url=http://localhost:8888/ --job-id=first"),
)
#: The jobs that read a server if `--url` is given, else the store.
_READING: Final = ("statistics", "activity", "export")
#: Columns of an export that are not members of proposals.
_OF_EXPORTS: Final = ("type", "namespace")
#: Rows of a table that are printed, and rows of a JSON document.
_SHOWN, _LISTED = 20, 1_000
#: What the lines of an error that explains itself begin with.
_EXPLAINED: Final = ("Error", "Option", "RequestFailed", "ServerUnavailable")


class JobsCommand(CliCommand):
    """Run a job."""

    description = (
        "Verify, reindex, count, export or import a whole catalog with Spark, on this machine or on a cluster. Jobs open the"
        " store themselves; with --url, statistics, activity and export read a server instead, and import writes to it."
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_SUBCOMMANDS):
            subparser.add_argument(
                "--master", default="", metavar="URL", help="The cluster, such as spark://host:7077. Default: local[*]."
            )
            add_pairs_option(subparser, "--conf", "A Spark setting; may be repeated.")
            if verb != "import":
                subparser.add_argument(
                    "--partitions",
                    type=build_integer_type(1, 10_000),
                    default=None,
                    metavar="N",
                    help="The number of parts of each table, which tasks read side by side. Default: one for each 50,000"
                    " changes of the store, from 8 to 500; 8 for a server.",
                )
            if verb in (*_READING, "import"):
                add_server_url_option(subparser)
            if verb in ("statistics", "activity"):
                subparser.add_argument(
                    "--output", default="", metavar="FOLDER", help="Write the tables as Parquet below this folder."
                )
            if verb in ("export", "import"):
                subparser.add_argument(
                    "--format", choices=("parquet", "json"), default="parquet", help="Parquet, or lines of JSON."
                )
            if verb == "export":
                subparser.add_argument("folder", metavar="FOLDER", help="The folder to create.")
                subparser.add_argument(
                    "--namespace", action="append", default=[], metavar="NAME", help="Only this one; may be repeated."
                )
            if verb == "import":
                subparser.add_argument("paths", nargs="+", metavar="PATH", help="Files, or folders with files.")
                subparser.add_argument(
                    "--job-id",
                    default="",
                    metavar="ID",
                    help="The name of the bulk load: running an interrupted import again with it writes nothing twice.",
                )
                subparser.add_argument(
                    "--bad-records", default="", metavar="FOLDER", help="Write rejected rows below this folder."
                )

    def run(self) -> int:
        """Run the job, and print its result."""
        jobs: dict[str, Callable[[Any, ShowTasks], _JobResult]] = {
            "verify": self._verify_store,
            "reindex": self._rebuild_derived_rows,
            "statistics": self._compute_figures,
            "activity": self._compute_figures,
            "export": self._export_aspects,
            "import": self._import_proposals,
        }
        # A wrong store or server is reported before Spark starts.
        if self._reads_server:
            require_server_address(self.args.url)
        else:
            require_existing_store(self.settings)
        self.drop_logs_unless_debug()
        interrupts = InterruptHandler()
        with ProgressLine(sys.stderr) as line:
            line.show("starting Spark", 0)
            spark = interrupts.run_uninterrupted(self._start_session)
            try:
                result = jobs[self.args.verb](spark, lambda text: line.show(text, 0))
            except _get_spark_errors() as error:
                line.clear()
                return self.print_error_and_get_status(_summarize_error(error))
            finally:
                spark.stop()
        self.print_result(result.document, result.text)
        return result.status

    @property
    def _reads_server(self) -> bool:
        """Whether the job works with a server instead of the store."""
        return self.args.verb == "import" or bool(getattr(self.args, "url", ""))

    @cached_property
    def _partition_count(self) -> int:
        from jupyter_colophon.spark.source.options import PARTITIONS
        from jupyter_colophon.store_jobs.partition_count import choose_partition_count_of_store

        if self.args.partitions is not None:
            return int(self.args.partitions)
        return PARTITIONS if self._reads_server else choose_partition_count_of_store(self._get_store_address())

    def _verify_store(self, spark: Any, show: "ShowTasks") -> "_JobResult":
        from jupyter_colophon.store_jobs.integrity import verify_store

        findings = verify_store(spark, self._get_store_address(), self._partition_count, FINDINGS_MAX, show)
        lines = [*(f"{finding.subject}: {finding.problem}" for finding in findings), summarize_findings(findings)]
        documents = [{"subject": finding.subject, "fault": finding.problem} for finding in findings]
        status = EXIT_FAILED if findings else EXIT_OK
        return _JobResult({"sound": not findings, "findings": documents}, "\n".join(lines), status)

    def _rebuild_derived_rows(self, spark: Any, show: "ShowTasks") -> "_JobResult":
        from jupyter_colophon.store_jobs.integrity import rebuild_derived_rows_of_store

        repaired = rebuild_derived_rows_of_store(spark, self._get_store_address(), self._partition_count, show)
        text = f"{format_count_with_noun(repaired, 'difference')} repaired" if repaired else "no differences found"
        return _JobResult({"repaired": repaired}, text)

    def _compute_figures(self, spark: Any, show: "ShowTasks") -> "_JobResult":
        from jupyter_colophon.spark.jobs.statistics import compute_activity, compute_statistics
        from jupyter_colophon.store_jobs.task_progress import show_task_progress

        compute = compute_statistics if self.args.verb == "statistics" else compute_activity
        document: dict[str, Any] = {}
        lines: list[str] = []
        folder = self.args.output.rstrip("/")
        with show_task_progress(spark, self.args.verb, 0, show):
            for name, frame in compute(self._create_table_reader(spark)).items():
                if folder:
                    path = document[name] = f"{folder}/{name}"
                    frame.write.mode("overwrite").parquet(path)
                    lines.append(f"{name}: {path}")
                    continue
                rows = frame.limit(_LISTED if self.json else _SHOWN).collect()
                document[name] = [_build_document(row.asDict()) for row in rows]
                table = build_table_page(
                    [list(each.values()) for each in document[name]], *frame.columns, empty="No rows."
                )
                lines += [name, str(table), ""]
        return _JobResult(document, "\n".join(lines).rstrip())

    def _export_aspects(self, spark: Any, show: "ShowTasks") -> "_JobResult":
        from jupyter_colophon.store_jobs.task_progress import show_task_progress

        folder = self.args.folder
        schema = "urn STRING, type STRING, namespace STRING, aspect STRING, value STRING"
        frame = self._create_table_reader(spark)("aspects", schema)
        if self.args.namespace:
            frame = frame.where(frame["namespace"].isin(self.args.namespace))
        with show_task_progress(spark, "export", 0, show):
            frame.write.format(self.args.format).save(folder)
            count = spark.read.format(self.args.format).schema(schema).load(folder).count()
        text = f"{format_count_with_noun(count, 'aspect')} exported to {folder}"
        return _JobResult({"folder": folder, "aspects": count}, text)

    def _import_proposals(self, spark: Any, show: "ShowTasks") -> "_JobResult":
        from jupyter_colophon.spark.source.options import choose_load_name
        from jupyter_colophon.store_jobs.task_progress import show_task_progress

        address = require_server_address(self.args.url)
        load = choose_load_name(self.args.job_id)
        options = {"url": address.url, "token": address.token, "jobId": load}
        if self.args.bad_records:
            options["badRecordsPath"] = self.args.bad_records
        frame = spark.read.format(self.args.format).load(self.args.paths).drop(*_OF_EXPORTS)
        with show_task_progress(spark, "import", 0, show):
            frame.write.format("colophon").options(**options).mode("append").save()
        with closing(Operations(Transport(address))) as catalog:
            result = catalog.read_load(load)
        counts = {name: result[name] for name in ("written", "unchanged", "rejected")}
        text = ", ".join(f"{count} {name}" for name, count in counts.items())
        return _JobResult({"load": load, **counts}, f"load {load}: {text}")

    def _create_table_reader(self, spark: Any) -> "ReadTable":
        """Return the function that reads tables of the server, or of the store."""
        if not self._reads_server:
            from jupyter_colophon.store_jobs.source import register_store_source

            return register_store_source(spark, self._get_store_address(), self._partition_count)
        address = require_server_address(self.args.url)
        options = {"url": address.url, "token": address.token, "numPartitions": str(self._partition_count)}
        reader = spark.read.format("colophon").options(**options)
        return lambda table, schema: reader.schema(schema).option("table", table).load()

    def _get_store_address(self) -> "StoreAddress":
        from jupyter_colophon.store_jobs.store_address import StoreAddress

        return StoreAddress.from_choice(require_existing_store(self.settings), self.find_registry_extension())

    def _start_session(self) -> Any:
        """Return the session of `spark-submit`, or a new one. Raises InvalidConfiguration."""
        name, settings = f"colophon {self.args.verb}", dict(self.args.conf)
        if "PYSPARK_GATEWAY_PORT" in os.environ:
            from pyspark.sql import SparkSession

            return SparkSession.builder.appName(name).getOrCreate()
        if self.args.verb != "import":
            # Spark's 200 parts of what it groups would be mostly empty.
            settings.setdefault("spark.sql.shuffle.partitions", str(self._partition_count))
        master = self.args.master or settings.get("spark.master", "")
        if master:
            settings["spark.master"] = master
        if master and not master.startswith("local"):
            # Executors on other machines connect to this process. Sessions of notebooks only listen locally.
            host = settings.setdefault("spark.driver.host", socket.getfqdn())
            settings.setdefault("spark.driver.bindAddress", host)
        return start_spark_session(name, settings)


class _JobResult(NamedTuple):
    """The result of a job, as a document and as text, and the exit code."""

    document: Mapping[str, Any]
    text: str
    status: int = EXIT_OK


def _get_spark_errors() -> tuple[type[Exception], ...]:
    """Return the classes of Spark's errors; Spark is loaded when they are needed."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def _summarize_error(error: Exception) -> str:
    """Return the relevant line of an error: the last one of a Python traceback, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    explained = [line for line in lines if line.partition(":")[0].endswith(_EXPLAINED)]
    return (explained or lines or [type(error).__name__])[-1 if explained else 0]


def _build_document(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for JSON: dates and times as text."""
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in row.items()}
